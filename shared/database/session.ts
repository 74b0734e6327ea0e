import type { Socket } from 'node:net';
import { ConnectionError } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';

/** Prepares new connections to MySQL, and ends those of a server that hangs. */

/** How long preparing a connection may take, milliseconds. Then the connection is closed. */
const SETTINGS_MS = 5000;
/**
 * How long a statement waits for a row lock, seconds. MySQL's default of 50 s outlasts every
 * client.
 */
const LOCK_WAIT_S = 5;
/**
 * How statements are read and values checked, whatever default the server or a proxy has. Values
 * are escaped with backslashes, so NO_BACKSLASH_ESCAPES would let a value end too early.
 */
export const SQL_MODE: readonly string[] = [
  'IGNORE_SPACE',
  'STRICT_TRANS_TABLES',
  'ERROR_FOR_DIVISION_BY_ZERO',
  'NO_ENGINE_SUBSTITUTION',
];
export const COLLATION = 'utf8mb4_general_ci';
/**
 * The flag in each of the server's answers that says that backslashes do not escape:
 * SERVER_STATUS_NO_BACKSLASH_ESCAPES.
 */
const NO_BACKSLASH_ESCAPES = 0x200;
/**
 * How much longer than the server's own limit a query may take, milliseconds. A server that takes
 * longer hangs.
 */
const GRACE_MS = 1000;
/** How many times within its limit the silence of a server is checked. */
const LOOKS = 10;

/** mysql2's connection, as Sequelize hands it to its hooks. */
interface Connection {
  readonly stream: Socket;
  /** The query that waits for its answer. */
  readonly _command?: object | null;
  promise(): {
    query(options: {
      readonly sql: string;
      readonly timeout: number;
    }): Promise<readonly [{ readonly serverStatus?: number }, unknown]>;
  };
}

/** Connections whose session has the settings that escaping relies on. */
const prepared = new WeakSet<object>();

/** Marks a connection as prepared. `prepareSession` does so by itself. */
export const trustSession = (connection: object): unknown => prepared.add(connection);

/** Returns whether a connection was prepared. */
export const isPrepared = (connection: object): boolean => prepared.has(connection);

/** Closes a connection that does not answer. Its query fails, and the pool drops it. */
function giveUp({ stream }: Connection, limitMs: number): void {
  stream.destroy(
    Object.assign(new Error(`MySQL did not answer within ${limitMs} ms`), { code: 'ETIMEDOUT' }),
  );
}

/**
 * Prepares a connection: UTC, READ COMMITTED, SQL mode, UTF-8, and a short wait for locks. With
 * `queryMs`, queries have a time limit, so that none outlives its client.
 * @throws ConnectionError when the settings cannot be made.
 */
export async function prepareSession(
  connection: unknown,
  { queryMs, answerMs }: { queryMs: number | undefined; answerMs: number | undefined },
): Promise<void> {
  const session = connection as Connection;
  if (answerMs !== undefined) endWhenSilent(session, answerMs);
  // MySQL reads the first comment and MariaDB the second.
  const limit =
    queryMs === undefined
      ? ''
      : `/*!80000 , max_execution_time = ${queryMs} */ /*M!100100 , max_statement_time = ${queryMs / 1000} */`;
  const settings = [
    `SET SESSION time_zone = '+00:00', sql_mode = '${SQL_MODE.join()}', innodb_lock_wait_timeout = ${LOCK_WAIT_S} ${limit}`,
    `SET NAMES utf8mb4 COLLATE ${COLLATION}`,
    'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
  ];
  try {
    for (const sql of settings) {
      const [{ serverStatus = 0 }] = await session.promise().query({ sql, timeout: SETTINGS_MS });
      if (serverStatus & NO_BACKSLASH_ESCAPES)
        throw new Error('MySQL, or a proxy before it, keeps NO_BACKSLASH_ESCAPES in sql_mode');
    }
    trustSession(session);
  } catch (error) {
    giveUp(session, SETTINGS_MS);
    throw new ConnectionError(error as Error);
  }
}

/**
 * Closes a connection whose server has been silent for `answerMs` milliseconds after it was asked
 * something. It counts the bytes of the socket. So it also covers what does not go through
 * Sequelize's queries, and works beneath TLS.
 */
function endWhenSilent(connection: Connection, answerMs: number): void {
  const { stream } = connection;
  let seen = { command: connection._command, heard: 0, at: 0 };
  const look = () => {
    const now = { command: connection._command, heard: stream.bytesRead, at: performance.now() };
    // An idle connection is silent as well.
    if (!now.command || now.command !== seen.command || now.heard !== seen.heard) seen = now;
    else if (now.at - seen.at >= answerMs) giveUp(connection, answerMs);
  };
  // After a process stood still, timers run before sockets are read, so the answer may be here
  // already.
  const timer = setInterval(() => setImmediate(look), answerMs / LOOKS).unref();
  stream.once('close', () => {
    clearInterval(timer);
  });
}

/**
 * Closes a connection when a query on it takes longer than `queryMs` milliseconds and `GRACE_MS`.
 */
export function limitQueries(database: Sequelize, queryMs: number): void {
  const timers = new WeakMap<object, NodeJS.Timeout>();
  database.addHook('beforeQuery', (_options, query) => {
    const { connection } = query as unknown as { connection: Connection };
    timers.set(query, setTimeout(giveUp, queryMs + GRACE_MS, connection, queryMs + GRACE_MS));
  });
  database.addHook('afterQuery', (_options, query) => {
    clearTimeout(timers.get(query));
  });
}
