import { isStorageFault } from '../../shared/database/sqlite-errors';
import { BaseError, ConnectionAcquireTimeoutError, ConnectionError, TimeoutError } from 'sequelize';

/** A query was not tried, because the ones before it found no database. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/** Sequelize's errors when it gets no connection, or SQLite's lock. */
const UNAVAILABLE = [
  DatabaseUnavailable,
  ConnectionError,
  ConnectionAcquireTimeoutError,
  TimeoutError,
];
/** What MySQL's driver and the operating system call a connection that broke under a query. */
const BROKEN_CONNECTION = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'ER_SERVER_SHUTDOWN',
  'ER_CON_COUNT_ERROR',
  'PROTOCOL_CONNECTION_LOST',
]);
/** The number by which a proxy, such as ProxySQL, says that it has no server. */
const PROXY_ERROR = 9001;
/**
 * The names of MySQL and the number of MariaDB for a query that the server ended because it took
 * too long.
 */
const TOOK_TOO_LONG = new Set<unknown>(['ER_QUERY_TIMEOUT', 1969]);

/**
 * Names of MySQL's own faults: a full disk, a server that refuses writes, a missing table, column
 * or right. The next request may find it repaired, so clients are asked to try again.
 */
const FAULTS_OF_MYSQL = new Set([
  'ER_BAD_FIELD_ERROR',
  'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
  'ER_COLUMNACCESS_DENIED_ERROR',
  'ER_DISK_FULL',
  'ER_ERROR_ON_WRITE',
  'ER_GET_ERRNO',
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_NO_SUCH_TABLE',
  'ER_OPTION_PREVENTS_STATEMENT',
  'ER_READ_ONLY_MODE',
  'ER_RECORD_FILE_FULL',
  'ER_TABLEACCESS_DENIED_ERROR',
]);
/** SQLite's text for the same error, which has no number. */
const FAULT_OF_SQLITE = /^(SQLITE_ERROR: )?no such (table|column)/;

/**
 * mysql2's own error inside of Sequelize's. `fatal` is set on everything that ends a connection;
 * not all of it has a code.
 */
function driverError(error: unknown): {
  readonly code?: string;
  readonly errno?: number;
  readonly message?: string;
  readonly fatal?: boolean;
} {
  return error instanceof BaseError ? ((error as { original?: object }).original ?? {}) : {};
}

/** Returns whether a query failed because the database is unavailable or does not answer. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (UNAVAILABLE.some((kind) => error instanceof kind) || isStorageFault(error)) return true;
  const { code, fatal } = driverError(error);
  return fatal === true || BROKEN_CONNECTION.has(code ?? '');
}

/** Returns whether a query failed for a fault of a database that does answer. */
export function isDatabaseFault(error: unknown): boolean {
  const { code, errno, message = '' } = driverError(error);
  return FAULTS_OF_MYSQL.has(code ?? '') || errno === PROXY_ERROR || FAULT_OF_SQLITE.test(message);
}

export function tookTooLong(error: unknown): boolean {
  const { code, errno } = driverError(error);
  return TOOK_TOO_LONG.has(code) || TOOK_TOO_LONG.has(errno);
}
