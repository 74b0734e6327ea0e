import type { Sequelize } from 'sequelize-typescript';
import type { Transaction } from 'sequelize';
import { ask, BatchConnection, poolOf, type MysqlConnection } from './batch-connection';
import { quickValues } from './quick-values';

/**
 * Runs the transaction of a batch in two round trips: one begins, fences and reads, the other
 * writes and commits. The first round trip of the next batch may travel with the second of this
 * one, so MySQL goes on while the worker answers. Part of the writes may go ahead of the second
 * round trip.
 *
 * On MySQL the statements of a round trip are one packet (`multipleStatements`). The server stops
 * at the first that fails, so it never reaches a COMMIT behind a failed write. Every value is
 * bound, and only this connection may carry several statements. On SQLite they run one after the
 * other.
 *
 * On MySQL a worker has one connection for all its batches. With another one for the second round
 * trip, a connection lost in between would let the writes run outside the transaction, unfenced.
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
  /**
   * Sends statements ahead, so that the database runs them while those of the commit are prepared.
   * The commit waits until they have succeeded, and throws when they have not. Once in a
   * transaction; absent where a round trip costs nothing.
   */
  send?(statements: readonly Statement[]): void;
  /** Runs the statements and commits. When it throws, whether it committed is unknown. */
  commit(statements: readonly Statement[]): Promise<void>;
  /**
   * Commits, and begins the next transaction with its first statements behind it. `begin`, when it
   * is asked next and for these very statements, continues there; asked for others it rolls that
   * back first. Resolves, and throws, as `commit` does: what becomes of the next transaction is
   * told by `begin`. Absent where a round trip costs nothing.
   */
  commitAndBegin?(statements: readonly Statement[], next: readonly Statement[]): Promise<void>;
  /** Ends the transaction without effect; never throws. */
  rollback(): Promise<void>;
}

/**
 * Begins a transaction and runs the first statements in it. When it throws, nothing is left open.
 */
export type BeginBatch = (
  statements: readonly Statement[],
) => Promise<{ transaction: BatchTransaction; results: StatementResult[] }>;

export interface BatchTransactions {
  /** For one batch at a time. */
  readonly begin: BeginBatch;
  /**
   * Rolls back what was begun ahead and not asked for, so that nothing stays open, and locked,
   * while no batch follows. Never throws.
   */
  dropAhead(): Promise<void>;
  /** Gives up the connection that the batches ran on. */
  close(): Promise<void>;
}

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
  return database.transaction((held) => runAllOnSqlite(held, statements));
}

/** When a packet is sent, and what is told of it before it is answered as a whole. */
interface Sending {
  /** The packet is made ready at once and sent when this is fulfilled; when it rejects, never. */
  readonly after?: Promise<unknown> | undefined;
  /** Called after each statement that is no SELECT as soon as it has succeeded. */
  readonly written?: () => void;
}

/** Sent together, answered together. A single statement's result comes bare and is wrapped. */
async function sendPacket(
  connection: MysqlConnection,
  statements: readonly Statement[],
  { after, written }: Sending = {},
): Promise<StatementResult[]> {
  const sql = statements.map((statement) => statement.sql).join(';\n');
  // Thousands of values: `flatMap` takes twenty times as long to put them together.
  const values = quickValues(
    connection,
    ([] as unknown[]).concat(...statements.map((statement) => statement.values)),
  );
  const result = after
    ? await askAfter(after, connection, connection.format(sql, values), written)
    : await ask(connection, sql, values, written);
  const results = statements.length === 1 ? [result] : (result as unknown[]);
  return results.map((one) =>
    Array.isArray(one)
      ? { rows: one as Row[], affected: 0 }
      : { rows: [], affected: (one as { affectedRows: number }).affectedRows },
  );
}

/** Sends a query once something else has succeeded. */
async function askAfter(
  after: Promise<unknown>,
  connection: MysqlConnection,
  sql: string,
  written?: () => void,
): Promise<unknown> {
  await after;
  return ask(connection, sql, null, written);
}

const BEGIN: Statement = { sql: 'START TRANSACTION', values: [] };
const COMMIT: Statement = { sql: 'COMMIT', values: [] };
const ROLLBACK: Statement = { sql: 'ROLLBACK', values: [] };

/** A transaction that was begun behind the COMMIT of the one before it. */
interface Ahead {
  readonly first: readonly Statement[];
  readonly transaction: BatchTransaction;
  /** Rejects when it could not be begun; then nothing is left open. */
  readonly results: Promise<StatementResult[]>;
}

function mysqlTransactions(database: Sequelize, worker: string): BatchTransactions {
  const own = new BatchConnection(database, worker);
  let ahead: Ahead | null = null;

  const transactionOn = (connection: MysqlConnection): BatchTransaction => {
    let after: Promise<unknown> | undefined;
    const transaction: BatchTransaction = {
      run: (statements) => sendPacket(connection, statements),
      send: (statements) => {
        after = sendPacket(connection, statements);
        after.catch(() => undefined);
      },
      commit: async (statements) => {
        await sendPacket(connection, [...statements, COMMIT], { after });
        own.giveBack();
      },
      commitAndBegin: (statements, next) =>
        new Promise((resolve, reject) => {
          let missing = statements.length + 1;
          const written = () => {
            missing -= 1;
            if (missing !== 0) return;
            ahead = { first: next, transaction, results };
            resolve();
          };
          const results = sendPacket(connection, [...statements, COMMIT, BEGIN, ...next], {
            after,
            written,
          }).then(
            (all) => all.slice(statements.length + 2),
            async (error: unknown) => {
              if (missing <= 0) await transaction.rollback();
              throw error;
            },
          );
          // Before COMMIT it is this transaction that failed; later `begin` tells.
          results.catch(reject);
        }),
      rollback: async () => {
        try {
          await sendPacket(connection, [ROLLBACK]);
          own.giveBack();
        } catch {
          await own.drop();
        }
      },
    };
    return transaction;
  };

  const dropAhead = async (): Promise<void> => {
    const sent = ahead;
    ahead = null;
    // One that failed has left nothing open.
    await sent?.results.then(
      () => sent.transaction.rollback(),
      () => undefined,
    );
  };

  const begin: BeginBatch = async (first) => {
    const sent = ahead;
    if (sent?.first === first) {
      ahead = null;
      return { transaction: sent.transaction, results: await sent.results };
    }
    await dropAhead();
    const connection = await own.take();
    const transaction = transactionOn(connection);
    try {
      const [, ...results] = await sendPacket(connection, [BEGIN, ...first]);
      return { transaction, results };
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  };
  return { begin, dropAhead, close: () => own.drop() };
}

async function atOnceOnMysql(
  database: Sequelize,
  statements: readonly Statement[],
): Promise<StatementResult[]> {
  const pool = poolOf(database);
  const connection = await pool.getConnection({ type: 'write' });
  try {
    const [, ...results] = await sendPacket(connection, [BEGIN, ...statements, COMMIT]);
    pool.releaseConnection(connection);
    return results.slice(0, -1);
  } catch (error) {
    // A connection in an unknown state must not serve anybody else; the server rolls back when it
    // ends.
    await pool.destroyConnection(connection).catch(() => undefined);
    throw error;
  }
}

interface SqliteConnection {
  run(
    sql: string,
    values: unknown[],
    done: (this: { changes: number }, error: Error | null) => void,
  ): void;
  all(sql: string, values: unknown[], done: (error: Error | null, rows?: Row[]) => void): void;
}

/** The text form in which Sequelize keeps instants in SQLite. */
function sqliteValue(value: unknown): unknown {
  return value instanceof Date
    ? value.toISOString().replace('T', ' ').replace('Z', ' +00:00')
    : value;
}

function runOnSqlite(
  connection: SqliteConnection,
  { sql, values }: Statement,
): Promise<StatementResult> {
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

async function runAllOnSqlite(
  held: Transaction,
  statements: readonly Statement[],
): Promise<StatementResult[]> {
  const { connection } = held as Transaction & { connection: SqliteConnection };
  const results: StatementResult[] = [];
  for (const statement of statements) results.push(await runOnSqlite(connection, statement));
  return results;
}

function sqliteTransactions(database: Sequelize): BatchTransactions {
  const begin: BeginBatch = async (first) => {
    const held = await database.transaction();
    const run = (statements: readonly Statement[]) => runAllOnSqlite(held, statements);
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
  return { begin, dropAhead: () => Promise.resolve(), close: () => Promise.resolve() };
}
