import type { Sequelize } from 'sequelize-typescript';
import type { Transaction } from 'sequelize';

/**
 * The transaction of a batch, in two round trips: one that begins, fences and reads, one that writes and commits.
 *
 * On MySQL the statements of a round trip travel as one packet (`multipleStatements`); the server stops at the first
 * that fails, so a COMMIT behind a failed write is never reached. Every value is bound, and only this connection may
 * carry several statements. On SQLite, where a round trip costs nothing, they run one after the other.
 *
 * The connection comes from Sequelize's pool and is held from BEGIN to COMMIT: were it taken anew for the second round
 * trip, a connection lost in between would let the writes run outside of the transaction, unfenced.
 */

export interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

export type Row = Record<string, unknown>;

export interface StatementResult {
  /** Rows of a SELECT, else empty. */
  readonly rows: Row[];
  /** Rows that an INSERT, UPDATE or DELETE changed. */
  readonly affected: number;
}

export interface BatchTransaction {
  /** Runs statements inside the transaction. */
  run(statements: readonly Statement[]): Promise<StatementResult[]>;
  /** Runs the statements and commits. When it throws, whether it committed is unknown. */
  commit(statements: readonly Statement[]): Promise<void>;
  /** Ends the transaction without effect; never throws. */
  rollback(): Promise<void>;
}

/** Begins a transaction and runs the first statements in it. When it throws, nothing is left open. */
export type BeginBatch = (statements: readonly Statement[]) => Promise<{ transaction: BatchTransaction; results: StatementResult[] }>;

export function batchTransactions(database: Sequelize): BeginBatch {
  return database.getDialect() === 'sqlite' ? beginOnSqlite(database) : beginOnMysql(database);
}

interface MysqlConnection {
  query(options: { sql: string; values: readonly unknown[] }, done: (error: Error | null, result: unknown) => void): void;
}

interface ConnectionPool {
  getConnection(options: { type: 'write' }): Promise<MysqlConnection>;
  releaseConnection(connection: MysqlConnection): void;
  destroyConnection(connection: MysqlConnection): Promise<void>;
}

/** Sent together, answered together. A single statement's result comes bare and is wrapped. */
function sendPacket(connection: MysqlConnection, statements: readonly Statement[]): Promise<StatementResult[]> {
  return new Promise((resolve, reject) => {
    const sql = statements.map((statement) => statement.sql).join(';\n');
    const values = statements.flatMap((statement) => statement.values);
    connection.query({ sql, values }, (error, result) => {
      if (error) {
        reject(error);
        return;
      }
      const results = statements.length === 1 ? [result] : (result as unknown[]);
      resolve(results.map((one) => (Array.isArray(one) ? { rows: one as Row[], affected: 0 } : { rows: [], affected: (one as { affectedRows: number }).affectedRows })));
    });
  });
}

const BEGIN: Statement = { sql: 'START TRANSACTION', values: [] };
const COMMIT: Statement = { sql: 'COMMIT', values: [] };
const ROLLBACK: Statement = { sql: 'ROLLBACK', values: [] };

function beginOnMysql(database: Sequelize): BeginBatch {
  const pool = (database as unknown as { connectionManager: ConnectionPool }).connectionManager;
  return async (first) => {
    const connection = await pool.getConnection({ type: 'write' });
    const rollback = async () => {
      try {
        await sendPacket(connection, [ROLLBACK]);
        pool.releaseConnection(connection);
      } catch {
        // A connection in an unknown state must not serve anybody else; the server rolls back when it ends.
        await pool.destroyConnection(connection).catch(() => undefined);
      }
    };
    const transaction: BatchTransaction = {
      run: (statements) => sendPacket(connection, statements),
      commit: async (statements) => {
        await sendPacket(connection, [...statements, COMMIT]);
        pool.releaseConnection(connection);
      },
      rollback,
    };
    try {
      const [, ...results] = await sendPacket(connection, [BEGIN, ...first]);
      return { transaction, results };
    } catch (error) {
      await rollback();
      throw error;
    }
  };
}

interface SqliteConnection {
  run(sql: string, values: unknown[], done: (this: { changes: number }, error: Error | null) => void): void;
  all(sql: string, values: unknown[], done: (error: Error | null, rows?: Row[]) => void): void;
}

/** The text form in which Sequelize keeps instants in SQLite. */
function sqliteValue(value: unknown): unknown {
  return value instanceof Date ? value.toISOString().replace('T', ' ').replace('Z', ' +00:00') : value;
}

function runOnSqlite(connection: SqliteConnection, { sql, values }: Statement): Promise<StatementResult> {
  const bound = values.map(sqliteValue);
  return new Promise((resolve, reject) => {
    if (/^\s*SELECT/i.test(sql)) {
      connection.all(sql, bound, (error, rows) => {
        if (error) reject(error);
        else resolve({ rows: rows ?? [], affected: 0 });
      });
    } else {
      connection.run(sql, bound, function (error) {
        if (error) reject(error);
        else resolve({ rows: [], affected: this.changes });
      });
    }
  });
}

function beginOnSqlite(database: Sequelize): BeginBatch {
  return async (first) => {
    const held = await database.transaction();
    const { connection } = held as Transaction & { connection: SqliteConnection };
    const run = async (statements: readonly Statement[]) => {
      const results: StatementResult[] = [];
      for (const statement of statements) results.push(await runOnSqlite(connection, statement));
      return results;
    };
    const transaction: BatchTransaction = {
      run,
      commit: async (statements) => {
        await run(statements);
        await held.commit();
      },
      rollback: () => held.rollback().catch(() => undefined),
    };
    try {
      return { transaction, results: await run(first) };
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  };
}
