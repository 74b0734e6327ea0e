import type { QueryInterface } from 'sequelize';
import { addColumns, dialectOf } from './dialect';

/** Adds the column in which a worker says why it cannot carry out commands. */
export async function up(query: QueryInterface): Promise<void> {
  await addColumns(query, 'worker_heartbeat', { fault: `${dialectOf(query).text(1000)} NULL` });
}
