import type { QueryInterface } from 'sequelize';
import { addColumns, dialectOf } from './dialect';

/**
 * Adds the kind of a copy, which loan rules use. Copies of the former release's programs are books.
 */
export async function up(query: QueryInterface): Promise<void> {
  const { text } = dialectOf(query);
  await addColumns(query, 'book', { kind: `${text(64)} NOT NULL DEFAULT 'book'` });
}
