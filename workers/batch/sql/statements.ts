import type { ModelStatic } from 'sequelize';
import type { Model } from 'sequelize-typescript';
import { groupBy } from '../group';
import type { Row, Statement } from './transaction';

/**
 * SQL for many rows at once, over the tables as the models declare them. The two dialects
 * understand the same text, apart from the one word in `insertIgnoring`.
 */

type AnyModel = ModelStatic<Model>;

/**
 * Most rows that one INSERT carries: below SQLite's limit of 32,766 bound values for any of our
 * tables.
 */
const ROWS_PER_STATEMENT = 1000;

export function placeholders(count: number): string {
  return Array.from({ length: count }, () => '?').join(', ');
}

function columnsOf(model: AnyModel, attributes: readonly string[]): string[] {
  const declared = model.getAttributes() as Record<string, { field?: string }>;
  return attributes.map((attribute) => declared[attribute]?.field ?? attribute);
}

function insertStatements(
  verb: string,
  model: AnyModel,
  rows: readonly object[],
  attributes: readonly string[] = Object.keys(rows[0] ?? {}),
): Statement[] {
  const columns = columnsOf(model, attributes).map((column) => `\`${column}\``);
  const tuple = `(${placeholders(columns.length)})`;
  const statements: Statement[] = [];
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    const part = rows.slice(start, start + ROWS_PER_STATEMENT);
    const values: unknown[] = [];
    // Not `flatMap`, which takes ten times as long: these are most of the values of a batch.
    for (const row of part)
      for (const attribute of attributes) values.push((row as Row)[attribute] ?? null);
    statements.push({
      sql: `${verb} INTO \`${model.tableName}\` (${columns.join(', ')}) VALUES ${part.map(() => tuple).join(', ')}`,
      values,
    });
  }
  return statements;
}

/**
 * Inserts these attributes of rows, or all that the first row has; a row that breaks a unique key
 * fails the whole statement.
 */
export function insert(
  model: AnyModel,
  rows: readonly object[],
  attributes?: readonly string[],
): Statement[] {
  return insertStatements('INSERT', model, rows, attributes);
}

/** Inserts the rows that are not there yet. */
export function insertIgnoring(model: AnyModel, rows: readonly object[]): Statement[] {
  return insertStatements(
    model.sequelize?.getDialect() === 'sqlite' ? 'INSERT OR IGNORE' : 'INSERT IGNORE',
    model,
    rows,
  );
}

/** Inserts rows, or adds their `amount` to that of the row that has their `key` already. */
export function insertAdding(
  model: AnyModel,
  key: readonly string[],
  amount: string,
  rows: readonly object[],
): Statement[] {
  const [column = ''] = columnsOf(model, [amount]);
  const sqlite = model.sequelize?.getDialect() === 'sqlite';
  const added = sqlite
    ? `ON CONFLICT (${columnsOf(model, key).join(', ')}) DO UPDATE SET ${column} = ${column} + excluded.${column}`
    : `ON DUPLICATE KEY UPDATE ${column} = ${column} + VALUES(${column})`;
  return insert(model, rows).map(({ sql, values }) => ({ sql: `${sql} ${added}`, values }));
}

/**
 * A condition that columns of the model's table hold one of so many tuples of values, given as SQL
 * names them. Both databases look each tuple up in an index; the same as a chain of ORs takes them
 * several times as long.
 */
export function tuplesIn(model: AnyModel, columns: readonly string[], count: number): string {
  const tuple = `(${placeholders(columns.length)})`;
  const list = Array.from({ length: count }, () => tuple).join(', ');
  return `(${columns.join(', ')}) IN (${model.sequelize?.getDialect() === 'sqlite' ? 'VALUES ' : ''}${list})`;
}

/**
 * Gives each row, found by its id, its own values of the same attributes. Rows that get the same
 * value are named together, because the database goes through what is named one by one for each
 * row.
 */
export function updateById(
  model: AnyModel,
  attributes: readonly string[],
  rows: readonly { readonly id: number }[],
): Statement[] {
  if (rows.length === 0) return [];
  const columns = columnsOf(model, attributes);
  const assigned = attributes.map((attribute, index) =>
    assignment(columns[index] as string, rows, (row) => (row as unknown as Row)[attribute] ?? null),
  );
  const sets = assigned.map(({ sql }) => sql).join(', ');
  return [
    {
      sql: `UPDATE \`${model.tableName}\` SET ${sets} WHERE id IN (${placeholders(rows.length)})`,
      values: [...assigned.flatMap(({ values }) => values), ...rows.map(({ id }) => id)],
    },
  ];
}

function assignment(
  column: string,
  rows: readonly { readonly id: number }[],
  valueOf: (row: { readonly id: number }) => unknown,
): Statement {
  const groups = [...groupBy(rows, (row) => sameness(valueOf(row))).values()].map((group) => ({
    ids: group.map(({ id }) => id),
    value: valueOf(group[0] as { id: number }),
  }));
  if (groups.length === 1) return { sql: `\`${column}\` = ?`, values: [groups[0]?.value] };
  const cases = groups
    .map(({ ids }) => `WHEN id IN (${placeholders(ids.length)}) THEN ?`)
    .join(' ');
  return {
    sql: `\`${column}\` = CASE ${cases} END`,
    values: groups.flatMap(({ ids, value }) => [...ids, value]),
  };
}

const sameness = (value: unknown): unknown => (value instanceof Date ? value.getTime() : value);

/** An instant as either driver returns it. */
export function instant(value: unknown): Date {
  return value instanceof Date ? value : new Date(value as string);
}

export const optionalInstant = (value: unknown): Date | null =>
  value === null ? null : instant(value);
