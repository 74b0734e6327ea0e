import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { register } from 'prom-client';
import type { Sequelize } from 'sequelize-typescript';
import { Timelines } from '../../../../api/commands/timelines';
import type { Envelope, Outcome } from '../../../../shared/command';
import { CommandTimeline } from '../../../../shared/database/tables';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';

/** The timelines that an API stores. */

/** More than one statement carries, and as many as are ever kept. */
const MANY = 2500;
const GATHERED_MAX = 20_000;
/** All but those that say when to write. */
const NOT_FAKED = [
  ...(['Date', 'nextTick', 'performance', 'queueMicrotask'] as const),
  ...(['setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout'] as const),
];
const CREATED_AT = 1_700_000_000_000;

const dropped = async (): Promise<number> =>
  (await register.getSingleMetric('lendline_command_timelines_dropped_total')!.get()).values[0]
    ?.value ?? 0;

describe.each(DIALECTS)('the timelines of commands on %s', (dialect) => {
  let database: Sequelize;
  let now: number;
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
  });
  beforeEach(async () => {
    await CommandTimeline.destroy({ where: {} });
    now = CREATED_AT;
  });

  const timelines = () =>
    new Timelines(database, () => new Date(now), pino({ level: 'silent' }), 'api-1');
  const command = () =>
    ({ commandId: randomBytes(20).toString('hex'), createdAt: CREATED_AT }) as Envelope;
  const committed = (committedAt: number) => ({ committedAt }) as Outcome;

  it('are written many at a time, with what is known of each', async () => {
    const given = timelines();
    const [answered, promised, unconfirmed] = [command(), command(), command()];
    now += 3;
    const first = given.begin(answered, Promise.resolve());
    const second = given.begin(promised, Promise.resolve());
    const third = given.begin(unconfirmed, Promise.reject(new Error('the confirm is lost')));
    await new Promise(setImmediate);
    now += 10;
    given.end(first, committed(CREATED_AT + 9));
    given.end(second, null);
    given.end(third, committed(CREATED_AT - 1));
    for (let sent = 0; sent < MANY; sent += 1)
      given.end(given.begin(command(), Promise.resolve()), null);
    await given.close();
    const rows = new Map(
      (await CommandTimeline.findAll()).map((row) => [
        row.commandId,
        [row.confirmedMs, row.committedMs, row.answeredMs],
      ]),
    );
    expect(rows.size).toBe(MANY + 3);
    expect([answered, promised, unconfirmed].map(({ commandId }) => rows.get(commandId))).toEqual([
      [3, 9, 13],
      [3, null, null],
      [null, 0, 13],
    ]);
  });

  it('wait a second for a confirm that comes after the answer', async () => {
    jest.useFakeTimers({ doNotFake: NOT_FAKED });
    const given = timelines();
    let confirm: () => void = () => undefined;
    const confirmed = new Promise<void>((resolve) => {
      confirm = resolve;
    });
    given.end(given.begin(command(), confirmed), committed(CREATED_AT + 9));
    jest.advanceTimersByTime(1000);
    jest.useRealTimers();
    now += 20;
    confirm();
    await given.close();
    expect(await CommandTimeline.findAll()).toMatchObject([{ confirmedMs: 20, committedMs: 9 }]);
  });

  it('keep their first values', async () => {
    const envelope = command();
    for (const after of [5, 50]) {
      const given = timelines();
      now = CREATED_AT + after;
      given.end(given.begin(envelope, Promise.resolve()), committed(now));
      await given.close();
    }
    expect(await CommandTimeline.findAll()).toMatchObject([{ committedMs: 5, answeredMs: 5 }]);
  });

  it('are dropped and counted when there are too many, and when they cannot be written; later ones are written again', async () => {
    const before = await dropped();
    // First, for they are written once a second.
    await database.query('ALTER TABLE command_way RENAME TO command_way_away');
    const given = timelines();
    for (let sent = 0; sent < GATHERED_MAX + 7; sent += 1)
      given.end(given.begin(command(), Promise.resolve()), null);
    expect((await dropped()) - before).toBe(7);
    await given.close();
    expect((await dropped()) - before).toBe(GATHERED_MAX + 7);
    await database.query('ALTER TABLE command_way_away RENAME TO command_way');
    const later = timelines();
    later.end(later.begin(command(), Promise.resolve()), null);
    await later.close();
    expect(await CommandTimeline.count()).toBe(1);
  });
});
