import { randomBytes } from 'node:crypto';
import type { Sequelize } from 'sequelize-typescript';
import { searchCommands, type CommandFilters } from '../../../../api/console/command-search';
import { readConsole } from '../../../../api/console/readings';
import { idTime } from '../../../../shared/command';
import { CommandOutcome, CommandTimeline } from '../../../../shared/database/tables';
import { housekeeping } from '../../../../workers/jobs/housekeeping';
import { planOf, statementsOf } from '../../../support/servers/plans';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';

/** The console's questions among many commands: each is answered by an index, in its order. */

const COMMANDS = 20_000;
const USERS = 50;
const DAY_MS = 24 * 3600 * 1000;

describe.each(DIALECTS)('the console on %s', (dialect) => {
  let database: Sequelize;
  const now = Date.now();
  const idAt = (at: number) => idTime(at) + randomBytes(14).toString('hex');

  beforeAll(async () => {
    database = await emptyDatabase(dialect);
    const rows = Array.from({ length: COMMANDS }, (_, index) => {
      const at = now - (COMMANDS - index) * 10;
      const [createdAt, completedAt] = [new Date(at), new Date(at + 5)];
      return {
        commandId: idAt(at),
        type: 'lending.borrow-book',
        ownerId: index % USERS,
        requestId: 'plan',
        ending: '{"status":"succeeded","created":false,"result":null}',
        createdAt,
        completedAt,
        aggregateKey: `book-info:${index % USERS}`,
        decidedMs: 6,
      };
    });
    for (let start = 0; start < rows.length; start += 2000)
      await CommandOutcome.bulkCreate(rows.slice(start, start + 2000));
    if (dialect === 'mysql') await database.query('ANALYZE TABLE command_outcome');
  }, 120_000);

  const before = `${idTime(now - 1000)}${'0'.repeat(28)}`;
  const SEARCHES: [string, Partial<CommandFilters>, RegExp][] = [
    ['all', {}, /PRIMARY|sqlite_autoindex_command_outcome_1/],
    ['those before one', { before }, /PRIMARY|sqlite_autoindex_command_outcome_1/],
    ['those of a user', { userId: 7 }, /command_outcome_owner/],
    ['those of a user before one', { userId: 7, before }, /command_outcome_owner/],
    ['those of an aggregate', { aggregate: 'book-info:7' }, /command_outcome_aggregate/],
    [
      'those of an aggregate before one',
      { aggregate: 'book-info:7', before },
      /command_outcome_aggregate/,
    ],
  ];

  it.each(SEARCHES)('finds %s by an index, and sorts nothing', async (_what, filters, index) => {
    const statements = await statementsOf(database, async () => {
      expect((await searchCommands({ ...filters, size: 20 })).items).toHaveLength(20);
    });
    const plan = (
      await planOf(
        database,
        statements.find((sql) => /FROM `command_outcome`/.test(sql))!,
      )
    ).join('\n');
    expect(plan).toMatch(index);
    expect(plan).not.toMatch(/filesort|TEMP B-TREE/);
  });

  it('finds those of the last second by an index', async () => {
    const statements = await statementsOf(database, async () => {
      expect((await readConsole(database, now - 1000, now)).ended).toHaveLength(100);
    });
    const plan = (
      await planOf(
        database,
        statements.find((sql) => sql.includes('completed_at'))!,
      )
    ).join('\n');
    expect(plan).toMatch(/command_outcome_completed_at/);
    expect(plan).not.toMatch(/filesort|TEMP B-TREE/);
  });

  it('keeps the timelines of commands as long as their outcomes, and no longer', async () => {
    const [old, fresh] = [idAt(now - DAY_MS - 2 * 3600 * 1000), idAt(now - DAY_MS)];
    await CommandTimeline.bulkCreate(
      [old, fresh].map((commandId) => ({
        commandId,
        confirmedMs: 1,
        committedMs: null,
        answeredMs: null,
      })),
    );
    await housekeeping(() => new Date(now), { eventDays: 7, auditDays: 365, noticeDays: 90 }).run();
    expect((await CommandTimeline.findAll()).map(({ commandId }) => commandId)).toEqual([fresh]);
  });
});
