import type { QueryInterface } from 'sequelize';
import { addColumns, dialectOf } from './dialect';

/**
 * Adds what an administrator wants of workers and partitions. A worker of the former release leaves
 * its state null, and cannot be drained.
 */
export async function up(query: QueryInterface): Promise<void> {
  await addColumns(query, 'worker_heartbeat', { state: `${dialectOf(query).ascii(16)} NULL` });
  await addColumns(query, 'partition_layout', { resize_to: 'INTEGER NULL' });
}
