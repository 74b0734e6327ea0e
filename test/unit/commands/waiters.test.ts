import { join } from 'node:path';
import { pino } from 'pino';
import type { Sequelize } from 'sequelize-typescript';
import { Outcomes } from '../../../api/commands/outcomes';
import { Waiters, WAITERS_MAX } from '../../../api/commands/waiters';
import { createMemoryCache } from '../../../shared/cache/memory';
import type { Outcome } from '../../../shared/command';
import { connectDatabase } from '../../../shared/database/connect';
import { migrate } from '../../../shared/database/migrate';
import { CommandOutcome } from '../../../shared/database/tables';
import { onCleanUp, temporaryFolder } from '../../support/run/cleanup';

const outcomeOf = (commandId: string, result = '{}'): Outcome => ({
  ...{
    commandId,
    type: 'lending.borrow-book',
    ownerId: 1,
    requestId: 'request',
    createdAt: 1000,
    completedAt: 2000,
  },
  ending: { status: 'succeeded', created: true, result },
});

/** The replies of a transport, sent by hand. */
function replies() {
  const listeners: ((outcome: Outcome) => void)[] = [];
  const warned: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => warned.push(line) });
  const cache = createMemoryCache();
  const waiters = new Waiters(
    { onReply: (listener) => listeners.push(listener) },
    new Outcomes(cache),
    logger,
  );
  const reply = (outcome: Outcome) => {
    for (const listen of listeners) listen(outcome);
  };
  return { waiters, warned, reply, cache };
}

/**
 * What a promise came to; `waiting` when it has not ended after everything that could end by now.
 */
async function stateOf(outcome: Promise<Outcome | null>): Promise<unknown> {
  let state: unknown = 'waiting';
  void outcome.then((value) => {
    state = value;
  });
  await jest.advanceTimersByTimeAsync(0);
  return state;
}

let database: Sequelize;
beforeAll(async () => {
  database = connectDatabase({
    url: join(await temporaryFolder('waiters'), 'lendline.sqlite'),
    poolMax: 1,
  });
  onCleanUp(() => database.close());
  await migrate(database);
});
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

describe('a client that waits for a command', () => {
  it('is woken by its reply, and not by another one', async () => {
    const { waiters, reply } = replies();
    const { outcome } = waiters.wait('mine', 10_000);
    reply(outcomeOf('another'));
    expect(await stateOf(outcome)).toBe('waiting');
    reply(outcomeOf('mine'));
    expect(await stateOf(outcome)).toEqual(outcomeOf('mine'));
  });

  it('is woken by a reply of a worker that did not reach the cache once the cache has been told', async () => {
    const { waiters, reply, cache } = replies();
    let told: () => void = () => undefined;
    const bump = jest
      .spyOn(cache, 'bump')
      .mockReturnValue(new Promise((resolve) => (told = resolve)));
    const { outcome } = waiters.wait('mine', 10_000);
    reply({ ...outcomeOf('nobody waits for it'), stale: ['another'] });
    reply({ ...outcomeOf('mine'), stale: ['a', 'b'] });
    expect(await stateOf(outcome)).toBe('waiting');
    expect(bump.mock.calls).toEqual([[['a', 'b']]]);
    told();
    expect(await stateOf(outcome)).toMatchObject(outcomeOf('mine'));
  });

  it('is woken together with everybody else who waits for it, once', async () => {
    const { waiters, reply } = replies();
    const waiting = [1, 2, 3].map(() => waiters.wait('shared', 10_000).outcome);
    reply(outcomeOf('shared', '{"first":true}'));
    reply(outcomeOf('shared', '{"first":false}'));
    expect(await Promise.all(waiting.map(stateOf))).toEqual(
      [1, 2, 3].map(() => outcomeOf('shared', '{"first":true}')),
    );
  });

  it('gets no answer when the time is up, and not earlier', async () => {
    const { waiters } = replies();
    const { outcome } = waiters.wait('slow', 900);
    await jest.advanceTimersByTimeAsync(899);
    expect(await stateOf(outcome)).toBe('waiting');
    await jest.advanceTimersByTimeAsync(1);
    expect(await stateOf(outcome)).toBeNull();
  });

  it('does not wait at all for no time', async () => {
    const { waiters, reply } = replies();
    const waiter = waiters.wait('mine', 0);
    reply(outcomeOf('mine'));
    waiter.cancel();
    expect(await stateOf(waiter.outcome)).toBeNull();
  });

  it('may leave earlier, while the others still wait', async () => {
    const { waiters, reply } = replies();
    const [first, second] = [waiters.wait('shared', 10_000), waiters.wait('shared', 10_000)];
    first.cancel();
    first.cancel();
    expect(await stateOf(first.outcome)).toBeNull();
    expect(await stateOf(second.outcome)).toBe('waiting');
    reply(outcomeOf('shared'));
    expect(await stateOf(second.outcome)).toEqual(outcomeOf('shared'));
  });

  it('is sent away at the end of the program', async () => {
    const { waiters } = replies();
    const waiting = ['a', 'b', 'b'].map((id) => waiters.wait(id, 10_000).outcome);
    await waiters.close(0);
    expect(await Promise.all(waiting.map(stateOf))).toEqual([null, null, null]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is asked at once to come back when the program is ending', async () => {
    const { waiters } = replies();
    await waiters.close(0);
    expect(await stateOf(waiters.wait('too late', 10_000).outcome)).toBeNull();
  });

  it('is asked at once to come back when too many wait, until one of them has left', async () => {
    const { waiters } = replies();
    const all = Array.from({ length: WAITERS_MAX }, (_, index) =>
      waiters.wait(`id ${index}`, 10_000),
    );
    expect(await stateOf(waiters.wait('one too many', 10_000).outcome)).toBeNull();
    all[0]?.cancel();
    expect(await stateOf(waiters.wait('welcome', 10_000).outcome)).toBe('waiting');
    await waiters.close(0);
  });

  it('leaves no timer behind, however the wait ends', async () => {
    const { waiters, reply } = replies();
    const before = jest.getTimerCount();
    const [woken, cancelled, late] = [
      waiters.wait('woken', 800),
      waiters.wait('cancelled', 800),
      waiters.wait('late', 800),
    ];
    reply(outcomeOf('woken'));
    cancelled.cancel();
    await jest.advanceTimersByTimeAsync(800);
    await Promise.all([woken.outcome, cancelled.outcome, late.outcome]);
    expect(jest.getTimerCount()).toBe(before);
    await waiters.close(0);
  });
});

describe('a reply that was lost', () => {
  const store = ({ ending, createdAt, completedAt, ...rest }: Outcome) =>
    CommandOutcome.create({
      ...rest,
      ending: JSON.stringify(ending),
      createdAt: new Date(createdAt),
      completedAt: new Date(completedAt),
    });

  it('is made up for by the database, for those who have waited for more than a second', async () => {
    const { waiters } = replies();
    const [lost, pending] = [waiters.wait('lost', 30_000), waiters.wait('pending', 30_000)];
    await store(outcomeOf('lost'));
    await jest.advanceTimersByTimeAsync(1000);
    expect(await stateOf(lost.outcome)).toBe('waiting');
    await jest.advanceTimersByTimeAsync(500);
    expect(await lost.outcome).toEqual(outcomeOf('lost'));
    expect(await stateOf(pending.outcome)).toBe('waiting');
    await waiters.close(0);
  });

  it('is made up for also when the clock is set back meanwhile', async () => {
    const { waiters } = replies();
    const { outcome } = waiters.wait('set back', 30_000);
    await store(outcomeOf('set back'));
    jest.setSystemTime(Date.now() - 3_600_000);
    await jest.advanceTimersByTimeAsync(1500);
    expect(await stateOf(outcome)).toEqual(outcomeOf('set back'));
    await waiters.close(0);
  });

  it('is waited for on when the database is unavailable, and that is logged', async () => {
    const { waiters, reply, warned } = replies();
    const { outcome } = waiters.wait('patient', 30_000);
    jest
      .spyOn(CommandOutcome, 'findAll')
      .mockRejectedValueOnce(new Error('database is unavailable'));
    await jest.advanceTimersByTimeAsync(1500);
    expect(warned).toHaveLength(1);
    expect(warned[0]).toContain('database is unavailable');
    expect(await stateOf(outcome)).toBe('waiting');
    reply(outcomeOf('patient'));
    expect(await stateOf(outcome)).toEqual(outcomeOf('patient'));
    await waiters.close(0);
  });
});
