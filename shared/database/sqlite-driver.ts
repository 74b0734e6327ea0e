import { codedError, isStorageFault, sqliteError } from './sqlite-errors';

/**
 * The part of the `sqlite3` package that Sequelize 6 uses, over SQLite as Node brings it
 * (`node:sqlite`, from 22.13) or as `@photostructure/sqlite` does with the same interface on Node
 * 20. The `sqlite3` package itself is unmaintained and is compiled for minutes at install.
 *
 * SQLite has one writer. Both drivers are synchronous, so a transaction that waited inside the
 * driver for another one of the same process would wait for ever: `BEGIN IMMEDIATE` therefore
 * queues here, first come first served, and is passed on when the transaction before it has ended,
 * however it ended. A statement that writes by itself queues as well: it would else have to meet a
 * gap between transactions, of which there is none under load. A writer in another process shows as
 * SQLITE_BUSY and is retried without blocking the event loop.
 *
 * A full or failing disk may end a transaction by itself, in the middle of it. What is asked of
 * that transaction afterwards fails, for it would take effect at once and alone.
 */
type Row = Record<string, unknown>;

interface PreparedStatement {
  run(...values: unknown[]): { lastInsertRowid: number | bigint; changes: number | bigint };
  all(...values: unknown[]): Row[];
}

/** The connection of `node:sqlite`. */
export interface SqliteHandle {
  prepare(sql: string): PreparedStatement;
  exec(sql: string): void;
  close(): void;
  readonly isTransaction: boolean;
}

export type HandleClass = new (file: string, options?: { timeout?: number }) => SqliteHandle;
type Callback = (this: Statement, error: Error | null, rows?: Row[]) => void;

/** How long a statement waits for a writer in another process, milliseconds. */
const BUSY_WAIT_MS = 5000;
/** A statement that took longer, or waited for its turn, is long, milliseconds. */
const LONG_MS = 5;
/** Connections kept for reuse; Sequelize opens one for each transaction. */
const IDLE_HANDLES_MAX = 4;
/** FULL: what was committed survives a power cut, not only the end of the process. */
const PRAGMAS = ['journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON'];

export function sqliteHandleClass(): HandleClass {
  // Required and not imported: which of the two exists depends on the version of Node.
  /* eslint-disable @typescript-eslint/no-require-imports */
  try {
    return (require('node:sqlite') as { DatabaseSync: HandleClass }).DatabaseSync;
  } catch {
    return (require('@photostructure/sqlite') as { DatabaseSync: HandleClass }).DatabaseSync;
  }
  /* eslint-enable @typescript-eslint/no-require-imports */
}

/** Sequelize looks at the NAME of this class to find `lastID` and `changes`. */
class Statement {
  constructor(
    readonly lastID: number,
    readonly changes: number,
    readonly sql: string,
  ) {}
}

function bindable(value: unknown): unknown {
  if (value === undefined) return null;
  return typeof value === 'boolean' ? Number(value) : value;
}

function boundValues(params: unknown): unknown[] {
  if (Array.isArray(params)) return params.map(bindable);
  if (!params) return [];
  return [
    Object.fromEntries(
      Object.entries(params as Row).map(([name, value]) => [name, bindable(value)]),
    ),
  ];
}

/** One file's turn to write, handed on in the order of asking. */
class WriterTurn {
  private held = false;
  private readonly waiting: (() => void)[] = [];

  take(then: () => void): void {
    const start = () => {
      this.held = true;
      then();
    };
    if (this.held) this.waiting.push(start);
    else start();
  }

  pass(): void {
    this.held = false;
    this.waiting.shift()?.();
  }
}

/** The connections to SQLite files, kept for reuse, and the turns to write to them. */
class Files {
  /** Why the last transaction could not be stored; null when it was. */
  fault: string | null = null;
  private readonly idle = new Map<string, SqliteHandle[]>();
  private readonly turns = new Map<string, WriterTurn>();

  constructor(private readonly DatabaseSync: HandleClass) {}

  open(file: string): SqliteHandle {
    const reused = this.idle.get(file)?.pop();
    if (reused) return reused;
    const handle = new this.DatabaseSync(file, { timeout: 0 });
    for (const pragma of PRAGMAS) handle.exec(`PRAGMA ${pragma}`);
    return handle;
  }

  giveBack(file: string, handle: SqliteHandle): void {
    const kept = this.idle.get(file) ?? [];
    if (kept.length < IDLE_HANDLES_MAX) this.idle.set(file, [...kept, handle]);
    else handle.close();
  }

  turnOf(file: string): WriterTurn {
    const turn = this.turns.get(file) ?? new WriterTurn();
    this.turns.set(file, turn);
    return turn;
  }

  closeIdle(): void {
    for (const handles of this.idle.values())
      for (const handle of handles.splice(0)) handle.close();
  }
}

/** Ends what transaction is open, if one is; false when not even that could be done. */
function isRolledBack(handle: SqliteHandle): boolean {
  try {
    if (handle.isTransaction) handle.exec('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}

/** SQLite rolls back what is open on a connection that ends. */
function closeQuietly(handle: SqliteHandle): void {
  try {
    handle.close();
  } catch {
    // Then there is nothing left to close.
  }
}

interface Execution {
  readonly kind: 'run' | 'all';
  readonly sql: string;
  readonly values: readonly unknown[];
  readonly finish: (error: Error | null, rows?: Row[], statement?: Statement) => void;
}

/**
 * Runs a statement; while a writer of another process is in the way, again after a pause that grows
 * to 50 ms.
 */
function execute(handle: SqliteHandle, { kind, sql, values, finish }: Execution): void {
  const deadline = performance.now() + BUSY_WAIT_MS;
  const attempt = (tries: number): void => {
    try {
      const prepared = handle.prepare(sql);
      if (kind === 'all') {
        finish(null, prepared.all(...values));
      } else {
        const { lastInsertRowid, changes } = prepared.run(...values);
        finish(null, undefined, new Statement(Number(lastInsertRowid), Number(changes), sql));
      }
    } catch (caught) {
      const error = codedError(caught);
      if (error.code === 'SQLITE_BUSY' && performance.now() < deadline)
        setTimeout(attempt, Math.min(50, 2 ** tries), tries + 1);
      else finish(error);
    }
  };
  attempt(0);
}

/** Runs a statement that is a transaction of its own, when it is its turn. */
function writeAlone(
  turn: WriterTurn,
  handle: SqliteHandle,
  { finish, ...execution }: Execution,
): void {
  turn.take(() => {
    execute(handle, {
      ...execution,
      finish: (...result) => {
        finish(...result);
        turn.pass();
      },
    });
  });
}

/**
 * Goes on after a statement. After a long one connections have their turn first: many in a row
 * would keep them waiting as long as all take together.
 */
function goOn(begun: number, then: () => void): void {
  if (performance.now() - begun > LONG_MS) setImmediate(then);
  else queueMicrotask(then);
}

const BEGINS = /^BEGIN (IMMEDIATE|EXCLUSIVE)/i;
/** Outside of a transaction such a statement is one of its own. */
const WRITES = /^(?:INSERT|UPDATE|DELETE|REPLACE)\b/i;
const COMMITS = /^COMMIT/i;
/** Not `ROLLBACK TO`, which leaves the transaction open. */
const ROLLS_BACK = /^ROLLBACK;?$/i;

/** The `Database` class that Sequelize makes its connections of. */
function databaseClass(files: Files) {
  return class Database {
    private handle!: SqliteHandle;
    private writes = false;

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
      return this.execute('all', sql, params, callback);
    }

    /**
     * Sequelize does this at the end of each transaction, also after a COMMIT that left it open.
     */
    close(callback?: (error: Error | null) => void): void {
      if (isRolledBack(this.handle)) files.giveBack(this.filename, this.handle);
      else closeQuietly(this.handle);
      this.stopWriting();
      queueMicrotask(() => callback?.(null));
    }

    private execute(kind: 'run' | 'all', sql: string, params: unknown, callback?: Callback): this {
      const begun = performance.now();
      const [values, done] =
        typeof params === 'function' ? [[], params as Callback] : [boundValues(params), callback];
      const finish: Execution['finish'] = (error, rows, statement = new Statement(0, 0, sql)) => {
        this.remember(sql, error);
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

    /** A fault of the disk counts until a transaction was stored. */
    private remember(sql: string, error: Error | null): void {
      if (isStorageFault(error)) files.fault = error?.message ?? null;
      else if (!error && this.writes && COMMITS.test(sql)) files.fault = null;
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
 * its own writers' turns.
 * @param DatabaseSync the connections; those of this version of Node unless a test gives others.
 */
export function sqliteDriver(DatabaseSync: HandleClass = sqliteHandleClass()) {
  const files = new Files(DatabaseSync);
  return {
    Database: databaseClass(files),
    OPEN_READONLY: 1,
    OPEN_READWRITE: 2,
    OPEN_CREATE: 4,
    /** Why nothing can be stored at present; null when the last transaction was. */
    fault(): string | null {
      return files.fault;
    },
    /** Closes the connections kept for reuse, when the program ends. */
    closeIdle(): void {
      files.closeIdle();
    },
  };
}
