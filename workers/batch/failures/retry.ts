import { FencedOut } from '../ownership/fence';

/** What happens next when a batch fails. */
export type NextStep =
  /** A server is at fault, not a command: the same again after a pause, as long as it takes. */
  | 'retry'
  /**
   * Somebody else wrote a unique key first, or has the ids: load anew and decide again, then it is
   * a refusal or comes to a result.
   */
  | 'redo'
  /** Some of the partitions belong to another worker now. */
  | 'fenced'
  /** The batch is too much for one transaction: its halves, one after the other. */
  | 'split'
  /** A command is at fault: find out which one. */
  | 'isolate';

/**
 * What was thrown while commands were planned or decided. No server has a part in that, so a
 * command is at fault.
 */
class CommandFault extends Error {
  override readonly name = 'CommandFault';
}

/**
 * A decision took more ids than its commands asked for. For a new account that is because others
 * have all of these: decided again, it gets the next ones.
 */
export class IdsUsedUp extends Error {
  override readonly name = 'IdsUsedUp';
}

/**
 * What a batch has to read depends on rules that somebody has changed since it was planned. Planned
 * again, it goes by the new ones.
 */
export class PlanOutdated extends Error {
  override readonly name = 'PlanOutdated';
}

/**
 * Runs what depends on commands alone, not on a server.
 * @throws CommandFault for what it throws, which is the cause; IdsUsedUp and PlanOutdated as they
 * are.
 */
export function blamingCommands<Result>(compute: () => Result): Result {
  try {
    return compute();
  } catch (error) {
    throw error instanceof IdsUsedUp || error instanceof PlanOutdated
      ? error
      : new CommandFault('commands could not be decided', { cause: error });
  }
}

/** Why a command was dead-lettered, as operators read it. */
export function reasonOf(error: unknown): string {
  const why = error instanceof CommandFault ? error.cause : error;
  return why instanceof Error ? `${why.name}: ${why.message}` : String(why);
}

/** Pause before the n-th retry: 50 ms, doubled each time up to 2 s. */
export function retryPauseMs(tries: number): number {
  return Math.min(2000, 50 * 2 ** Math.min(tries, 10));
}

/**
 * How often a batch is decided again after a unique key was taken by someone else; then the
 * commands are isolated.
 */
export const REDO_MAX = 5;

/** How often a single command may fail for a reason of its own before it becomes a dead letter. */
export const POISON_TRIES_MAX = 3;

/**
 * Codes with which MySQL reports that a value broke a constraint. Any other error is a fault of the
 * system: a missing table, a denied right, a full disk, an unknown code of a proxy.
 */
const BROKEN_VALUE = new Set([
  'ER_BAD_NULL_ERROR',
  'ER_CHECK_CONSTRAINT_VIOLATED',
  'ER_DATA_OUT_OF_RANGE',
  'ER_DATA_TOO_LONG',
  'ER_INVALID_CHARACTER_STRING',
  'ER_INVALID_JSON_TEXT',
  'ER_NO_REFERENCED_ROW',
  'ER_NO_REFERENCED_ROW_2',
  'ER_ROW_IS_REFERENCED',
  'ER_ROW_IS_REFERENCED_2',
  'ER_TRUNCATED_WRONG_VALUE',
  'ER_TRUNCATED_WRONG_VALUE_FOR_FIELD',
  'ER_WARN_DATA_OUT_OF_RANGE',
  'WARN_DATA_TRUNCATED',
]);

/** The same of SQLite, where a code may say which constraint. */
const BROKEN_VALUE_OF_SQLITE = /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG)/;

/**
 * The number by which MariaDB says that a CHECK failed; mysql2 gives it the name of an error of
 * MySQL.
 */
const MARIADB_CONSTRAINT_FAILED = 4025;

const CONFLICT = new Set([
  'ER_DUP_ENTRY',
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
]);

interface DriverError {
  readonly code?: unknown;
  readonly errno?: unknown;
}

/** The driver's error: the error itself, or the one inside of a Sequelize error. */
function driverError(error: unknown): DriverError {
  const { code, original, parent, cause } = (error ?? {}) as {
    code?: unknown;
    original?: unknown;
    parent?: unknown;
    cause?: unknown;
  };
  const inner = original ?? parent ?? cause;
  return typeof code === 'string' || !inner ? (error ?? {}) : driverError(inner);
}

/**
 * What follows a failed batch. A command is at fault only on evidence against it; everything else
 * is retried.
 */
export function nextStep(error: unknown): NextStep {
  if (error instanceof FencedOut) return 'fenced';
  if (error instanceof IdsUsedUp) return 'redo';
  if (error instanceof CommandFault) return 'isolate';
  const { code, errno } = driverError(error);
  if (errno === MARIADB_CONSTRAINT_FAILED) return 'isolate';
  if (typeof code !== 'string') return 'retry';
  if (code === 'ER_NET_PACKET_TOO_LARGE') return 'split';
  if (CONFLICT.has(code)) return 'redo';
  return BROKEN_VALUE.has(code) || BROKEN_VALUE_OF_SQLITE.test(code) ? 'isolate' : 'retry';
}
