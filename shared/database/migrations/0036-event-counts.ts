import type { QueryInterface } from 'sequelize';
import { addColumns } from './dialect';

/**
 * How many events an aggregate has had. Programs of the release before leave the counts as they
 * are, and their events have no number.
 */
export async function up(query: QueryInterface): Promise<void> {
  for (const table of ['book_info', 'post', 'courses'])
    await addColumns(query, table, { event_count: 'BIGINT NOT NULL DEFAULT 0' });
}
