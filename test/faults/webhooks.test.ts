import { openLibrary, succeeded } from '../support/clients/books';
import { held } from '../support/run/held';
import { newSecret, startServers } from '../support/service/processes';
import { Receiver } from '../support/clients/receiver';
import { exportedSecret, targetAt } from '../support/service/target';
import { waitUntil } from '../support/wait';

const KILLS = 5;
const TITLES = 4;
/** Borrows, each given back, between two kills. */
const BORROWS_BETWEEN_KILLS = 12;
const WAIT_MS = 120_000;
/** How long a command may wait for the only worker, which is killed and replaced, milliseconds. */
const REPLACED_MS = 30_000;

it('kill -9 of the worker that delivers, once the receiver has accepted and before that is marked, loses no event of a webhook and changes no order', async () => {
  const system = await startServers({
    apis: 1,
    workers: 1,
    env: {
      JWT_SECRET: exportedSecret(newSecret),
      WEBHOOK_ALLOW_PRIVATE: 'true',
      API_WAIT_MS: String(REPLACED_MS),
    },
  });
  const library = await openLibrary(targetAt('servers', [system.apis[0]?.url ?? '']));
  const receiver = await new Receiver().start();
  const body = { url: receiver.url, types: ['lending.borrow'] };
  succeeded(await library.manage('post', '/api/webhooks', body), 201);
  const titles = await Promise.all(
    Array.from({ length: TITLES }, () => library.registered({ copies: 1 })),
  );
  const lend = async (count: number) => {
    for (let turn = 0; turn < count; turn += 1) {
      const { bookInfoId } = titles[turn % TITLES] ?? { bookInfoId: 0 };
      const reader = library.newReader();
      await library.borrowed(reader, { bookInfoId });
      await library.returned(reader, { bookInfoId });
    }
  };
  let killed = Promise.resolve<unknown>(undefined);
  let lent = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    let isOver = false;
    receiver.answer = () => {
      if (!isOver) {
        isOver = true;
        killed = system.workers.at(-1)?.kill() ?? killed;
      }
      return 204;
    };
    const lending = lend(BORROWS_BETWEEN_KILLS);
    await waitUntil('the worker is killed', WAIT_MS, () => isOver);
    await killed;
    await system.addWorker();
    await lending;
    lent += BORROWS_BETWEEN_KILLS;
  }
  await waitUntil('every event is there', WAIT_MS, () => receiver.accepted.length >= 2 * lent);
  expect(receiver.accepted).toHaveLength(2 * lent);
  for (const { bookInfoId } of titles) {
    const numbers = receiver.accepted
      .filter(({ subject }) => subject === `book-info:${bookInfoId}`)
      .map(({ sequence }) => sequence);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  }
  // At each kill one came again at least.
  expect(receiver.received.length - receiver.accepted.length).toBeGreaterThanOrEqual(KILLS);
  await held(
    30,
    system.env,
    `${KILLS} times`,
    `${2 * lent} events delivered, none lost, each aggregate in order`,
  );
}, 600_000);
