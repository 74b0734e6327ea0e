import type { Sequelize } from 'sequelize-typescript';
import { atOnceOnMysql, mysqlTransactions } from './mysql-transaction';
import { atOnceOnSqlite, sqliteTransactions } from './sqlite-transaction';
import type { BatchTransactions, Statement, StatementResult } from './transaction';

/** The batch transactions of one worker, whose name is unique among those that run. */
export function batchTransactions(database: Sequelize, worker: string): BatchTransactions {
  return database.getDialect() === 'sqlite'
    ? sqliteTransactions(database)
    : mysqlTransactions(database, worker);
}

/**
 * Runs statements as a transaction of their own. On MySQL they travel with BEGIN and COMMIT in one
 * packet, so that a worker which is frozen or cut off meanwhile keeps nothing locked.
 */
export function atOnce(
  database: Sequelize,
  statements: readonly Statement[],
): Promise<StatementResult[]> {
  if (database.getDialect() !== 'sqlite') return atOnceOnMysql(database, statements);
  return atOnceOnSqlite(database, statements);
}
