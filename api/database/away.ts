import { isStorageFault } from '../../shared/database/sqlite-errors';
import { BaseError, ConnectionAcquireTimeoutError, ConnectionError, TimeoutError } from 'sequelize';

/** A query was not tried, because the ones before it found no database. */
export class DatabaseAway extends Error {
  override readonly name = 'DatabaseAway';
}

/** Sequelize's errors when it gets no connection, or SQLite's lock. */
const AWAY = [DatabaseAway, ConnectionError, ConnectionAcquireTimeoutError, TimeoutError];
/** What MySQL's driver and the operating system call a connection that broke under a query. */
const BROKEN_CONNECTION = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'ER_SERVER_SHUTDOWN', 'ER_CON_COUNT_ERROR', 'PROTOCOL_CONNECTION_LOST']);
/** The names of MySQL and the number of MariaDB for a query that the server ended because it took too long. */
const TOOK_TOO_LONG = new Set<unknown>(['ER_QUERY_TIMEOUT', 1969]);

/** mysql2's own error inside of Sequelize's. `fatal` is set on everything that ends a connection; not all of it has a code. */
function driverError(error: unknown): { readonly code?: string; readonly errno?: number; readonly fatal?: boolean } {
  return error instanceof BaseError ? ((error as { original?: object }).original ?? {}) : {};
}

/** Whether a query failed because the database cannot be reached or does not answer, and not for a reason of its own. */
export function isDatabaseAway(error: unknown): boolean {
  if (AWAY.some((kind) => error instanceof kind) || isStorageFault(error)) return true;
  const { code, fatal } = driverError(error);
  return fatal === true || BROKEN_CONNECTION.has(code ?? '');
}

export function tookTooLong(error: unknown): boolean {
  const { code, errno } = driverError(error);
  return TOOK_TOO_LONG.has(code) || TOOK_TOO_LONG.has(errno);
}
