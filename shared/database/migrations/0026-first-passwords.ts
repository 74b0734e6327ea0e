import type { QueryInterface } from 'sequelize';
import { addColumns } from './dialect';

/** Adds whether an account still has the password that was made for it. */
export async function up(query: QueryInterface): Promise<void> {
  await addColumns(query, '`user`', { must_change_password: 'BOOLEAN NOT NULL DEFAULT 0' });
}
