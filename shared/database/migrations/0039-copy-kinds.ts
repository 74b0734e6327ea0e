import type { QueryInterface } from 'sequelize';
import { addColumns, dialectOf } from './dialect';

/**
 * What kind of thing a copy is, which loan rules ask. Programs of the release before make books.
 */
export async function up(query: QueryInterface): Promise<void> {
  const { text } = dialectOf(query);
  await addColumns(query, 'book', { kind: `${text(64)} NOT NULL DEFAULT 'book'` });
}
