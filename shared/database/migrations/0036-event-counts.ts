import type { QueryInterface } from 'sequelize';
import { addColumns } from './dialect';

/**
 * Adds the number of events of each aggregate. Programs of the former release leave the counts
 * alone, and their events have no number.
 */
export async function up(query: QueryInterface): Promise<void> {
  for (const table of ['book_info', 'post', 'courses'])
    await addColumns(query, table, { event_count: 'BIGINT NOT NULL DEFAULT 0' });
}
