import type { Socket } from 'node:net';
import { ConnectionError } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';

/**
 * What a new connection to MySQL is told, and how long it may be silent. A server that hangs must
 * not keep what it was given.
 */

/**
 * How long the settings of a new connection may take, milliseconds; then the connection is given
 * up.
 */
const SETTINGS_MS = 5000;
/**
 * How long a statement waits for a row lock, seconds; MySQL's own default of 50 s outlasts every
 * client.
 */
const LOCK_WAIT_S = 5;
/**
 * How statements are read and values checked, whatever the server or a proxy has by default. Values
 * are escaped with backslashes, so a mode in which those mean themselves would let a value end
 * where it should not.
 */
export const SQL_MODE: readonly string[] = [
  'IGNORE_SPACE',
  'STRICT_TRANS_TABLES',
  'ERROR_FOR_DIVISION_BY_ZERO',
  'NO_ENGINE_SUBSTITUTION',
];
export const COLLATION = 'utf8mb4_general_ci';
/**
 * The server's own word, in each of its answers, that backslashes mean themselves:
 * SERVER_STATUS_NO_BACKSLASH_ESCAPES.
 */
const NO_BACKSLASH_ESCAPES = 0x200;
/**
 * How much longer than the server's own limit a query is waited for, milliseconds: what is later
 * than this is a server that hangs.
 */
const GRACE_MS = 1000;
/** How often it is looked whether a server is silent, in the time that it may be. */
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

/** Connections whose session is as the escaping of values relies on. */
const prepared = new WeakSet<object>();

/**
 * Says that the session of a connection has the settings: what `prepareSession` does when it has
 * made them.
 */
export const trustSession = (connection: object): unknown => prepared.add(connection);

/** Whether the settings of a connection were made. */
export const isPrepared = (connection: object): boolean => prepared.has(connection);

/** Ends a connection that does not answer: its query fails, and the pool drops it. */
function giveUp({ stream }: Connection, limitMs: number): void {
  stream.destroy(
    Object.assign(new Error(`MySQL did not answer within ${limitMs} ms`), { code: 'ETIMEDOUT' }),
  );
}

/**
 * Prepares a connection: UTC, READ COMMITTED, SQL mode, UTF-8, and a short wait for locks. With
 * `queryMs`, queries have a time limit, so that none outlives the client that waited for it.
 * @throws ConnectionError when they cannot be made.
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
 * Gives a connection up whose server has been silent for `answerMs` milliseconds after it was asked
 * something. It looks at the bytes of the socket, so that it also holds for what does not go
 * through Sequelize's queries, and beneath TLS.
 */
function endWhenSilent(connection: Connection, answerMs: number): void {
  const { stream } = connection;
  let seen = { command: connection._command, heard: 0, at: 0 };
  const look = () => {
    const now = { command: connection._command, heard: stream.bytesRead, at: performance.now() };
    // A connection that nobody uses is silent as well.
    if (!now.command || now.command !== seen.command || now.heard !== seen.heard) seen = now;
    else if (now.at - seen.at >= answerMs) giveUp(connection, answerMs);
  };
  // After a process stood still, timers run before sockets are read: the answer may be here
  // already.
  const timer = setInterval(() => setImmediate(look), answerMs / LOOKS).unref();
  stream.once('close', () => {
    clearInterval(timer);
  });
}

/**
 * Gives a connection up when a query on it is not answered within `queryMs` milliseconds, and a
 * moment for the server's own limit.
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
