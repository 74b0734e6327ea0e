import { randomInt } from 'node:crypto';
import type { Sequelize } from 'sequelize-typescript';
import type { Envelope } from '../../../../shared/command';
import { Outbox } from '../../../../shared/database/tables';
import { BookUser } from '../../../../shared/lending/tables';
import { dueCommands } from '../../../../workers/jobs/due-commands';
import { lendingService } from '../../../../workers/lending/service';
import type { EventBody } from '../../../support/clients/event-tour';
import { eventsIn } from '../../../support/servers/outbox';
import { planOf, statementsOf } from '../../../support/servers/plans';
import { borrow, giveBack, renew } from '../../../support/models/lending/commands';
import { Rig } from './rig';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';
import { newTitle } from './rows';

/**
 * Thousands of loans that fall due on one day, while readers return and renew, and the clock's
 * commands come late, twice, and from one leader after the other.
 */

const COPIES = 60;
/** `REMINDED_LOANS` sets another number, such as 100,000. */
const LOANS = Number(process.env['REMINDED_LOANS'] ?? 2400);
const TITLES = Math.ceil(LOANS / COPIES);
/** How long setting up and reminding may take each, milliseconds. */
const TIMEOUT_MS = Math.max(240_000, LOANS * 100);
const DAY_MS = 24 * 3600 * 1000;
const RULES = { loanDays: 14, maxOpenBorrows: 0, holdPickupDays: 3, dueSoonDays: 2 };

describe.each(DIALECTS)('reminders on %s', (dialect) => {
  let database: Sequelize;
  let now = Date.parse('2024-03-01T12:00:00Z');
  let rig: Rig;
  const start = now;
  const loans: { borrowId: number; bookInfoId: number; userId: number }[] = [];

  beforeAll(async () => {
    database = await emptyDatabase(dialect);
    rig = new Rig({ database, now: () => new Date(now) });
    for (let title = 0; title < TITLES; title += 1) {
      const { bookInfoId } = await newTitle(rig, COPIES);
      const given = Array.from({ length: COPIES }, (_, reader) => borrow(1 + reader, bookInfoId));
      await rig.process(given);
      for (const one of given)
        loans.push({ ...rig.result(one), bookInfoId, userId: one.actor.userId as number } as never);
      // Each result is looked for among all that is kept.
      rig.calls.splice(0);
    }
    if (dialect === 'mysql') await database.query('ANALYZE TABLE book_user');
    await rig.end();
  }, TIMEOUT_MS);

  /** What a leader that has just begun sends in one run; it does not know what was sent before. */
  async function sentByNewLeader(): Promise<Envelope[]> {
    const sent: Envelope[] = [];
    const service = lendingService({ rules: RULES, usernameOf: String, lockRows: false });
    const job = dueCommands(
      [service],
      {
        forward(envelope) {
          sent.push(envelope);
          return Promise.resolve();
        },
      },
      () => new Date(now),
    );
    await job.run();
    return sent;
  }

  it('are found by an index, however many loans there are', async () => {
    now = start + 20 * DAY_MS;
    const statements = await statementsOf(database, sentByNewLeader);
    const scans = statements.filter((sql) => sql.includes('untold'));
    expect(scans).toHaveLength(3);
    for (const sql of scans) {
      expect(sql).toContain('LIMIT 500');
      const plan = (await planOf(database, sql)).join('\n');
      expect(plan).toContain('book_user_untold');
      expect(plan).not.toMatch(/filesort|TEMP B-TREE/);
    }
  });

  it(
    'come once for each loan and due date, and never after its return',
    async () => {
      const worker = new Rig({ database, now: () => new Date(now) });
      const late: Envelope[] = [];
      for (const days of [11, 12.5, 13.5, 14.5, 15, 27, 28.5, 29]) {
        now = start + days * DAY_MS;
        for (let sent = await sentByNewLeader(); sent.length > 0; sent = await sentByNewLeader()) {
          const acts = Array.from({ length: 120 }, () => {
            const { bookInfoId, borrowId, userId } = loans[randomInt(loans.length)] as never as {
              bookInfoId: number;
              borrowId: number;
              userId: number;
            };
            return randomInt(3) === 0
              ? renew(userId, bookInfoId, borrowId)
              : giveBack(userId, bookInfoId, { borrowId });
          });
          // Some come now, some twice, some only in a later batch.
          const twice = sent.filter(() => randomInt(10) === 0).map((one) => ({ ...one }));
          const batch = [...late.splice(0), ...sent, ...acts].sort(() => randomInt(3) - 1);
          late.push(...twice);
          await worker.process(batch);
        }
      }
      await worker.process(late);
      await expectReminders();
    },
    TIMEOUT_MS,
  );

  async function expectReminders(): Promise<void> {
    const events = eventsIn(await Outbox.findAll({ order: ['seq'], raw: true }));
    const told = new Map<number, EventBody[]>();
    for (const event of events) {
      const { borrowId } = event.data as { borrowId?: number };
      if (borrowId !== undefined) told.set(borrowId, [...(told.get(borrowId) ?? []), event]);
    }
    const rows = await BookUser.findAll({ raw: true });
    let reminders = 0;
    for (const { id, status } of rows) {
      const ofLoan = told.get(id) ?? [];
      const types = ofLoan.map(({ type }) => type.slice('lending.borrow.'.length));
      if (status === 'RETURNED') expect(types.at(-1)).toBe('returned');
      const named = ofLoan
        .filter(({ type }) => /due-soon|overdue$/.test(type))
        .map(({ type, data }) => `${type} ${String(data['dueAt'])}`);
      expect(new Set(named).size).toBe(named.length);
      reminders += named.length;
      // Of what was never touched both were told.
      if (status === 'BORROWED' && !types.includes('renewed'))
        expect(types).toEqual(['created', 'due-soon', 'overdue']);
    }
    expect(reminders).toBeGreaterThan(loans.length);
    expect(rows.filter(({ status }) => status === 'BORROWED').length).toBeGreaterThan(0);
    expect(rows.filter(({ status }) => status === 'RETURNED').length).toBeGreaterThan(0);
  }
});
