import type { Sequelize } from 'sequelize-typescript';
import type { AuditEntry } from '../../../../shared/audit/entry';
import { Audit } from '../../../../shared/audit/tables';
import { DeadLetter } from '../../../../shared/database/dead-letter-tables';
import {
  deleteDeadLetters,
  releaseDeadLetters,
  type DeadLetterAudit,
} from '../../../../shared/database/dead-letters';
import { OutgoingCommand } from '../../../../shared/database/tables';
import { emptyDatabase } from '../../../support/servers/database';
import { waitUntil } from '../../../support/wait';

/**
 * What operators do with dead letters while a worker carries out the first of them. The worker has
 * read the letters of the aggregate, so both transactions want what the other one has. MySQL ends
 * the one that changed less.
 */

const KEY = 'book-info:1';
const AT = new Date('2026-11-21T12:00:00.000Z');
const SEEN_MS = 30_000;

let database: Sequelize;
beforeAll(async () => {
  database = await emptyDatabase('mysql');
});

let letters: number[];
let logged: AuditEntry[];
beforeEach(async () => {
  logged = [];
  await DeadLetter.destroy({ where: {} });
  const rows = ['first', 'second'].map((commandId) => ({
    commandId,
    type: null,
    aggregateKey: KEY,
    partitionName: 'lending.1',
    content: commandId,
    reason: 'stock is undefined',
    deadAt: AT,
  }));
  await DeadLetter.bulkCreate(rows);
  letters = (await DeadLetter.findAll({ order: ['seq'] })).map(({ seq }) => seq);
});

const audit: DeadLetterAudit = {
  entryFor: (changed) => ({
    at: AT,
    actor: { userId: null, username: 'operator' },
    action: 'test',
    ...changed,
    address: null,
    requestId: null,
  }),
  log: (entry) => logged.push(entry),
};

/** Runs a change while a worker's transaction, which changes more, removes the first letter. */
async function besideWorker<Result>(change: () => Promise<Result>): Promise<Result> {
  let changed: Promise<Result> | undefined;
  await database.transaction(async (transaction) => {
    const run = (sql: string) => database.query(sql, { transaction });
    const others = Array.from({ length: 50 }, () => ({ envelope: 'of the worker' }));
    await OutgoingCommand.bulkCreate(others, { transaction });
    await run(
      `SELECT command_id, released FROM dead_letter WHERE aggregate_key = '${KEY}' LOCK IN SHARE MODE`,
    );
    changed = change();
    await waitUntil('the change waits for the worker', SEEN_MS, async () => {
      const [waiting] = await database.query(
        "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID() AND info LIKE 'SELECT%`dead_letter`%FOR UPDATE%'",
      );
      return waiting.length > 0;
    });
    await run(`DELETE FROM dead_letter WHERE seq = ${letters[0]!}`);
  });
  return changed!;
}

const left = { letters: [expect.any(Number)], commandIds: ['second'] };
const audited = async () =>
  (await Audit.findAll({ where: { action: 'test' }, raw: true })).map(({ details }): unknown =>
    JSON.parse(details),
  );

it('a replay that deadlocks with a worker releases what the worker has left, and is audited once', async () => {
  await besideWorker(() => releaseDeadLetters(database, letters, audit));
  const rows = await DeadLetter.findAll();
  expect(rows.map(({ seq, released }) => [seq, Boolean(released)])).toEqual([[letters[1], true]]);
  expect(await OutgoingCommand.count({ where: { envelope: ['first', 'second'] } })).toBe(1);
  expect(logged.map(({ facts }) => facts)).toEqual([left]);
  expect(await audited()).toEqual([left]);
});

it('a discard that deadlocks with a worker removes what the worker has left', async () => {
  expect(await besideWorker(() => deleteDeadLetters(database, letters, audit))).toBe(1);
  expect(await DeadLetter.count()).toBe(0);
  expect(logged.map(({ facts }) => facts)).toEqual([left]);
});
