import type { Sequelize } from 'sequelize-typescript';

/**
 * The one connection to MySQL on which a worker runs its batches, and the way in which others can
 * end it.
 *
 * A worker that is frozen or cut off between the round trips of a batch leaves a transaction open,
 * which keeps the rows of its partitions locked; the server itself notices only after hours. So the
 * connection holds a named lock of the server with the worker's name in it: whoever holds that lock
 * is the connection to end. The name cannot point at anybody else, as a stored connection id would
 * after a restart of the server, and it is gone with the connection.
 *
 * States: closed; open (the lock is held, no batch runs); taken (a batch runs). It is opened when a
 * batch needs it, and again after it was lost or ended.
 */

/**
 * How long what is left of an earlier connection may take to end, seconds: it may be in the middle
 * of a COMMIT.
 */
const PREDECESSOR_END_S = 5;

/** A connection of mysql2. */
export interface MysqlConnection {
  /** The SQL with its values in it, escaped. */
  format(sql: string, values: readonly unknown[]): string;
  /** A value that is SQL already. */
  raw(sql: string): unknown;
  query(
    options: { sql: string; values: readonly unknown[] | null },
    done: (error: Error | null, result: unknown) => void,
  ): { on(event: 'result', listener: () => void): void };
}

interface ConnectionPool {
  getConnection(options: { type: 'write' }): Promise<MysqlConnection>;
  releaseConnection(connection: MysqlConnection): void;
  destroyConnection(connection: MysqlConnection): Promise<void>;
  validate(connection: MysqlConnection): boolean;
}

/** Sequelize's connections. Each is given back, or destroyed, by who has got it. */
export function poolOf(database: Sequelize): ConnectionPool {
  return (database as unknown as { connectionManager: ConnectionPool }).connectionManager;
}

/**
 * Sends a query of one or more statements, and resolves with the driver's result. `written` is
 * called for each successful statement that returns no rows. Pass null for no values: the driver
 * would search the whole text for placeholders of an empty list.
 */
export function ask(
  connection: MysqlConnection,
  sql: string,
  values: readonly unknown[] | null,
  written?: () => void,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const query = connection.query({ sql, values }, (error, result) => {
      if (error) reject(error);
      else resolve(result);
    });
    if (written) query.on('result', written);
  });
}

/** At most 64 characters, of which a worker's name takes 40. */
const lockName = (worker: string): string => `lendline.${worker}`;

/**
 * Ends the connection on which a worker runs its batches, if it is there, and with it the
 * transaction that it has open.
 */
async function end(connection: MysqlConnection, worker: string): Promise<void> {
  try {
    // One statement: between finding the connection and ending it, no other can take its place.
    await ask(connection, 'KILL IS_USED_LOCK(?)', [lockName(worker)]);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ER_NO_SUCH_THREAD') throw error;
  }
}

/**
 * Ends the connections on which the workers run their batches; what these have not committed is
 * rolled back.
 */
export async function endBatchConnections(
  database: Sequelize,
  workers: readonly string[],
): Promise<void> {
  const pool = poolOf(database);
  const connection = await pool.getConnection({ type: 'write' });
  try {
    for (const worker of workers) await end(connection, worker);
  } finally {
    pool.releaseConnection(connection);
  }
}

export class BatchConnection {
  private readonly pool: ConnectionPool;
  private open: MysqlConnection | null = null;
  private taken = false;

  constructor(
    database: Sequelize,
    private readonly worker: string,
  ) {
    this.pool = poolOf(database);
  }

  /** The connection, for one batch at a time. */
  async take(): Promise<MysqlConnection> {
    if (this.taken) throw new Error('a batch is under way on this connection');
    this.taken = true;
    try {
      if (this.open && !this.pool.validate(this.open)) await this.drop();
      return (this.open ??= await this.connect());
    } catch (error) {
      this.taken = false;
      throw error;
    }
  }

  /** After a batch that has ended, in the server as well. */
  giveBack(): void {
    this.taken = false;
  }

  /**
   * After a batch of which that is not known. The server rolls back what is open when the
   * connection ends.
   */
  async drop(): Promise<void> {
    const { open } = this;
    this.open = null;
    this.taken = false;
    if (open) await this.pool.destroyConnection(open).catch(() => undefined);
  }

  private async connect(): Promise<MysqlConnection> {
    const connection = await this.pool.getConnection({ type: 'write' });
    try {
      if (await this.lock(connection, 0)) return connection;
      // The server has not noticed yet that the last connection is gone.
      await end(connection, this.worker);
      if (await this.lock(connection, PREDECESSOR_END_S)) return connection;
      throw Object.assign(
        new Error(
          `the last connection of ${this.worker} did not end within ${PREDECESSOR_END_S} s`,
        ),
        { code: 'ER_LOCK_WAIT_TIMEOUT' },
      );
    } catch (error) {
      await this.pool.destroyConnection(connection).catch(() => undefined);
      throw error;
    }
  }

  private async lock(connection: MysqlConnection, wait_s: number): Promise<boolean> {
    const [row] = (await ask(connection, 'SELECT GET_LOCK(?, ?) AS got', [
      lockName(this.worker),
      wait_s,
    ])) as { got: number | null }[];
    return row?.got === 1;
  }
}
