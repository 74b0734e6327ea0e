import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type { Migration } from '../../shared/database/migrate';

/**
 * What migrations would do: each runs on the database as it is, with its reads carried out and its
 * writes only written down.
 */

export interface PlannedStatement {
  readonly sql: string;
  /** How many rows its table has now; null for a table that is not there. */
  readonly rows: number | null;
}

export interface PlannedMigration {
  readonly name: string;
  readonly statements: readonly PlannedStatement[];
  /** Why the rest is not known: it builds on what was not written. Null when all is. */
  readonly unknown: string | null;
}

/** Longest text of a statement that is shown, characters. */
const SHOWN_MAX = 100;
/** Most statements of one migration; one that goes on waits for what it has not written. */
const STATEMENTS_MAX = 500;
const READS = /^\s*(SELECT|SHOW|DESCRIBE|EXPLAIN|PRAGMA)\b/i;
const SETS = /^\s*(START|BEGIN|COMMIT|ROLLBACK|SET|DO)\b/i;
const TABLE =
  /^\s*(?:CREATE (?:UNIQUE )?INDEX \S+ ON|(?:CREATE|ALTER|DROP) TABLE(?: IF (?:NOT )?EXISTS)?|INSERT(?: OR)?(?: IGNORE)? INTO|UPDATE|DELETE FROM)\s+[`"]?(\w+)/i;

type Query = (sql: string | { readonly query: string }, ...rest: unknown[]) => Promise<unknown>;

export async function planOf(
  database: Sequelize,
  migrations: readonly Migration[],
): Promise<PlannedMigration[]> {
  const query = database.query.bind(database) as Query;
  const planned: PlannedMigration[] = [];
  for (const { name, up } of migrations) {
    const written = new Set<string>();
    let count = 0;
    const record: Query = (sql, ...rest) => {
      const text = typeof sql === 'string' ? sql : sql.query;
      if (READS.test(text)) return query(sql, ...rest);
      if (!SETS.test(text)) written.add(shownOf(text));
      count += 1;
      if (count > STATEMENTS_MAX) throw new Error('it repeats until all rows are done');
      return Promise.resolve([[], 0]);
    };
    database.query = record as Sequelize['query'];
    const unknown = await up(database.getQueryInterface())
      .then(() => null)
      .catch((error: unknown) => (error as Error).message)
      .finally(() => {
        database.query = query as Sequelize['query'];
      });
    const statements: PlannedStatement[] = [];
    for (const sql of written) statements.push({ sql, rows: await rowsOf(database, sql) });
    planned.push({ name, statements, unknown });
  }
  return planned;
}

function shownOf(sql: string): string {
  const line = sql.replace(/\s+/g, ' ').trim();
  return line.length > SHOWN_MAX ? `${line.slice(0, SHOWN_MAX - 1)}…` : line;
}

async function rowsOf(database: Sequelize, sql: string): Promise<number | null> {
  const table = TABLE.exec(sql)?.[1];
  if (table === undefined) return null;
  const counted = database.query<{ count: number }>(`SELECT COUNT(*) AS count FROM \`${table}\``, {
    type: QueryTypes.SELECT,
  });
  return counted.then(
    ([row]) => row?.count ?? 0,
    () => null,
  );
}

/** Returns the plan for people. */
export function planText(plan: readonly PlannedMigration[]): string {
  if (plan.length === 0) return 'Nothing to do: the schema is up to date.';
  return plan
    .flatMap(({ name, statements, unknown }) => [
      name,
      ...statements.map(
        ({ sql, rows }) => `  ${sql}${rows === null ? '' : `  [table of ${rows} rows]`}`,
      ),
      ...(unknown === null ? [] : [`  The rest is not known before the others ran: ${unknown}`]),
    ])
    .join('\n');
}
