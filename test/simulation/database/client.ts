import type { Sequelize } from 'sequelize-typescript';
import { trustSession } from '../../../shared/database/session';
import type { SimulatedProcess } from '../process';
import { Wire } from '../wire';
import type { DatabaseServer } from './server';
import type { Answer, Session } from './session';
import { DatabaseError, type StatementResult } from './transaction';

/**
 * What a process of the product has in place of Sequelize and mysql2: connections, and of Sequelize
 * no more than the pipeline asks of it. Everything above, the product's own handling of connections
 * and transactions, is the real code.
 */

type Done = (error: Error | null, result: unknown) => void;

interface Query {
  readonly sql: string;
  readonly values: readonly unknown[];
  readonly done: Done;
  /** Called for each statement without rows that was carried out. */
  written?: () => void;
}

/** What `format` puts before a text. */
const FORMATTED = /^\/\* \d+ \*\//;

export class Connection {
  usable = true;
  private readonly waiting: Query[] = [];
  private readonly formatted = new Map<string, readonly unknown[]>();
  private formats = 0;
  private readonly session: Session;

  constructor(
    server: DatabaseServer,
    private readonly wire: Wire,
  ) {
    this.session = server.open(wire.process.name, () => {
      wire.cut();
    });
    wire.onServerLost = () => {
      this.session.end();
    };
  }

  /** The process knows of the connection now. */
  opened(): void {
    this.wire.onClientLost = () => {
      this.usable = false;
      for (const { done } of this.waiting.splice(0))
        done(new DatabaseError('PROTOCOL_CONNECTION_LOST'), undefined);
    };
  }

  /** One after the other, as mysql2 does it. */
  query(
    { sql, values }: { readonly sql: string; readonly values: readonly unknown[] | null },
    done: Done,
  ): { on(event: 'result', listener: () => void): void } {
    const query: Query = {
      sql: sql.replace(FORMATTED, ''),
      values: values ?? this.formatted.get(sql) ?? [],
      done,
    };
    this.formatted.delete(sql);
    if (!this.usable) {
      void Promise.resolve().then(() => {
        done(new DatabaseError('PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR'), undefined);
      });
    } else if (this.waiting.push(query) === 1) this.send();
    return {
      on(_event, listener) {
        query.written = listener;
      },
    };
  }

  /** Nothing is escaped here: the text leads to its values. */
  format(sql: string, values: readonly unknown[]): string {
    const text = `/* ${(this.formats += 1)} */${sql}`;
    this.formatted.set(text, values);
    return text;
  }

  /** A value that is SQL already, which is always a text: here the text itself. */
  raw(literal: string): string {
    return literal.slice(1, -1).replace(/\\(['\\])/g, '$1');
  }

  close(): void {
    this.usable = false;
    this.wire.close();
  }

  /** For faults: the network between the two ends breaks. */
  cut(ends: Parameters<Wire['cut']>[0]): void {
    this.wire.cut(ends);
  }

  private send(): void {
    const [next] = this.waiting;
    if (!next) return;
    this.wire.toServer(() => {
      this.session.receive(next.sql, next.values, (answer) => {
        this.wire.toClient(() => {
          this.receive(answer);
        });
      });
    });
  }

  private receive(answer: Answer): void {
    const asked = this.waiting.shift();
    this.send();
    for (const result of answer.results) if (!Array.isArray(result)) asked?.written?.();
    if (answer.error) asked?.done(answer.error, undefined);
    else asked?.done(null, answer.results.length === 1 ? answer.results[0] : answer.results);
  }
}

export class SimulatedDatabase {
  readonly connections = new Set<Connection>();
  readonly connectionManager = {
    getConnection: () => this.take(),
    releaseConnection: (connection: Connection) => {
      if (connection.usable) this.idle.push(connection);
    },
    destroyConnection: (connection: Connection) => {
      connection.close();
      this.connections.delete(connection);
      return Promise.resolve();
    },
    validate: (connection: Connection) => connection.usable,
  };
  private readonly idle: Connection[] = [];

  constructor(
    private readonly server: DatabaseServer,
    private readonly process: SimulatedProcess,
  ) {}

  get asSequelize(): Sequelize {
    return this as unknown as Sequelize;
  }

  getDialect(): string {
    return 'mysql';
  }

  /** As Sequelize's: rows, or what was affected, twice. */
  async query(
    sql: string,
    {
      replacements = [],
      transaction,
    }: { readonly replacements?: readonly unknown[]; readonly transaction?: Connection } = {},
  ): Promise<[unknown, unknown]> {
    const connection = transaction ?? (await this.take());
    const result = await ask(connection, sql, replacements);
    if (!transaction) this.connectionManager.releaseConnection(connection);
    return [result, Array.isArray(result) ? undefined : result.affectedRows];
  }

  async transaction<Result>(work: (transaction: Connection) => Promise<Result>): Promise<Result> {
    const connection = await this.take();
    try {
      await ask(connection, 'START TRANSACTION');
      const result = await work(connection);
      await ask(connection, 'COMMIT');
      return result;
    } catch (error) {
      await ask(connection, 'ROLLBACK').catch(() => undefined);
      throw error;
    } finally {
      this.connectionManager.releaseConnection(connection);
    }
  }

  close(): void {
    for (const connection of this.connections) connection.close();
  }

  private async take(): Promise<Connection> {
    for (let next = this.idle.shift(); next; next = this.idle.shift()) if (next.usable) return next;
    const { server, process } = this;
    const { scheduler, random, faults } = server.around;
    const wire = new Wire(scheduler, random, process, faults.latency());
    return new Promise((resolve, reject) => {
      wire.onClientLost = () => {
        reject(
          Object.assign(new DatabaseError('ECONNREFUSED'), {
            name: 'SequelizeConnectionRefusedError',
          }),
        );
      };
      wire.toServer(() => {
        if (!server.up) {
          wire.cut();
          return;
        }
        const connection = new Connection(server, wire);
        wire.toClient(() => {
          connection.opened();
          // Its SQL is read here, and has no modes.
          trustSession(connection);
          this.connections.add(connection);
          resolve(connection);
        });
      });
    });
  }
}

function ask(
  connection: Connection,
  sql: string,
  values: readonly unknown[] = [],
): Promise<StatementResult> {
  return new Promise((resolve, reject) => {
    connection.query({ sql, values }, (error, result) => {
      if (error) reject(error);
      else resolve(result as StatementResult);
    });
  });
}
