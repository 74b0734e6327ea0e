import type { QueryInterface } from 'sequelize';
import { addColumns, addIndexes, createTable, dialectOf } from './dialect';

/**
 * Adds what the console reads: outcomes by user and by aggregate, the timeline of a command, and
 * the commands that workers hold.
 * A command's id begins with the time at which it was received, so an index that ends with the id
 * is in the order of time. In MySQL every index ends with the primary key. SQLite needs it named.
 */
export async function up(query: QueryInterface): Promise<void> {
  const { ascii, longText, text } = dialectOf(query);
  await addColumns(query, 'command_outcome', {
    aggregate_key: `${text(600)} NULL`,
    taken_ms: 'BIGINT NULL',
    decided_ms: 'BIGINT NULL',
  });
  await addIndexes(query, 'command_outcome', {
    command_outcome_owner: 'owner_id, command_id',
    command_outcome_aggregate: 'aggregate_key, command_id',
  });
  await addColumns(query, 'worker_heartbeat', { in_hand: `${longText} NULL` });
  await createTable(query, {
    name: 'command_way',
    columns: [
      `command_id ${ascii(40)} NOT NULL PRIMARY KEY`,
      'confirmed_ms BIGINT NULL',
      'committed_ms BIGINT NULL',
      'answered_ms BIGINT NULL',
    ],
    clustered: true,
  });
}
