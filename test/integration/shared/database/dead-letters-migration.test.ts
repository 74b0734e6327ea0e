import { join } from 'node:path';
import { QueryTypes } from 'sequelize';
import { connectDatabase } from '../../../../shared/database/connect';
import { migrate } from '../../../../shared/database/migrate';
import { up as pipeline } from '../../../../shared/database/migrations/0001-pipeline';
import { up as deadLetters } from '../../../../shared/database/migrations/0007-dead-letters';
import { DeadLetter } from '../../../../shared/database/dead-letter-tables';
import { PendingCommand } from '../../../../shared/database/tables';
import { encodeEnvelope } from '../../../../shared/messaging/envelope';
import { onCleanUp, temporaryFolder } from '../../../support/run/cleanup';
import { borrow } from '../../../support/models/lending/commands';

/** The embedded default had dead letters and a command log before they were what they are. */

it('takes the letters and commands of an earlier version over, and can be run again wherever it stopped', async () => {
  const database = connectDatabase({
    url: join(await temporaryFolder('migration'), 'lendline.sqlite'),
    poolMax: 1,
  });
  onCleanUp(() => database.close());
  await pipeline(database.getQueryInterface());
  const given = [borrow(1, 7), borrow(2, 7)];
  const insert = (sql: string, replacements: string[]) => database.query(sql, { replacements });
  const letter = `INSERT INTO dead_letter (command_id, partition_name, envelope, reason, dead_at) VALUES (?, 'lending.commands.01', ?, 'TypeError: x', ?)`;
  // By the time at which they were dead-lettered, and not as they happen to lie.
  await insert(letter, [
    given[1]!.commandId,
    encodeEnvelope(given[1]!),
    '2024-01-02 00:00:00.000 +00:00',
  ]);
  await insert(letter, [
    given[0]!.commandId,
    encodeEnvelope(given[0]!),
    '2024-01-01 00:00:00.000 +00:00',
  ]);
  await insert(letter, ['unreadable-1', 'no { command', '2024-01-03 00:00:00.000 +00:00']);
  await insert(`INSERT INTO pending_command VALUES (1, 'lending.commands.01', ?)`, [
    encodeEnvelope(borrow(3, 7)),
  ]);
  // Died after it had renamed the table.
  await database.query('ALTER TABLE dead_letter RENAME TO dead_letter_0001');
  await deadLetters(database.getQueryInterface());
  await migrate(database);
  const letters = Array.from(await DeadLetter.findAll({ order: ['seq'] }));
  expect(
    letters.map(({ commandId, type, aggregateKey, content, released }) => [
      commandId,
      type,
      aggregateKey,
      content,
      Boolean(released),
    ]),
  ).toEqual([
    ...given.map((one) => [one.commandId, one.type, one.key, encodeEnvelope(one), false]),
    ['unreadable-1', null, null, 'no { command', false],
  ]);
  expect(letters[0]?.deadAt.toISOString()).toBe('2024-01-01T00:00:00.000Z');
  expect(
    (await PendingCommand.findAll({ raw: true })).map(({ seq, redeliveries }) => [
      seq,
      redeliveries,
    ]),
  ).toEqual([[1, 0]]);
  const tables = await database.query<{ name: string }>(
    `SELECT name FROM sqlite_master WHERE name LIKE 'dead_letter%' AND type = 'table'`,
    { type: QueryTypes.SELECT },
  );
  expect(Array.from(tables, ({ name }) => name)).toEqual(['dead_letter']);
});
