import type { QueryInterface } from 'sequelize';
import { addColumns, createTable, dialectOf } from './dialect';

/**
 * Adds what ends tokens: the generation of an account's tokens, and the list of those that were
 * signed out.
 */
export async function up(query: QueryInterface): Promise<void> {
  const { instant, ascii } = dialectOf(query);
  await addColumns(query, 'user', { token_generation: 'INT NOT NULL DEFAULT 0' });
  await createTable(query, {
    name: 'ended_token',
    columns: [
      `id ${ascii(64)} NOT NULL PRIMARY KEY`,
      'user_id BIGINT NOT NULL',
      `expires_at ${instant} NOT NULL`,
    ],
    index: { ended_token_user: 'user_id', ended_token_expires: 'expires_at' },
  });
}
