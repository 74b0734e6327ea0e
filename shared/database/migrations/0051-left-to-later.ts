import type { QueryInterface } from 'sequelize';
import { addColumns, dialectOf } from './dialect';

/** Adds the partitions that a worker leaves to workers of a later release. */
export async function up(query: QueryInterface): Promise<void> {
  await addColumns(query, 'worker_heartbeat', {
    left_to_later: `${dialectOf(query).longText} NULL`,
  });
}
