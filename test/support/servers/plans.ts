import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';

/** How a database would carry a query out. */

type MysqlStep = Readonly<
  Record<'table' | 'type' | 'key' | 'rows' | 'Extra', string | number | null>
>;

/** Returns the steps of a plan, a line each. */
export async function planOf(database: Sequelize, sql: string): Promise<string[]> {
  if (database.getDialect() === 'sqlite') {
    const steps = await database.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, {
      type: QueryTypes.SELECT,
    });
    return Array.from(steps, ({ detail }) => detail);
  }
  // MySQL 9 draws a tree by itself.
  const steps = await database.query<MysqlStep>(`EXPLAIN FORMAT=TRADITIONAL ${sql}`, {
    type: QueryTypes.SELECT,
  });
  return steps.map(
    ({ table, type, key, rows, Extra }) =>
      `${table}: ${type} by ${key}, ${rows} rows; ${Extra ?? ''}`,
  );
}

/**
 * Returns what is wrong with a plan: tables that are read from end to end, or without an index. A
 * subquery, whose alias is a single letter, is scanned after the search that made its rows.
 */
export async function scans(database: Sequelize, sql: string): Promise<string[]> {
  const steps = await planOf(database, sql);
  if (database.getDialect() === 'sqlite')
    return steps.filter(
      (step) =>
        /^SCAN (?!s\d|[a-z]\b|\(|[0-9]|CONSTANT)/.test(step) ||
        (/^SEARCH/.test(step) && !/USING/.test(step)),
    );
  return steps.filter(
    (step) => !/^(null|<)/.test(step) && /: (ALL|index) by | by null,/.test(step),
  );
}

/** Returns the statements that `work` runs. */
export async function statementsOf(
  database: Sequelize,
  work: () => Promise<unknown>,
): Promise<string[]> {
  const statements: string[] = [];
  database.options.logging = (sql) =>
    statements.push(sql.replace(/^Executing \([^)]*\): /, '').replace(/;$/, ''));
  try {
    await work();
  } finally {
    database.options.logging = false;
  }
  return statements;
}
