import type { QueryInterface } from 'sequelize';
import { addColumns, dialectOf } from './dialect';

/**
 * Lets courses be closed, archived and deleted, and complete themselves. Programs of the former
 * release insert courses without these columns.
 */
export async function up(query: QueryInterface): Promise<void> {
  const { ascii, instant } = dialectOf(query);
  await addColumns(query, 'courses', {
    status: `${ascii(16)} NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'closed', 'archived'))`,
    completes_automatically: 'BOOLEAN NOT NULL DEFAULT 0',
    waiting_count: 'BIGINT NOT NULL DEFAULT 0 CHECK (waiting_count >= 0)',
    deleted_at: `${instant} NULL`,
  });
}
