import type { QueryInterface } from 'sequelize';
import { addColumns, addIndexes, dialectOf } from './dialect';

/** Adds what people and administrators change on accounts, and the pending password reset. */
export async function up(query: QueryInterface): Promise<void> {
  const { instant, text, ascii } = dialectOf(query);
  await addColumns(query, '`user`', {
    status: `${ascii(16)} NOT NULL DEFAULT 'active'`,
    category: `${text(64)} NOT NULL DEFAULT 'general'`,
    email: `${text(320)} NULL`,
    locale: `${ascii(8)} NOT NULL DEFAULT 'en'`,
    reset_id: `${ascii(64)} NULL`,
    reset_expires_at: `${instant} NULL`,
  });
  await addIndexes(query, '`user`', {
    user_username: 'username, id',
    user_created_at: 'created_at, id',
    user_administrators: 'is_admin, status',
  });
}
