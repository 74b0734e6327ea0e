import { exportedServers } from '../../../support/servers/fresh';
import { callManagement } from '../../../support/servers/management';
import { OpsShell } from '../../../support/service/ops-shell';
import { startServers, type System } from '../../../support/service/processes';
import { publish } from '../../../support/clients/publish';
import { Clients } from '../../../support/clients/clients';
import { waitUntil } from '../../../support/wait';
import { encodeEnvelope } from '../../../../shared/messaging/envelope';
import { partitionName, partitionOf } from '../../../../shared/messaging/topology';
import { borrow, register, update } from '../../../support/models/lending/commands';

/**
 * What RabbitMQ itself does with commands: it dead-letters them, refuses them, or has no queue for
 * them.
 */

const WAIT_MS = 60_000;
const PARTITIONS = 16;
/**
 * More than a worker fetches, and some batches on top, so that the queue is full when the first of
 * it is decided.
 */
const BACKLOG = 5000;

let system: System;
let clients: Clients;
let shell: OpsShell;
beforeAll(async () => {
  system = await startServers({ apis: 1, workers: 1 });
  shell = new OpsShell(system.env);
  clients = new Clients(system.apis[0]!.url, system.env.JWT_SECRET!);
});

const manage = (method: string, path: string, body?: unknown) =>
  callManagement(
    exportedServers().rabbitmqManagementUrl,
    method,
    path.replace('VHOST', new URL(system.env.RABBITMQ_URL!).pathname.slice(1)),
    body,
  );
const lengthOf = async (queue: string) =>
  ((await manage('GET', `/api/queues/VHOST/${queue}`)) as { messages?: number }).messages;
const letters = async () =>
  (await shell.run('dead-letters', 'list', '--json')).json.items as {
    commandId: string;
    reason: string;
    type: string | null;
    partition: string;
  }[];

it("what the broker has dead-lettered is moved to the operator's list, with a failed outcome, and a command that had ended is not", async () => {
  const title = await clients.newTitle(2);
  const ended = await clients.borrow(title);
  expect(await clients.ending(ended)).toBe('succeeded');
  const given = borrow(7, title);
  const messages = [
    [encodeEnvelope(given), 'no command'],
    [encodeEnvelope({ ...borrow(8, title), commandId: ended })],
  ];
  // As the broker writes down what it gives up.
  const headers = {
    'x-first-death-queue': 'lending.commands.03',
    'x-first-death-reason': 'delivery_limit',
  };
  await publish(system.env, 'lending.commands.dead', messages, { headers });
  const found = await waitUntil('two letters', WAIT_MS, async () =>
    (await letters()).length === 2 ? letters() : null,
  );
  expect(found).toMatchObject([
    {
      commandId: given.commandId,
      type: given.type,
      partition: 'lending.commands.03',
      reason: 'given up by the message broker: delivery_limit',
    },
    { type: null, partition: 'lending.commands.03' },
  ]);
  await waitUntil(
    'the queue is empty',
    WAIT_MS,
    async () => (await lengthOf('lending.commands.dead')) === 0,
  );
  expect(await clients.ending(ended)).toBe('succeeded');
  expect(
    (await shell.run('dead-letters', 'show', given.commandId, '--json')).json.outcome.refusal.code,
  ).toBe('COMMAND_FAILED');
  const replay = await shell.run('dead-letters', 'replay', given.commandId, '--json');
  expect([replay.code, replay.json.replayed[0].result]).toEqual([0, 'succeeded']);
  expect((await shell.run('dead-letters', 'discard', '--all')).code).toBe(0);
});

it('a command that must go to a full queue holds up nobody, not even when it is the head of that queue and its worker has to empty it', async () => {
  const title = await clients.newTitle(1);
  const place = partitionOf(`book-info:${title}`, PARTITIONS);
  const isbn = Array.from(
    { length: 1000 },
    (_, index) => `97${String(Date.now() + index).slice(-11)}`,
  ).find((one) => partitionOf(`isbn:${one}`, PARTITIONS) === place)!;
  const queue = partitionName('lending', place);
  await publish(system.env, queue, [[encodeEnvelope(update(title, { isbn }))]]);
  await waitUntil(
    'the title has its ISBN',
    WAIT_MS,
    async () => (await clients.title(title)).isbn === isbn,
  );
  await system.workers[0]!.stop();
  const moved = register({ isbn, copies: 3 });
  await publish(
    system.env,
    queue,
    [moved, ...Array.from({ length: BACKLOG }, () => borrow(7, title))].map((command) => [
      encodeEnvelope(command),
    ]),
  );
  await manage('PUT', '/api/policies/VHOST/full', {
    pattern: `^${queue.replaceAll('.', '[.]')}$`,
    definition: { 'max-length': 0 },
    'apply-to': 'queues',
  });
  const worker = await system.addWorker();
  // One copy was lent to those of the backlog before the others came.
  await waitUntil(
    'the moved command was carried out',
    WAIT_MS,
    async () => (await clients.title(title)).availableStock === 3,
  );
  await worker.child.line(
    'tells that the command waits',
    WAIT_MS,
    (line) => line.includes('command not published yet') || undefined,
  );
  await waitUntil('the queue is empty', WAIT_MS, async () => (await lengthOf(queue)) === 0);
  expect(await letters()).toEqual([]);
  await manage('DELETE', '/api/policies/VHOST/full');
});
