import type { QueryInterface } from 'sequelize';
import { addIndexes } from './dialect';

/** Adds the index that finds the idempotency key of a command. */
export async function up(query: QueryInterface): Promise<void> {
  await addIndexes(query, 'idempotency_key', { idempotency_key_command: 'command_id' });
}
