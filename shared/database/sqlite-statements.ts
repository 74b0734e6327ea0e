import { codedError } from './sqlite-errors';
import type { SqliteHandle, SqliteRow, WriterTurn } from './sqlite-files';

/** How long a statement waits for a writer in another process, milliseconds. */
const BUSY_WAIT_MS = 5000;

/** A statement. Sequelize finds `lastID` and `changes` by the NAME of this class. */
export class Statement {
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

/** Converts values of a statement to those that SQLite takes. */
export function boundValues(params: unknown): unknown[] {
  if (Array.isArray(params)) return params.map(bindable);
  if (!params) return [];
  return [
    Object.fromEntries(
      Object.entries(params as SqliteRow).map(([name, value]) => [name, bindable(value)]),
    ),
  ];
}

export interface Execution {
  readonly kind: 'run' | 'all';
  readonly sql: string;
  readonly values: readonly unknown[];
  readonly finish: (error: Error | null, rows?: SqliteRow[], statement?: Statement) => void;
}

/**
 * Runs a statement. While a writer of another process is in the way, it retries after pauses that
 * grow to 50 ms.
 */
export function execute(handle: SqliteHandle, { kind, sql, values, finish }: Execution): void {
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

/** Runs a statement that is a transaction of its own, in its turn. */
export function writeAlone(
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
