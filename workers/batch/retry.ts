import { AcceptanceUnknown, NotAccepted } from '../../shared/messaging/transport';
import { FencedOut } from './fence';

/** What happens next when a batch fails. */
export type NextStep =
  /** The servers are in the way, not the batch: the same again after a pause, as long as it takes. */
  | 'retry'
  /** Somebody else wrote a unique key first: load anew and decide again, then it is a refusal. */
  | 'redo'
  /** Some of the partitions belong to another worker now. */
  | 'fenced'
  /** Something in the batch is broken: find out which command. */
  | 'isolate';

/** Pause before the n-th retry: 50 ms, doubled each time up to 2 s. */
export function retryPauseMs(tries: number): number {
  return Math.min(2000, 50 * 2 ** Math.min(tries, 10));
}

/** How often a batch is decided again after a unique key was taken by someone else; then the commands are isolated. */
export const REDO_MAX = 5;

/** How often a single command may fail for a reason of its own before it becomes a dead letter. */
export const POISON_TRIES_MAX = 3;

/** Codes of MySQL, mysql2, Node and SQLite that say nothing about the commands in the batch. */
const TRANSIENT = new Set([
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_CHECKREAD',
  'ER_SERVER_SHUTDOWN',
  'ER_QUERY_INTERRUPTED',
  'ER_CON_COUNT_ERROR',
  'ER_TOO_MANY_USER_CONNECTIONS',
  'ER_OPTION_PREVENTS_STATEMENT',
  'ER_DISK_FULL',
  'ER_READ_ONLY_MODE',
  'ER_LOCK_TABLE_FULL',
  'ER_OUTOFMEMORY',
  'ER_OUT_OF_SORTMEMORY',
  'ER_OUT_OF_RESOURCES',
  'ER_TOO_MANY_CONCURRENT_TRXS',
  'ER_USER_LIMIT_REACHED',
  'ER_UNKNOWN_COM_ERROR',
  'ER_ERROR_DURING_COMMIT',
  'ER_TRANSACTION_ROLLBACK_DURING_COMMIT',
  'ER_TABLE_DEF_CHANGED',
  'ER_RECORD_FILE_FULL',
  'ER_SESSION_WAS_KILLED',
  'ER_CLIENT_INTERACTION_TIMEOUT',
  'ER_NORMAL_SHUTDOWN',
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
  'POOL_CLOSED',
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'SQLITE_BUSY',
  'SQLITE_BUSY_SNAPSHOT',
  'SQLITE_LOCKED',
  'SQLITE_IOERR',
  'SQLITE_FULL',
  'SQLITE_NOMEM',
  'SQLITE_READONLY',
  'SQLITE_CANTOPEN',
  'SQLITE_ABORT',
  'SQLITE_PERM',
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
  'SQLITE_PROTOCOL',
]);

const CONFLICT = new Set(['ER_DUP_ENTRY', 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY']);

/** Errors that Sequelize makes when it has no connection. */
const CONNECTION_ERROR = /^Sequelize.*(Connection|Acquire|HostNot|AccessDenied|Timeout)/;

/** The number by which MariaDB says that the connection was killed; mysql2 has no name for it. */
const MARIADB_CONNECTION_KILLED = 1927;

interface DriverError {
  readonly code?: unknown;
  readonly errno?: unknown;
  /** Set by mysql2 on everything that ends a connection; not all of it has a code. */
  readonly fatal?: unknown;
}

/** The driver's error: the error itself, or the one inside of a Sequelize error. */
function driverError(error: unknown): DriverError {
  const { code, original, parent, cause } = (error ?? {}) as { code?: unknown; original?: unknown; parent?: unknown; cause?: unknown };
  const inner = original ?? parent ?? cause;
  return typeof code === 'string' || !inner ? (error ?? {}) : driverError(inner);
}

export function nextStep(error: unknown): NextStep {
  if (error instanceof FencedOut) return 'fenced';
  // A forwarded command that the broker did not take; sending it twice is harmless.
  if (error instanceof NotAccepted || error instanceof AcceptanceUnknown) return 'retry';
  const { code, errno, fatal } = driverError(error);
  if (typeof code === 'string' && TRANSIENT.has(code)) return 'retry';
  if (typeof code === 'string' && CONFLICT.has(code)) return 'redo';
  if (fatal === true || errno === MARIADB_CONNECTION_KILLED) return 'retry';
  return error instanceof Error && CONNECTION_ERROR.test(error.name) ? 'retry' : 'isolate';
}
