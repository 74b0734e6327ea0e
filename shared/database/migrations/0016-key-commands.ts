import type { QueryInterface } from 'sequelize';
import { addIndexes } from './dialect';

/** Finds the idempotency key that leads to a command. */
export async function up(query: QueryInterface): Promise<void> {
  await addIndexes(query, 'idempotency_key', { idempotency_key_command: 'command_id' });
}
