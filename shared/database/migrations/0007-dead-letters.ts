import { QueryTypes, type QueryInterface } from 'sequelize';
import { createTable, dialectOf } from './dialect';

/** Creates the tables of dead letters, and of commands on their way to a queue. */
export async function up(query: QueryInterface): Promise<void> {
  await createDeadLetters(query);
  const { autoId, ascii, instant, longText } = dialectOf(query);
  await createTable(query, {
    name: 'suspect_command',
    columns: [
      `command_id ${ascii(40)} NOT NULL PRIMARY KEY`,
      'deaths INTEGER NOT NULL',
      `tried_at ${instant} NOT NULL`,
    ],
    index: { suspect_command_tried_at: 'tried_at' },
  });
  await createTable(query, {
    name: 'outgoing_command',
    columns: [`seq ${autoId}`, `envelope ${longText} NOT NULL`],
  });
  await countRedeliveries(query);
}

/**
 * Creates the table of dead letters. The embedded default had one of this name, without order and
 * aggregate, whose rows are kept.
 */
async function createDeadLetters(query: QueryInterface): Promise<void> {
  const { sqlite, autoId, ascii, instant, longText, text } = dialectOf(query);
  const has = async (table: string, column: string) =>
    sqlite && (await columnsOf(query, table)).includes(column);
  if ((await has('dead_letter', 'envelope')) && !(await has('dead_letter_0001', 'envelope'))) {
    await query.sequelize.query('ALTER TABLE dead_letter RENAME TO dead_letter_0001');
  }
  await createTable(query, {
    name: 'dead_letter',
    columns: [
      `seq ${autoId}`,
      `command_id ${ascii(40)} NOT NULL`,
      `type ${ascii(64)} NULL`,
      `aggregate_key ${text(600)} NULL`,
      `partition_name ${ascii(64)} NOT NULL`,
      `content ${longText} NOT NULL`,
      `reason ${text(1000)} NOT NULL`,
      'parked BOOLEAN NOT NULL DEFAULT 0',
      'released BOOLEAN NOT NULL DEFAULT 0',
      `dead_at ${instant} NOT NULL`,
    ],
    unique: { dead_letter_command_id: 'command_id' },
    index: { dead_letter_aggregate_key: 'aggregate_key, seq' },
  });
  if (!(await has('dead_letter_0001', 'envelope'))) return;
  const part = (path: string) =>
    `CASE WHEN json_valid(envelope) THEN json_extract(envelope, '$.${path}') END`;
  await query.sequelize.query(
    `INSERT OR IGNORE INTO dead_letter (command_id, type, aggregate_key, partition_name, content, reason, dead_at)
     SELECT command_id, ${part('type')}, ${part('key')}, partition_name, envelope, reason, dead_at FROM dead_letter_0001 ORDER BY dead_at`,
  );
  await query.sequelize.query('DROP TABLE dead_letter_0001');
}

async function countRedeliveries(query: QueryInterface): Promise<void> {
  if (
    !dialectOf(query).sqlite ||
    (await columnsOf(query, 'pending_command')).includes('redeliveries')
  )
    return;
  await query.sequelize.query(
    'ALTER TABLE pending_command ADD COLUMN redeliveries INTEGER NOT NULL DEFAULT 0',
  );
}

/** Returns the columns of a table of SQLite, and none when there is no such table. */
async function columnsOf(query: QueryInterface, table: string): Promise<string[]> {
  const rows = await query.sequelize.query<{ name: string }>(
    `SELECT name FROM pragma_table_info('${table}')`,
    { type: QueryTypes.SELECT },
  );
  return Array.from(rows, ({ name }) => name);
}
