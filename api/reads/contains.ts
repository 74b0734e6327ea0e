import type { Sequelize } from 'sequelize-typescript';

/**
 * Returns the condition that a column contains a text. `%`, `_` and backslashes stand for
 * themselves, because another escape character is set.
 */
export function contains(database: Sequelize, column: string, text: string): string {
  const pattern = `%${text.replace(/[!%_]/g, '!$&')}%`;
  return `${column} LIKE ${database.escape(pattern)} ESCAPE '!'`;
}
