/** Names of SQLite's errors, by their number or, where the driver gives none, by their text. */

const CODES: Readonly<Record<number, string>> = {
  3: 'SQLITE_PERM',
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  7: 'SQLITE_NOMEM',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  15: 'SQLITE_PROTOCOL',
  26: 'SQLITE_NOTADB',
  275: 'SQLITE_CONSTRAINT_CHECK',
  517: 'SQLITE_BUSY_SNAPSHOT',
  787: 'SQLITE_CONSTRAINT_FOREIGNKEY',
  1299: 'SQLITE_CONSTRAINT_NOTNULL',
  1555: 'SQLITE_CONSTRAINT_PRIMARYKEY',
  2067: 'SQLITE_CONSTRAINT_UNIQUE',
};

/** How the texts begin, as in SQLite's own source (`sqlite3ErrStr`, and the constraints). */
const TEXTS: readonly (readonly [text: string, code: string])[] = [
  ['access permission denied', 'SQLITE_PERM'],
  ['database is locked', 'SQLITE_BUSY'],
  ['database table is locked', 'SQLITE_LOCKED'],
  ['database schema is locked', 'SQLITE_LOCKED'],
  ['out of memory', 'SQLITE_NOMEM'],
  ['attempt to write a readonly database', 'SQLITE_READONLY'],
  ['disk I/O error', 'SQLITE_IOERR'],
  ['database disk image is malformed', 'SQLITE_CORRUPT'],
  ['database or disk is full', 'SQLITE_FULL'],
  ['unable to open database file', 'SQLITE_CANTOPEN'],
  ['locking protocol', 'SQLITE_PROTOCOL'],
  ['file is not a database', 'SQLITE_NOTADB'],
  ['CHECK constraint failed', 'SQLITE_CONSTRAINT_CHECK'],
  ['FOREIGN KEY constraint failed', 'SQLITE_CONSTRAINT_FOREIGNKEY'],
  ['NOT NULL constraint failed', 'SQLITE_CONSTRAINT_NOTNULL'],
  ['UNIQUE constraint failed', 'SQLITE_CONSTRAINT_UNIQUE'],
];

/** The file cannot be read or written at all. */
const STORAGE_FAULTS: ReadonlySet<string> = new Set([
  'SQLITE_PERM',
  'SQLITE_NOMEM',
  'SQLITE_READONLY',
  'SQLITE_IOERR',
  'SQLITE_CORRUPT',
  'SQLITE_FULL',
  'SQLITE_CANTOPEN',
  'SQLITE_PROTOCOL',
  'SQLITE_NOTADB',
]);

export interface SqliteError extends Error {
  readonly code: string;
}

export function sqliteError(code: string, message: string, cause?: unknown): SqliteError {
  return Object.assign(new Error(`${code}: ${message}`, { cause }), { code });
}

/** Returns a driver's error with SQLite's code, or with SQLITE_ERROR when it is unknown. */
export function codedError(cause: unknown): SqliteError {
  const { errcode, message } = cause as { errcode?: number; message: string };
  // @photostructure/sqlite 1.2.1 throws from all() without a number.
  const code =
    errcode === undefined
      ? TEXTS.find(([text]) => message.startsWith(text))?.[1]
      : (CODES[errcode] ?? CODES[errcode & 0xff]);
  return sqliteError(code ?? 'SQLITE_ERROR', message, cause);
}

/** Returns whether the disk or the file is at fault, rather than the statement. */
export function isStorageFault(error: unknown): boolean {
  const { code, original } = (error ?? {}) as { code?: unknown; original?: unknown };
  return typeof code === 'string'
    ? STORAGE_FAULTS.has(code)
    : original !== undefined && isStorageFault(original);
}

/** Errors that SQLite reports before the end of a transaction has reached the disk. */
const NOT_COMMITTED = /^SQLITE_(FULL|READONLY|BUSY|LOCKED|ABORT|CONSTRAINT)/;

/**
 * Returns whether a failed COMMIT has certainly not happened. After any other error nobody can
 * tell: a failed flush may have written all of it, and a start after a power cut would find it.
 */
export function isCertainlyNotCommitted(error: unknown): boolean {
  const { code, original } = (error ?? {}) as { code?: unknown; original?: unknown };
  if (typeof code === 'string') return NOT_COMMITTED.test(code);
  return original !== undefined && isCertainlyNotCommitted(original);
}
