import { Transaction } from 'sequelize';
import { Sequelize } from 'sequelize-typescript';
import { coursesTables } from '../courses/tables';
import { User } from '../identity/tables';
import { lendingTables } from '../lending/tables';
import { postsTables } from '../posts/tables';
import { sqliteDriver } from './sqlite-driver';
import { pipelineTables } from './tables';

/** How long a connection attempt may take, milliseconds. */
const CONNECT_TIMEOUT_MS = 5000;
/** How long a query waits for a free connection, milliseconds; then it fails and the client gets a 503. */
const ACQUIRE_TIMEOUT_MS = 10_000;
/** How long a statement waits for a row lock, seconds; MySQL's own default of 50 s outlasts every client. */
const LOCK_WAIT_S = 5;

const TABLES = [...pipelineTables, User, ...lendingTables, ...postsTables, ...coursesTables];

export interface DatabaseOptions {
  /** `mysql://user:password@host:port/database` or the path of a SQLite file. */
  readonly url: string;
  /** Most connections to MySQL. */
  readonly poolMax: number;
  /** Lets one query carry several statements. Only the worker's batch needs it, and binds every value. */
  readonly multipleStatements?: boolean;
}

/** The only place that makes a Sequelize. Instants are UTC, isolation is READ COMMITTED, MySQL sockets have no delay. */
export function connectDatabase({ url, poolMax, multipleStatements = false }: DatabaseOptions): Sequelize {
  if (!url.startsWith('mysql://')) return connectSqlite(url);
  const { username, password, hostname, port, pathname } = new URL(url);
  return new Sequelize({
    dialect: 'mysql',
    host: hostname,
    port: Number(port || 3306),
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
    timezone: '+00:00',
    isolationLevel: Transaction.ISOLATION_LEVELS.READ_COMMITTED,
    logging: false,
    models: TABLES,
    pool: { max: poolMax, min: 0, idle: 30_000, acquire: ACQUIRE_TIMEOUT_MS },
    dialectOptions: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      enableKeepAlive: true,
      multipleStatements,
      charset: 'utf8mb4',
      // BIGINT columns hold ids below 2^53, which numbers carry exactly.
      supportBigNumbers: true,
      bigNumberStrings: false,
    },
    hooks: {
      afterConnect: async (connection: unknown) => {
        const session = (connection as { promise(): { query(sql: string): Promise<unknown> } }).promise();
        await session.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
        await session.query(`SET SESSION innodb_lock_wait_timeout = ${LOCK_WAIT_S}`);
      },
    },
  });
}

function connectSqlite(storage: string): Sequelize {
  const driver = sqliteDriver();
  return new Sequelize({
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
}
