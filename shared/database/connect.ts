import { Transaction } from 'sequelize';
import { Sequelize } from 'sequelize-typescript';
import { auditTables } from '../audit/tables';
import { coursesTables } from '../courses/tables';
import { identityTables } from '../identity/tables';
import { lendingTables } from '../lending/tables';
import { noticeTables } from '../notices/tables';
import { searchTables } from '../search/tables';
import { webhookTables } from '../webhooks/tables';
import { postsTables } from '../posts/tables';
import { Primary, readFromPrimary } from './primary';
import { databaseIn, serversOf } from './servers';
import { limitQueries, prepareSession } from './session';
import { sqliteDriver } from './sqlite-driver';
import type { HandleClass } from './sqlite-files';
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
  ...searchTables,
  ...postsTables,
  ...coursesTables,
  ...noticeTables,
  ...webhookTables,
];

export interface DatabaseOptions {
  /**
   * `mysql://user:password@host:port,host:port/database`, of which the host that can be written to
   * is used, or the path of a SQLite file.
   */
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
  const servers = serversOf(url).map(reachedAt);
  const [{ host, port, user, password, ssl } = reachedAt(url)] = servers;
  const primary = servers.length > 1 ? new Primary(servers) : null;
  const database = new Sequelize({
    dialect: 'mysql',
    host,
    port,
    username: user,
    password,
    database: databaseIn(url),
    timezone: '+00:00',
    ...UTC_BY_SESSION,
    isolationLevel: Transaction.ISOLATION_LEVELS.READ_COMMITTED,
    logging: false,
    models: models ? TABLES : [],
    pool: { max: poolMax, min: 0, idle: 30_000, acquire: acquireMs },
    dialectOptions: {
      ...(ssl && { ssl }),
      connectTimeout: CONNECT_TIMEOUT_MS,
      enableKeepAlive: true,
      multipleStatements,
      charset: 'utf8mb4',
      // BIGINT columns hold ids below 2^53, which numbers carry exactly.
      supportBigNumbers: true,
      bigNumberStrings: false,
    },
    hooks: {
      ...(primary && {
        beforeConnect: async (config: object) => {
          Object.assign(config, await primary.address());
        },
      }),
      afterConnect: async (connection: unknown) => {
        await prepareSession(connection, { queryMs, answerMs });
        primary?.take(connection as Parameters<Primary['take']>[0]);
      },
    },
  });
  if (queryMs !== undefined) limitQueries(database, queryMs);
  if (primary) readFromPrimary(database, primary);
  return database;
}

/** How one server is reached. */
function reachedAt(url: string) {
  const parsed = new URL(url);
  return {
    host: parsed.hostname,
    port: Number(parsed.port || 3306),
    user: decodeURIComponent(parsed.username),
    password: decodeURIComponent(parsed.password),
    ...tlsOptions(parsed),
  };
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
