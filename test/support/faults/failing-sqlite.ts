import {
  sqliteHandleClass,
  type HandleClass,
  type SqliteHandle,
} from '../../../shared/database/sqlite-files';

/**
 * What fails: statements that match, with a text of SQLite's and, as on Node 20, without its
 * number.
 */
export interface SqliteFailure {
  readonly sql: RegExp;
  readonly text: string;
}

export interface FailingSqlite {
  readonly handles: HandleClass;
  /** From now on; null: nothing any more. */
  readonly fail: (failure: SqliteFailure | null) => void;
  /** All that were prepared. */
  readonly statements: () => readonly string[];
}

/** Connections to SQLite of which a test says when they fail. */
export function failingSqlite(): FailingSqlite {
  const Real = sqliteHandleClass();
  let failing: SqliteFailure | null = null;
  const statements: string[] = [];
  class Handle implements SqliteHandle {
    private readonly real: SqliteHandle;

    constructor(file: string, options?: { timeout?: number }) {
      this.real = new Real(file, options);
    }

    get isTransaction(): boolean {
      return this.real.isTransaction;
    }

    prepare(sql: string): ReturnType<SqliteHandle['prepare']> {
      statements.push(sql);
      if (failing?.sql.test(sql)) throw new Error(failing.text);
      return this.real.prepare(sql);
    }

    exec(sql: string): void {
      this.real.exec(sql);
    }

    close(): void {
      this.real.close();
    }
  }
  const fail = (failure: SqliteFailure | null) => (failing = failure);
  return { handles: Handle, fail, statements: () => statements };
}
