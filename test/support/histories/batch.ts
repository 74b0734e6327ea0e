import { randomInt } from 'node:crypto';
import { Agent } from 'node:http';
import type { Target } from '../target';
import { waitUntil } from '../wait';
import { uniqueWord } from '../books';
import { OPERATIONS, type History, type Operation } from './history';
import { Recorder } from './recorder';

/** Clients of one title. */
const CLIENTS = 8;
/** Operations of each client that had or may have had an effect. */
const OPERATIONS_EACH = 10;
const COPIES_FIRST = 3;
const COPIES_MAX = 2;
/** Of a hundred operations. */
const SHARES: Readonly<Record<Operation['f'], number>> = {
  read: 35,
  borrow: 28,
  return: 22,
  hold: 9,
  add: 6,
};
/** Until a client tries again when nothing serves it, milliseconds. */
const REFUSED_PAUSE_MS = 50;
/** How long the operations of a batch may take, milliseconds. */
const BATCH_MS = 120_000;

export interface Batch {
  readonly histories: readonly History[];
  readonly violations: readonly string[];
}

/**
 * What happens to the programs while a batch runs. `reached` waits for a share of its operations, 0
 * to 1.
 */
export type Trouble = (reached: (share: number) => Promise<void>) => Promise<void>;

function drawn(user: number): Operation {
  let left = randomInt(100);
  const f = OPERATIONS.find((operation) => (left -= SHARES[operation]) < 0) ?? 'read';
  return { user, f, ...(f === 'add' && { copies: 1 + randomInt(COPIES_MAX) }) };
}

/** Several histories at once, each of a new title, while trouble comes to all of them. */
export async function runBatch(
  name: string,
  count: number,
  target: Target,
  trouble: Trouble,
): Promise<Batch> {
  // A connection for each request: of one that is kept nobody knows whether it still ends
  // somewhere.
  const agent = new Agent({ keepAlive: false });
  const recorders = await Promise.all(
    Array.from({ length: count }, (_, index) => opened(`${name}-${index + 1}`, target, agent)),
  );
  const total = count * CLIENTS * OPERATIONS_EACH;
  let ended = 0;
  const giveUpAt = Date.now() + BATCH_MS;
  const client = async (recorder: Recorder, user: number) => {
    for (let own = 0; own < OPERATIONS_EACH;) {
      if (Date.now() > giveUpAt)
        throw new Error(
          `${name} has not ended after ${BATCH_MS} ms: ${recorder.violations.slice(0, 3).join('; ')}`,
        );
      const effective = await recorder.carryOut(drawn(user));
      if (effective) {
        own += 1;
        ended += 1;
      } else await new Promise((resolve) => setTimeout(resolve, REFUSED_PAUSE_MS));
    }
  };
  const clients = recorders.flatMap((recorder) =>
    Array.from({ length: CLIENTS }, (_, user) => client(recorder, user)),
  );
  const reached = (share: number) =>
    waitUntil(`${share} of the operations of ${name}`, BATCH_MS, () => ended >= share * total).then(
      () => undefined,
    );
  await Promise.all([...clients, trouble(reached)]);
  // Nothing is left to happen but what nobody knows of.
  await Promise.all(recorders.map((recorder) => recorder.carryOut({ user: 0, f: 'read' })));
  agent.destroy();
  return {
    histories: recorders.map(({ events }) => events),
    violations: recorders.flatMap(({ violations }) => violations),
  };
}

async function opened(history: string, target: Target, agent: Agent): Promise<Recorder> {
  const response = await target
    .api()
    .post('/api/book-infos')
    .set('Authorization', `Bearer ${target.admin}`)
    .send({ title: uniqueWord(), author: 'Lowe' });
  const { bookInfoId } = response.body as { bookInfoId: number };
  const tokens = Array.from({ length: CLIENTS }, () => target.token());
  const recorder = new Recorder({
    history,
    bookInfoId,
    urls: target.urls,
    token: (user) => tokens[user] ?? '',
    admin: target.admin,
    agent,
  });
  await recorder.carryOut({ user: 0, f: 'add', copies: COPIES_FIRST });
  return recorder;
}
