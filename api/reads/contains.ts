import type { Sequelize } from 'sequelize-typescript';

/**
 * A condition that a column holds a text. `%` and `_` stand for themselves, and so does a
 * backslash, which is no escape character once another is named.
 */
export function contains(database: Sequelize, column: string, text: string): string {
  const pattern = `%${text.replace(/[!%_]/g, '!$&')}%`;
  return `${column} LIKE ${database.escape(pattern)} ESCAPE '!'`;
}
