import type { Sequelize } from 'sequelize-typescript';
import { ask, BatchConnection, poolOf, type MysqlConnection } from './batch-connection';
import { quickValues } from './quick-values';
import type {
  BatchTransaction,
  BatchTransactions,
  BeginBatch,
  Row,
  Statement,
  StatementResult,
} from './transaction';

/**
 * The transaction of a batch on MySQL. A round trip is one packet of several statements, with bound
 * values. The server stops at the first that fails, so it never reaches a COMMIT behind a failed
 * write. A worker uses one connection for all its batches: after a lost connection, writes on
 * another one would be unfenced.
 */

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
interface Pipelined {
  readonly first: readonly Statement[];
  readonly transaction: BatchTransaction;
  /** Rejects when it could not be begun; then nothing is left open. */
  readonly results: Promise<StatementResult[]>;
}

/** What is begun ahead of its batch. */
interface Ahead {
  pipelined: Pipelined | null;
}

function transactionOn(
  connection: MysqlConnection,
  own: BatchConnection,
  ahead: Ahead,
): BatchTransaction {
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
          ahead.pipelined = { first: next, transaction, results };
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
}

/** The batch transactions of one worker on MySQL. */
export function mysqlTransactions(database: Sequelize, worker: string): BatchTransactions {
  const own = new BatchConnection(database, worker);
  const ahead: Ahead = { pipelined: null };

  const dropPipelined = async (): Promise<void> => {
    const sent = ahead.pipelined;
    ahead.pipelined = null;
    // One that failed has left nothing open.
    await sent?.results.then(
      () => sent.transaction.rollback(),
      () => undefined,
    );
  };

  const begin: BeginBatch = async (first) => {
    const sent = ahead.pipelined;
    if (sent?.first === first) {
      ahead.pipelined = null;
      return { transaction: sent.transaction, results: await sent.results };
    }
    await dropPipelined();
    const connection = await own.take();
    const transaction = transactionOn(connection, own, ahead);
    try {
      const [, ...results] = await sendPacket(connection, [BEGIN, ...first]);
      return { transaction, results };
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  };
  return { begin, dropPipelined, close: () => own.drop() };
}

/** Runs statements as one transaction, in one packet with its BEGIN and COMMIT. */
export async function atOnceOnMysql(
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
