import { Transaction } from 'sequelize';
import { Sequelize } from 'sequelize-typescript';
import { auditTables } from '../audit/tables';
import { coursesTables } from '../courses/tables';
import { identityTables } from '../identity/tables';
import { lendingTables } from '../lending/tables';
import { postsTables } from '../posts/tables';
import { limitQueries, prepareSession } from './session';
import { sqliteDriver, type HandleClass } from './sqlite-driver';
import { pipelineTables } from './tables';
import { tlsOptions } from './tls';

/** How long a connection attempt may take, milliseconds. */
const CONNECT_TIMEOUT_MS = 5000;
/**
 * How long a query waits for a free connection when nobody says otherwise, milliseconds; then it
 * fails.
 */
const ACQUIRE_DEFAULT_MS = 10_000;

/**
 * Keeps Sequelize from setting the time zone in a round trip of its own that nothing bounds; its
 * types do not know the option.
 */
const UTC_BY_SESSION = { keepDefaultTimezone: true };

const TABLES = [
  ...pipelineTables,
  ...auditTables,
  ...identityTables,
  ...lendingTables,
  ...postsTables,
  ...coursesTables,
];

export interface DatabaseOptions {
  /** `mysql://user:password@host:port/database` or the path of a SQLite file. */
  readonly url: string;
  /** Most connections to MySQL. */
  readonly poolMax: number;
  /**
   * Lets one query carry several statements. Only the worker's batch needs it, and binds every
   * value.
   */
  readonly multipleStatements?: boolean;
  /**
   * Whether the models are read and written through this connection: they belong to the last one
   * that was opened with them. On unless false.
   */
  readonly models?: boolean;
  /** How long a query waits for a free connection, milliseconds. */
  readonly acquireMs?: number;
  /**
   * How long a query may take, milliseconds; then the server ends it, or, when that hangs, its
   * connection is given up. No limit when absent.
   */
  readonly queryMs?: number;
  /**
   * Longest silence of a server that was asked something, milliseconds; the connection then counts
   * as lost. No limit when absent.
   */
  readonly answerMs?: number;
}

/**
 * The only place that makes a Sequelize. Instants are UTC, isolation is READ COMMITTED, MySQL
 * sockets have no delay.
 */
export function connectDatabase(options: DatabaseOptions): Sequelize {
  const {
    url,
    poolMax,
    multipleStatements = false,
    models = true,
    acquireMs = ACQUIRE_DEFAULT_MS,
    queryMs,
    answerMs,
  } = options;
  if (!url.startsWith('mysql://')) return connectSqlite(url);
  const parsed = new URL(url);
  const { username, password, hostname, port, pathname } = parsed;
  const database = new Sequelize({
    dialect: 'mysql',
    host: hostname,
    port: Number(port || 3306),
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
    timezone: '+00:00',
    ...UTC_BY_SESSION,
    isolationLevel: Transaction.ISOLATION_LEVELS.READ_COMMITTED,
    logging: false,
    models: models ? TABLES : [],
    pool: { max: poolMax, min: 0, idle: 30_000, acquire: acquireMs },
    dialectOptions: {
      ...tlsOptions(parsed),
      connectTimeout: CONNECT_TIMEOUT_MS,
      enableKeepAlive: true,
      multipleStatements,
      charset: 'utf8mb4',
      // BIGINT columns hold ids below 2^53, which numbers carry exactly.
      supportBigNumbers: true,
      bigNumberStrings: false,
    },
    hooks: {
      afterConnect: (connection: unknown) => prepareSession(connection, { queryMs, answerMs }),
    },
  });
  if (queryMs !== undefined) limitQueries(database, queryMs);
  return database;
}

/** The drivers of the SQLite files that are open. */
const drivers = new WeakMap<Sequelize, ReturnType<typeof sqliteDriver>>();

/**
 * Why nothing can be stored in a SQLite file at present: a full disk, for instance. Null when all
 * is well, and for MySQL.
 */
export function storageFault(database: Sequelize): string | null {
  return drivers.get(database)?.fault() ?? null;
}

interface ConnectionManager {
  releaseConnection(connection: object): void;
  destroyConnection(connection: object): Promise<void>;
}

/** @param handles the connections of the driver; a test may give others. */
export function connectSqlite(storage: string, handles?: HandleClass): Sequelize {
  const driver = sqliteDriver(handles);
  const database = new Sequelize({
    dialect: 'sqlite',
    storage,
    dialectModule: driver,
    transactionType: Transaction.TYPES.IMMEDIATE,
    logging: false,
    models: TABLES,
    hooks: {
      afterDisconnect: () => {
        driver.closeIdle();
      },
    },
  });
  const { connectionManager } = database as unknown as { connectionManager: ConnectionManager };
  // After a COMMIT that failed Sequelize destroys the connection, as one of a pool, which SQLite's
  // are not.
  connectionManager.destroyConnection = (connection) => {
    connectionManager.releaseConnection(connection);
    return Promise.resolve();
  };
  drivers.set(database, driver);
  return database;
}
