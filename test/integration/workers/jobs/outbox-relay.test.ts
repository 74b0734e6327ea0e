import type { Sequelize } from 'sequelize-typescript';
import { Outbox } from '../../../../shared/database/tables';
import { eventMessage } from '../../../../shared/messaging/event';
import type { EventMessage } from '../../../../shared/messaging/transport';
import { housekeeping } from '../../../../workers/jobs/housekeeping';
import { outboxRelay } from '../../../../workers/jobs/outbox-relay';
import { eventsIn } from '../../../support/servers/outbox';
import { planOf, statementsOf } from '../../../support/servers/plans';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';

const WEEK_MS = 7 * 24 * 3600 * 1000;
/** Most rows in one go of the relay. */
const AT_A_TIME = 20;

let events = 0;
/** A row as the batch transaction writes it, with so many events. */
function row(count = 1) {
  const lines = Array.from({ length: count }, () => {
    events += 1;
    const commandId = String(events).padStart(40, '0');
    return {
      eventId: `${commandId}.1`,
      type: 'lending.copies.added',
      occurredAt: '2026-01-02T03:04:05.678Z',
      aggregateId: 'book-info:1',
      commandId,
      data: { n: events },
    };
  });
  return {
    events: lines.map((line) => JSON.stringify(line)).join('\n'),
    occurredAt: new Date('2026-01-02T03:04:05.678Z'),
  };
}

/** A transport that writes down what it gets, and fails when it is told to. */
class RecordingLink {
  readonly published: EventMessage[] = [];
  before: () => Promise<void> | void = () => undefined;

  async publishEvents(messages: readonly EventMessage[]): Promise<void> {
    await this.before();
    this.published.push(...messages);
  }

  get ids(): string[] {
    return this.published.map(({ eventId }) => eventId);
  }
}

const idsOf = (rows: readonly { events: string }[]) => eventsIn(rows).map(({ eventId }) => eventId);
const pending = () => Outbox.count({ where: { relayedAt: null } });

describe.each(DIALECTS)('the relay of the outbox on %s', (dialect) => {
  let database: Sequelize;
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
  });

  const add = async (rows: readonly ReturnType<typeof row>[]) => {
    await Outbox.bulkCreate([...rows]);
    return idsOf(rows);
  };

  it('publishes what is pending in its order, and marks it', async () => {
    const link = new RecordingLink();
    const ids = await add([row(2), row(), row(3)]);
    expect(await outboxRelay(database, link, () => new Date()).run()).toBe(false);
    expect(link.ids).toEqual(ids);
    expect(await pending()).toBe(0);
    expect(await outboxRelay(database, link, () => new Date()).run()).toBe(false);
    expect(link.ids).toEqual(ids);
  });

  it('publishes each event of a row as a CloudEvent', async () => {
    const link = new RecordingLink();
    const given = row(2);
    await add([given]);
    await outboxRelay(database, link, () => new Date()).run();
    expect(link.published).toEqual(given.events.split('\n').map(eventMessage));
  });

  it('takes a bounded number at a time, and says that there is more', async () => {
    const link = new RecordingLink();
    const ids = await add(Array.from({ length: 2 * AT_A_TIME + 1 }, () => row()));
    const relay = outboxRelay(database, link, () => new Date());
    expect([await relay.run(), link.published.length]).toEqual([true, AT_A_TIME]);
    expect([await relay.run(), link.published.length]).toEqual([true, 2 * AT_A_TIME]);
    expect([await relay.run(), link.published.length]).toEqual([false, 2 * AT_A_TIME + 1]);
    expect(link.ids).toEqual(ids);
  });

  it('marks nothing before the transport has it, and publishes the same again after a failure', async () => {
    const link = new RecordingLink();
    const ids = await add([row(), row()]);
    let pendingWhilePublishing = 0;
    link.before = async () => {
      pendingWhilePublishing = await pending();
      throw new Error('the broker is unavailable');
    };
    await expect(outboxRelay(database, link, () => new Date()).run()).rejects.toThrow(
      'the broker is unavailable',
    );
    expect([pendingWhilePublishing, await pending()]).toEqual([2, 2]);
    link.before = () => undefined;
    const later = await add([row()]);
    await outboxRelay(database, link, () => new Date()).run();
    expect(link.ids).toEqual([...ids, ...later]);
  });

  it('that was frozen after it had looked does no harm when another one went on', async () => {
    const [frozen, other] = [new RecordingLink(), new RecordingLink()];
    const ids = await add([row(), row()]);
    let later: string[] = [];
    frozen.before = async () => {
      await outboxRelay(database, other, () => new Date()).run();
      later = await add([row()]);
    };
    await outboxRelay(database, frozen, () => new Date()).run();
    expect([other.ids, frozen.ids]).toEqual([ids, ids]);
    expect(await pending()).toBe(1);
    await outboxRelay(database, other, () => new Date()).run();
    expect(other.ids).toEqual([...ids, ...later]);
  });

  it('finds what is pending by an index, however much was relayed', async () => {
    const old = Array.from({ length: 20_000 }, () => ({ ...row(), relayedAt: new Date() }));
    for (let start = 0; start < old.length; start += 2000)
      await Outbox.bulkCreate(old.slice(start, start + 2000));
    await add([row()]);
    const statements = await statementsOf(database, () =>
      outboxRelay(database, new RecordingLink(), () => new Date()).run(),
    );
    if (dialect === 'mysql') await database.query('ANALYZE TABLE outbox');
    const plan = await planOf(
      database,
      statements.find((sql) => sql.startsWith('SELECT'))!,
    );
    if (dialect === 'sqlite')
      expect(plan).toEqual([
        expect.stringMatching(/^SEARCH .*USING INDEX outbox_pending \(relayed_at=\?\)$/),
      ]);
    else
      expect(plan).toEqual([
        expect.stringMatching(/: \w+ by outbox_pending, \d{1,2} rows; (?!.*filesort)/),
      ]);
  });

  it('leaves relayed events for a week, and those that are not relayed for as long as it takes', async () => {
    await Outbox.destroy({ where: {} });
    const longAgo = { occurredAt: new Date(Date.now() - 2 * WEEK_MS) };
    const [old, fresh, waiting] = [row(), row(), row()];
    await Outbox.bulkCreate([
      { ...old, ...longAgo, relayedAt: new Date(Date.now() - WEEK_MS - 60_000) },
      { ...fresh, ...longAgo, relayedAt: new Date(Date.now() - WEEK_MS + 60_000) },
      { ...waiting, ...longAgo },
    ]);
    expect(
      await housekeeping(() => new Date(), { eventDays: 7, auditDays: 365, noticeDays: 90 }).run(),
    ).toBe(false);
    expect(idsOf(await Outbox.findAll({ order: ['seq'] }))).toEqual(idsOf([fresh, waiting]));
  });
});

describe('the relay of the outbox on mysql', () => {
  it('relays an event whose transaction commits after that of a later number', async () => {
    const database = await emptyDatabase('mysql');
    const link = new RecordingLink();
    const [slow, fast] = [row(), row()];
    const transaction = await database.transaction();
    await Outbox.create(slow, { transaction });
    await Outbox.create(fast);
    await outboxRelay(database, link, () => new Date()).run();
    expect(link.ids).toEqual(idsOf([fast]));
    await transaction.commit();
    await outboxRelay(database, link, () => new Date()).run();
    expect(link.ids).toEqual(idsOf([fast, slow]));
    const stored = await Outbox.findAll({ order: ['seq'], raw: true });
    expect(idsOf(stored)).toEqual(idsOf([slow, fast]));
  });
});
