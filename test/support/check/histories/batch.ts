import { randomInt } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Target } from '../../service/target';
import { waitUntil } from '../../wait';
import { uniqueWord } from '../../clients/books';
import { OPERATIONS, type History, type Operation } from './history';
import { Recorder, type Ending } from './recorder';

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
/** The same for one that outlasts an outage, milliseconds. */
const OUTLASTING_MS = 300_000;

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

export interface BatchOptions {
  /** A client leaves when it does not know how its operation ended. */
  readonly unknownLeaves?: boolean;
  /** How long the batch may take, milliseconds. */
  readonly batchMs?: number;
}

/** Several histories at once, each of a new title, while trouble comes to all of them. */
export async function runBatch(
  name: string,
  count: number,
  target: Target,
  trouble: Trouble,
  { unknownLeaves = false, batchMs = BATCH_MS }: BatchOptions = {},
): Promise<Batch> {
  // A connection for each request: of one that is kept nobody knows whether it still ends
  // somewhere.
  const agent = new Agent({ keepAlive: false });
  const giveUpAt = Date.now() + batchMs;
  const recorders = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      opened(`${name}-${index + 1}`, target, agent, giveUpAt),
    ),
  );
  const total = count * CLIENTS * OPERATIONS_EACH;
  let ended = 0;
  const client = async (recorder: Recorder, user: number) => {
    for (let own = 0; own < OPERATIONS_EACH;) {
      if (Date.now() > giveUpAt)
        throw new Error(
          `${name} has not ended after ${batchMs} ms: ${recorder.violations.slice(0, 3).join('; ')}`,
        );
      const end = await recorder.carryOut(drawn(user));
      if (end === 'info' && unknownLeaves) return;
      if (end === 'fail') await pause(REFUSED_PAUSE_MS);
      else {
        own += 1;
        ended += 1;
      }
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

/**
 * Records histories, a batch after the other, until `over` says so. Clients leave when they do not
 * know how an operation ended: a long outage would leave too much unknown.
 */
export async function recordUntil(
  name: string,
  count: number,
  target: Target,
  over: () => boolean,
): Promise<Batch[]> {
  const batches: Batch[] = [];
  while (!over())
    batches.push(
      await runBatch(`${name}-${batches.length + 1}`, count, target, () => Promise.resolve(), {
        unknownLeaves: true,
        batchMs: OUTLASTING_MS,
      }),
    );
  return batches;
}

/** Until the title is there: nobody knows of one that was registered without an answer. */
async function opened(
  history: string,
  target: Target,
  agent: Agent,
  giveUpAt: number,
): Promise<Recorder> {
  const bookInfoId = await registered(target);
  const tokens = Array.from({ length: CLIENTS }, () => target.token());
  const recorder = new Recorder({
    history,
    bookInfoId,
    urls: target.urls,
    token: (user) => tokens[user] ?? '',
    admin: target.admin,
    agent,
  });
  let added: Ending;
  do added = await recorder.carryOut({ user: 0, f: 'add', copies: COPIES_FIRST });
  while (added === 'fail' && Date.now() < giveUpAt && (await pause(REFUSED_PAUSE_MS, true)));
  if (added === 'fail') throw new Error(`${history} has no copies: nothing took them in time`);
  return recorder;
}

/** Returns the id of a new title, once the service takes it. */
async function registered(target: Target): Promise<number> {
  for (;;) {
    const { status, body } = await target
      .api()
      .post('/api/book-infos')
      .set('Authorization', `Bearer ${target.admin}`)
      .send({ title: uniqueWord(), author: 'Lowe' });
    if (status === 201) return (body as { bookInfoId: number }).bookInfoId;
    if (status !== 202 && status !== 503)
      throw new Error(`registering a title was answered ${status} ${JSON.stringify(body)}`);
    await pause(REFUSED_PAUSE_MS);
  }
}
