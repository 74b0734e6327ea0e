import type { Transaction } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type {
  BatchTransaction,
  BatchTransactions,
  BeginBatch,
  Row,
  Statement,
  StatementResult,
} from './transaction';

/** The transaction of a batch on SQLite, where the statements run one after the other. */

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

/** The batch transactions on SQLite, where a round trip costs nothing. */
export function sqliteTransactions(database: Sequelize): BatchTransactions {
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
  return { begin, dropPipelined: () => Promise.resolve(), close: () => Promise.resolve() };
}

/** Runs statements as a transaction of their own. */
export function atOnceOnSqlite(
  database: Sequelize,
  statements: readonly Statement[],
): Promise<StatementResult[]> {
  return database.transaction((held) => runAllOnSqlite(held, statements));
}
