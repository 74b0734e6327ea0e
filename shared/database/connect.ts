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
/** How long a query waits for a free connection by default, milliseconds. Then it fails. */
const ACQUIRE_DEFAULT_MS = 10_000;

/**
 * Keeps Sequelize from setting the time zone in a round trip without a time limit. Its types lack
 * the option.
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
   * `mysql://user:password@host:port,host:port/database`, or the path of a SQLite file. Of several
   * hosts, the writable one is used.
   */
  readonly url: string;
  /** Most connections to MySQL. */
  readonly poolMax: number;
  /**
   * Lets one query carry several statements. Only the worker's batch needs this, and it binds every
   * value.
   */
  readonly multipleStatements?: boolean;
  /**
   * Whether the models use this connection. The last one opened with them wins. On unless false.
   */
  readonly models?: boolean;
  /** How long a query waits for a free connection, milliseconds. */
  readonly acquireMs?: number;
  /**
   * How long a query may take, milliseconds. Then the server ends it, or the connection of a server
   * that hangs is closed. Absent for no limit.
   */
  readonly queryMs?: number;
  /**
   * Longest silence of a server that was asked something, milliseconds. Then its connection counts
   * as lost. Absent for no limit.
   */
  readonly answerMs?: number;
}

/**
 * Connects to a database, and is the only place that makes a Sequelize. Instants are UTC, isolation
 * is READ COMMITTED, and MySQL sockets have no delay.
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

/** Returns the options for one server. */
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
 * Returns why a SQLite file cannot be written at present, for instance a full disk. Null when all
 * is well, and for MySQL.
 */
export function storageFault(database: Sequelize): string | null {
  return drivers.get(database)?.fault() ?? null;
}

interface ConnectionManager {
  releaseConnection(connection: object): void;
  destroyConnection(connection: object): Promise<void>;
}

/**
 * Connects to a SQLite file.
 * @param handles the connections of the driver; tests may pass others.
 */
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
  // After a failed COMMIT, Sequelize destroys the connection as if it were pooled. SQLite's are
  // not.
  connectionManager.destroyConnection = (connection) => {
    connectionManager.releaseConnection(connection);
    return Promise.resolve();
  };
  drivers.set(database, driver);
  return database;
}
