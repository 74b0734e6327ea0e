import type { Change, Environment, Expression, Row, Selection, Statement } from './sql';
import {
  Blocked,
  DatabaseError,
  Table,
  type StatementResult,
  type TableShape,
  type Transaction,
} from './transaction';

/**
 * Tables, rows, transactions and row locks, as InnoDB has them at READ COMMITTED.
 *
 * - A plain SELECT sees committed rows and those of its own transaction.
 * - A write, or a SELECT ... FOR UPDATE, locks its rows until the transaction ends.
 * - An UPDATE decides by the newest committed row, again after it had to wait.
 * - A statement does all or nothing.
 *
 * Left out: locks of gaps and ranges, shared locks, and checks of types apart from NOT NULL.
 */

type Where = Expression | null;

export class Storage {
  private readonly tables: ReadonlyMap<string, Table>;

  constructor(shapes: readonly TableShape[]) {
    this.tables = new Map(shapes.map((shape) => [shape.name, new Table(shape)]));
  }

  /** Puts a row there before anything begins. */
  put(name: string, row: Row): void {
    const table = this.table(name);
    table.rows.set(table.keyOf(row), row);
  }

  /** What is committed. */
  rows(name: string): Row[] {
    return [...this.table(name).rows.values()];
  }

  /** @throws Blocked, and nothing is changed: to be run again once that transaction has ended. */
  run(statement: Statement, transaction: Transaction, environment: Environment): StatementResult {
    switch (statement.kind) {
      case 'select':
        return this.select(statement, transaction, environment);
      case 'insert':
        return { affectedRows: this.insert(statement, transaction, environment) };
      case 'update': {
        const table = this.table(statement.table);
        const found = lockMatching(table, statement.where, transaction, environment);
        for (const row of found)
          transaction.write(table, table.keyOf(row), changed(row, statement.changes, environment));
        return { affectedRows: found.length };
      }
      case 'delete': {
        const table = this.table(statement.table);
        const found = lockMatching(table, statement.where, transaction, environment);
        for (const row of found) transaction.write(table, table.keyOf(row), null);
        return { affectedRows: found.length };
      }
      default:
        throw new Error(`${statement.kind} concerns no table`);
    }
  }

  commit(transaction: Transaction): void {
    for (const [name, written] of transaction.written) {
      const { rows } = this.table(name);
      for (const [key, row] of written) {
        if (row) rows.set(key, row);
        else rows.delete(key);
      }
    }
    this.rollback(transaction);
  }

  rollback(transaction: Transaction): void {
    transaction.written.clear();
    for (const { table, key } of transaction.locked.splice(0)) table.locks.delete(key);
    for (const goOn of transaction.waiting.splice(0)) goOn();
  }

  private select(
    { table: name, columns, where, distinctBy, orderBy, limit, locks }: Selection,
    transaction: Transaction,
    environment: Environment,
  ): Row[] {
    const project = (row: Row): Row => {
      const projected: Row = {};
      for (const column of columns) projected[column.name] = column.value(row, environment);
      return projected;
    };
    if (name === null) return [project({})];
    const table = this.table(name);
    let found = locks
      ? lockMatching(table, where, transaction, environment)
      : matching(table, where, transaction, environment);
    const [first] = columns;
    if (first?.counts) return [{ [first.name]: found.length }];
    if (distinctBy !== null)
      found = [...new Map(found.map((row) => [row[distinctBy], row])).values()];
    if (orderBy !== null)
      found.sort((a, b) => ((a[orderBy] as number) < (b[orderBy] as number) ? -1 : 1));
    return found.slice(0, limit).map(project);
  }

  /** What a SELECT finds, as values to insert. */
  private selectValues(
    from: Selection | null,
    transaction: Transaction,
    environment: Environment,
  ): Expression[][] {
    if (!from) return [];
    const found = this.select(from, transaction, environment);
    return found.map((row) =>
      from.columns.map(
        ({ name }) =>
          () =>
            row[name],
      ),
    );
  }

  private insert(
    { table: name, columns, rows, from, ignores, changes }: Statement & { kind: 'insert' },
    transaction: Transaction,
    environment: Environment,
  ): number {
    const table = this.table(name);
    const { key, number } = table.shape;
    const numbered = number === key;
    const selected = this.selectValues(from, transaction, environment);
    const given = [...rows, ...selected].map((values) =>
      newRow(table.shape, columns, values, environment),
    );
    if (!numbered) for (const row of given) lock(table, table.keyOf(row), transaction);
    const before = (row: Row) =>
      numbered ? undefined : visible(table, table.keyOf(row), transaction);
    if (!ignores && changes.length === 0) {
      const twice =
        !numbered &&
        given.length > 1 &&
        new Set(given.map((row) => table.keyOf(row))).size < given.length;
      if (twice || given.some(before)) throw new DatabaseError('ER_DUP_ENTRY');
    }
    let affected = 0;
    for (const row of given) {
      const there = before(row);
      if (there && changes.length === 0) continue;
      if (number !== null && !there) row[number] = table.nextNumber();
      transaction.write(
        table,
        table.keyOf(row),
        there ? changed(there, changes, environment) : row,
      );
      affected += 1;
    }
    return affected;
  }

  private table(name: string): Table {
    const table = this.tables.get(name);
    if (!table) throw new Error(`the simulated database has no table ${name}`);
    return table;
  }
}

function visible(table: Table, key: unknown, transaction: Transaction): Row | null | undefined {
  const own = transaction.written.get(table.shape.name)?.get(key);
  return own === undefined ? table.rows.get(key) : own;
}

function matching(
  table: Table,
  where: Where,
  transaction: Transaction,
  environment: Environment,
): Row[] {
  const found: Row[] = [];
  const own = transaction.written.get(table.shape.name);
  for (const [key, row] of table.rows)
    if (!own?.has(key) && (!where || where(row, environment))) found.push(row);
  if (own)
    for (const row of own.values()) if (row && (!where || where(row, environment))) found.push(row);
  return found;
}

/**
 * Locks the rows that match; those of others are waited for only when they match as they were
 * committed.
 */
function lockMatching(
  table: Table,
  where: Where,
  transaction: Transaction,
  environment: Environment,
): Row[] {
  const found = matching(table, where, transaction, environment);
  for (const row of found) lock(table, table.keyOf(row), transaction);
  return found;
}

function lock(table: Table, key: unknown, transaction: Transaction): void {
  const holder = table.locks.get(key);
  if (holder === transaction) return;
  if (holder) throw new Blocked(holder);
  table.locks.set(key, transaction);
  transaction.locked.push({ table, key });
}

function newRow(
  { defaults, required }: TableShape,
  columns: readonly string[],
  values: readonly Expression[],
  environment: Environment,
): Row {
  const row = { ...defaults };
  for (const [index, column] of columns.entries()) row[column] = values[index]?.(row, environment);
  if (required.some((column) => row[column] === null || row[column] === undefined))
    throw new DatabaseError('ER_BAD_NULL_ERROR');
  return row;
}

function changed(row: Row, changes: readonly Change[], environment: Environment): Row {
  const after = { ...row };
  for (const [column, value] of changes) after[column] = value(row, environment);
  return after;
}
