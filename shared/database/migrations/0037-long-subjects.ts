import type { QueryInterface } from 'sequelize';
import { addColumns, dialectOf } from './dialect';

/**
 * Adds room for the subjects of a command that changes the lists of many people. It is a second
 * column, because widening the old one would rebuild the table while writes wait.
 */
export async function up(query: QueryInterface): Promise<void> {
  await addColumns(query, 'command_outcome', {
    long_subjects: `${dialectOf(query).longText} NULL`,
  });
}
