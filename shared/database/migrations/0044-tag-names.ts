import type { QueryInterface } from 'sequelize';
import { addColumns, createTable, dialectOf } from './dialect';

/**
 * Prepares tags for renaming and deleting: former names that lead to a tag, how many events a tag
 * had, and the names that posts may no longer display as their authors wrote them.
 */
export async function up(query: QueryInterface): Promise<void> {
  await addColumns(query, 'tag', {
    renamed: 'BOOLEAN NOT NULL DEFAULT 0',
    event_count: 'BIGINT NOT NULL DEFAULT 0',
  });
  await createTable(query, {
    name: 'tag_former_name',
    columns: [`folded ${dialectOf(query).text(150)} NOT NULL PRIMARY KEY`],
    clustered: true,
  });
}
