import { KnownColumns } from './sqlite-columns';

/** Connections to SQLite files, and the queue of writers for each file. */

export type SqliteRow = Record<string, unknown>;

interface PreparedStatement {
  run(...values: unknown[]): { lastInsertRowid: number | bigint; changes: number | bigint };
  all(...values: unknown[]): SqliteRow[];
}

/** The connection of `node:sqlite`. */
export interface SqliteHandle {
  prepare(sql: string): PreparedStatement;
  exec(sql: string): void;
  close(): void;
  readonly isTransaction: boolean;
}

export type HandleClass = new (file: string, options?: { timeout?: number }) => SqliteHandle;

/** Connections kept for reuse; Sequelize opens one for each transaction. */
const IDLE_HANDLES_MAX = 4;
/** FULL: what was committed survives a power cut, not only the end of the process. */
const PRAGMAS = ['journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON'];

export function sqliteHandleClass(): HandleClass {
  // Required, not imported: which of the two exists depends on the version of Node.
  /* oxlint-disable typescript/no-require-imports */
  try {
    return (require('node:sqlite') as { DatabaseSync: HandleClass }).DatabaseSync;
  } catch {
    return (require('@photostructure/sqlite') as { DatabaseSync: HandleClass }).DatabaseSync;
  }
  /* oxlint-enable typescript/no-require-imports */
}

/** The turn to write to one file, first come, first served. */
export class WriterTurn {
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
export class Files {
  /** Why the last transaction failed to be stored; null when it was stored. */
  fault: string | null = null;
  private readonly idle = new Map<string, SqliteHandle[]>();
  private readonly turns = new Map<string, WriterTurn>();
  private readonly columns = new Map<string, KnownColumns>();

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

  columnsIn(file: string): KnownColumns {
    const columns = this.columns.get(file) ?? new KnownColumns();
    this.columns.set(file, columns);
    return columns;
  }

  closeIdle(): void {
    for (const handles of this.idle.values())
      for (const handle of handles.splice(0)) handle.close();
  }
}

/** Rolls back an open transaction. Returns false when even that failed. */
export function isRolledBack(handle: SqliteHandle): boolean {
  try {
    if (handle.isTransaction) handle.exec('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}

/** Closes a connection without throwing. SQLite then rolls back its open transaction. */
export function closeQuietly(handle: SqliteHandle): void {
  try {
    handle.close();
  } catch {
    // There is nothing left to close.
  }
}
