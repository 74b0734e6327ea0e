import type { Row, Statement } from './sql';

/** What transactions are made of. */

export interface TableShape {
  readonly name: string;
  /** The column that no two rows have in common. */
  readonly key: string;
  /** The column that the database fills with numbers, null when there is none; it may be `key`. */
  readonly number: string | null;
  readonly required: readonly string[];
  readonly defaults: Row;
}

export class Table {
  /** What is committed, by key. */
  readonly rows = new Map<unknown, Row>();
  readonly locks = new Map<unknown, Transaction>();
  private lastNumber = 0;

  constructor(readonly shape: TableShape) {}

  keyOf(row: Row): unknown {
    return row[this.shape.key];
  }

  /** Numbers that were given out and rolled back are not given out again. */
  nextNumber(): number {
    return (this.lastNumber += 1);
  }
}

export class Transaction {
  /** By table and key; null for a row that was removed. */
  readonly written = new Map<string, Map<unknown, Row | null>>();
  readonly locked: { readonly table: Table; readonly key: unknown }[] = [];
  /** The statements that it ran, with their values, for whoever looks on. */
  readonly ran: { readonly statement: Statement; readonly values: readonly unknown[] }[] = [];
  /** Called when its locks are free. */
  readonly waiting: (() => void)[] = [];

  /** Rows of a table that it wrote and did not remove. */
  rowsOf(table: string): Row[] {
    const written = this.written.get(table);
    return written ? [...written.values()].filter((row) => row !== null) : [];
  }

  write(table: Table, key: unknown, row: Row | null): void {
    const { name } = table.shape;
    let written = this.written.get(name);
    if (!written) this.written.set(name, (written = new Map<unknown, Row | null>()));
    written.set(key, row);
  }
}

/** An error as mysql2 makes it. */
export class DatabaseError extends Error {
  /** Set on what ends a connection. */
  readonly fatal?: true;

  constructor(readonly code: string) {
    super(code);
    if (code.startsWith('PROTOCOL_')) this.fatal = true;
  }
}

/** The statement has to wait for a row of another transaction. */
export class Blocked extends Error {
  constructor(readonly holder: Transaction) {
    super('a row is locked');
  }
}

/** As mysql2 returns them. */
export type StatementResult = Row[] | { readonly affectedRows: number };
