import { partitionOf } from '../../../shared/messaging/topology';
import { openLibrary, type Library } from '../../support/clients/books';
import { exportedServers } from '../../support/servers/fresh';
import { callManagement } from '../../support/servers/management';
import { expectProblem } from '../../support/clients/problems';
import { newSecret, startServers, type System } from '../../support/service/processes';
import { exportedSecret, targetAt } from '../../support/service/target';
import { waitUntil } from '../../support/wait';

/**
 * More commands than anybody carries out. Each adds one copy, so that the stock tells how many had
 * their effect.
 */

/** Far more than are let in. */
const SENT_MAX = 10_000;
const TOGETHER = 50;
const DRAINED_MS = 60_000;
/** Partitions of a service when nobody says otherwise. */
const PARTITIONS = 16;

let system: System;
let library: Library;
beforeAll(async () => {
  system = await startServers({
    apis: 1,
    workers: 1,
    env: { JWT_SECRET: exportedSecret(newSecret) },
  });
  library = await openLibrary(
    targetAt(
      'servers',
      system.apis.map(({ url }) => url),
    ),
  );
});

const addCopy = (bookInfoId: number, prefer: string) =>
  library.manage('post', `/api/book-infos/${bookInfoId}/books`, { count: 1 }, { Prefer: prefer });

/** Sends commands until one is refused; returns how many were promised, and a refusal. */
async function sendUntilRefused(bookInfoId: number) {
  let promised = 0;
  while (promised < SENT_MAX) {
    const answers = await Promise.all(
      Array.from({ length: TOGETHER }, () => addCopy(bookInfoId, 'respond-async')),
    );
    promised += answers.filter(({ status }) => status === 202).length;
    const refusal = answers.find(({ status }) => status !== 202);
    if (refusal) return { promised, refusal };
  }
  throw new Error(`${promised} commands were promised and none refused`);
}

/**
 * The workers have gone; commands of the title are sent until one is refused, and then a worker
 * comes.
 */
async function expectRefusedAndNoneLost(bookInfoId: number, otherId: number): Promise<number> {
  await system.workers.at(-1)!.stop();
  const { promised, refusal } = await sendUntilRefused(bookInfoId);
  expectProblem(refusal, 503, 'UNAVAILABLE');
  expect(Number(refusal.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  // Somebody who would have waited is refused as well, and at once: nothing is left to wait for.
  expectProblem(await addCopy(bookInfoId, 'wait=30'), 503, 'UNAVAILABLE');
  expect((await addCopy(otherId, 'respond-async')).status).toBe(202);
  await system.addWorker();
  await waitUntil(
    'every promise is kept',
    DRAINED_MS,
    async () => (await library.detail(bookInfoId)).totalStock >= promised,
  );
  expect((await addCopy(bookInfoId, 'wait=30')).status).toBe(201);
  expect((await library.detail(bookInfoId)).totalStock).toBe(promised + 1);
  return promised;
}

const partitionOfTitle = (bookInfoId: number) => partitionOf(`book-info:${bookInfoId}`, PARTITIONS);

/** Two titles in different partitions. */
async function twoTitles(): Promise<[number, number]> {
  const { bookInfoId } = await library.registered();
  for (;;) {
    const other = await library.registered();
    if (partitionOfTitle(other.bookInfoId) !== partitionOfTitle(bookInfoId))
      return [bookInfoId, other.bookInfoId];
  }
}

it('commands of a title that nobody carries out are refused before its queue is long, those of others are not, and none that was promised is lost', async () => {
  const [bookInfoId, otherId] = await twoTitles();
  expect(await expectRefusedAndNoneLost(bookInfoId, otherId)).toBeGreaterThan(2 * 1024);
}, 120_000);

it('commands that the broker refuses because their queue is full are not promised, and none that was promised is lost', async () => {
  const [bookInfoId, otherId] = await twoTitles();
  const vhost = new URL(system.env.RABBITMQ_URL ?? '').pathname.slice(1);
  const policy = {
    pattern: '^lending\\.commands\\.\\d\\d$',
    'apply-to': 'queues',
    definition: { 'max-length': 20 },
  };
  await callManagement(
    exportedServers().rabbitmqManagementUrl,
    'PUT',
    `/api/policies/${vhost}/short`,
    policy,
  );
  expect(await expectRefusedAndNoneLost(bookInfoId, otherId)).toBeLessThan(2 * 1024);
}, 120_000);
