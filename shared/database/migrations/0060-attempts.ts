import type { QueryInterface } from 'sequelize';
import { addColumns, createTable, dialectOf } from './dialect';

/**
 * Adds how a command failed before it was replayed, and which programs carried it out and answered
 * it.
 */
export async function up(query: QueryInterface): Promise<void> {
  const { ascii, autoId, instant, text } = dialectOf(query);
  await createTable(query, {
    name: 'command_attempt',
    columns: [
      `seq ${autoId}`,
      `command_id ${ascii(40)} NOT NULL`,
      `failed_at ${instant} NOT NULL`,
      `reason ${text(1000)} NOT NULL`,
      'parked BOOLEAN NOT NULL',
    ],
    index: {
      command_attempt_command_id: 'command_id, seq',
      command_attempt_failed_at: 'failed_at',
    },
  });
  await addColumns(query, 'command_outcome', { worker: `${ascii(64)} NULL` });
  await addColumns(query, 'command_way', { api: `${ascii(64)} NULL` });
}
