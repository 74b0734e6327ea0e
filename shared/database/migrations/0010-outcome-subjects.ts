import type { QueryInterface } from 'sequelize';
import { dialectOf } from './dialect';

/**
 * Adds the subjects that caches must forget before an outcome is answered. Older outcomes need
 * none, because no view is kept for long.
 */
export async function up(query: QueryInterface): Promise<void> {
  if ('subjects' in (await query.describeTable('command_outcome'))) return;
  await query.sequelize.query(
    `ALTER TABLE command_outcome ADD COLUMN subjects ${dialectOf(query).ascii(500)} NULL`,
  );
}
