import { changesTables } from './sqlite-columns';
import { codedError, isStorageFault, sqliteError } from './sqlite-errors';
import {
  closeQuietly,
  Files,
  isRolledBack,
  sqliteHandleClass,
  type HandleClass,
  type SqliteHandle,
  type SqliteRow,
} from './sqlite-files';
import { boundValues, execute, Statement, writeAlone, type Execution } from './sqlite-statements';

/**
 * The part of the `sqlite3` package that Sequelize 6 uses, over `node:sqlite` (from 22.13) or
 * `@photostructure/sqlite`. The package itself is unmaintained, and compiles for minutes.
 * SQLite has one writer, and both drivers are synchronous. A transaction that waited in the driver
 * for another one of its process would wait for ever. `BEGIN IMMEDIATE` and single writes therefore
 * queue here. A writer of another process shows as SQLITE_BUSY, and is retried.
 * A failing disk may end a transaction. Later statements of that transaction fail, because each
 * would take effect at once and alone.
 */

type Callback = (this: Statement, error: Error | null, rows?: SqliteRow[]) => void;

/** A statement that took longer, or waited for its turn, counts as long, milliseconds. */
const LONG_MS = 5;

/**
 * Continues after a statement. After a long statement, connections get their turn first, so that a
 * long row of them does not delay the network.
 */
function goOn(begun: number, then: () => void): void {
  if (performance.now() - begun > LONG_MS) setImmediate(then);
  else queueMicrotask(then);
}

const BEGINS = /^BEGIN (IMMEDIATE|EXCLUSIVE)/i;
/** Outside of a transaction, such a statement is a transaction of its own. */
const WRITES = /^(?:INSERT|UPDATE|DELETE|REPLACE)\b/i;
const COMMITS = /^COMMIT/i;
/** Not `ROLLBACK TO`, which leaves the transaction open. */
const ROLLS_BACK = /^ROLLBACK;?$/i;

/** Makes the `Database` class that Sequelize creates connections with. */
function databaseClass(files: Files) {
  return class Database {
    private handle!: SqliteHandle;
    private writes = false;
    /** Whether the open transaction has changed a table. */
    private altersTables = false;

    constructor(
      readonly filename: string,
      _mode: number,
      callback?: (error: Error | null) => void,
    ) {
      let failure: Error | null = null;
      try {
        this.handle = files.open(filename);
      } catch (error) {
        failure = codedError(error);
      }
      queueMicrotask(() => callback?.(failure));
    }

    serialize(run: () => void): void {
      run();
    }

    run(sql: string, params?: unknown, callback?: Callback): this {
      return this.execute('run', sql, params, callback);
    }

    all(sql: string, params?: unknown, callback?: Callback): this {
      const known = this.altersTables ? undefined : files.columnsIn(this.filename).of(sql);
      if (!known) return this.execute('all', sql, params, callback);
      const done = typeof params === 'function' ? (params as Callback) : callback;
      queueMicrotask(() => done?.call(new Statement(0, 0, sql), null, known));
      return this;
    }

    /**
     * Sequelize calls this at the end of each transaction, also after a failed COMMIT that left it
     * open.
     */
    close(callback?: (error: Error | null) => void): void {
      if (isRolledBack(this.handle)) files.giveBack(this.filename, this.handle);
      else closeQuietly(this.handle);
      if (this.altersTables) this.forgetColumns();
      this.stopWriting();
      queueMicrotask(() => callback?.(null));
    }

    private execute(kind: 'run' | 'all', sql: string, params: unknown, callback?: Callback): this {
      const begun = performance.now();
      const [values, done] =
        typeof params === 'function' ? [[], params as Callback] : [boundValues(params), callback];
      const finish: Execution['finish'] = (error, rows, statement = new Statement(0, 0, sql)) => {
        this.remember(sql, error);
        this.rememberColumns(sql, rows);
        if ((COMMITS.test(sql) || ROLLS_BACK.test(sql)) && !this.handle.isTransaction)
          this.stopWriting();
        goOn(begun, () => done?.call(statement, error, rows));
      };
      if (BEGINS.test(sql)) {
        files.turnOf(this.filename).take(() => {
          this.writes = true;
          execute(this.handle, { kind, sql, values, finish });
        });
      } else if (this.writes && !this.handle.isTransaction) {
        finish(
          ROLLS_BACK.test(sql)
            ? null
            : sqliteError('SQLITE_ABORT', 'the transaction was rolled back before'),
        );
      } else if (WRITES.test(sql) && !this.handle.isTransaction) {
        writeAlone(files.turnOf(this.filename), this.handle, { kind, sql, values, finish });
      } else {
        execute(this.handle, { kind, sql, values, finish });
      }
      return this;
    }

    /** Remembers a fault of the disk until a transaction succeeds. */
    private remember(sql: string, error: Error | null): void {
      if (isStorageFault(error)) files.fault = error?.message ?? null;
      else if (!error && this.writes && COMMITS.test(sql)) files.fault = null;
    }

    private rememberColumns(sql: string, rows: SqliteRow[] | undefined): void {
      const columns = files.columnsIn(this.filename);
      if (changesTables(sql)) {
        columns.forget();
        this.altersTables = this.handle.isTransaction;
      } else if (this.altersTables) {
        if (!this.handle.isTransaction) this.forgetColumns();
      } else columns.learn(sql, rows);
    }

    private forgetColumns(): void {
      files.columnsIn(this.filename).forget();
      this.altersTables = false;
    }

    private stopWriting(): void {
      if (!this.writes) return;
      this.writes = false;
      files.turnOf(this.filename).pass();
    }
  };
}

/**
 * Makes the object that Sequelize takes as `dialectModule`. Each call has its own connections and
 * its own queue of writers.
 * @param DatabaseSync the connections; those of this version of Node unless a test passes others.
 */
export function sqliteDriver(DatabaseSync: HandleClass = sqliteHandleClass()) {
  const files = new Files(DatabaseSync);
  return {
    Database: databaseClass(files),
    OPEN_READONLY: 1,
    OPEN_READWRITE: 2,
    OPEN_CREATE: 4,
    /**
     * Returns why nothing can be stored at present, or null when the last transaction succeeded.
     */
    fault(): string | null {
      return files.fault;
    },
    /** Closes the connections kept for reuse, when the program ends. */
    closeIdle(): void {
      files.closeIdle();
    },
  };
}
