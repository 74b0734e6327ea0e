import type { Connection, ConnectionOptions } from 'mysql2/promise';
import { ConnectionError } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type { Logger } from '../logger';
import { Probe } from './probe';
import { choose, stateOf } from './server-state';

/**
 * Finds the writable one of several servers, and follows it.
 * - from none to a server: only that one is writable
 * - from a server to another: the other is writable, and the first is not or does not answer
 * - from a server to none: none is writable any more, or two are
 * All servers are asked twice a second, and at once when one refuses a write. Connections to a
 * server that was left are ended. A read counts only when its server is still writable afterwards:
 * an old primary is read-only or gone before there is a new one.
 */

/** How often all servers are asked, milliseconds. */
const LOOK_MS = 500;
/** The errors with which servers refuse a write because they are not the primary. */
const REFUSED = new Set<unknown>([
  1047, // Galera: the node is not ready
  1290, // read_only, super_read_only
  1792, // a transaction that had begun before
  1836, // innodb_read_only
  3100, // group replication refused the COMMIT
  3101, // group replication rolled it back
]);

/** Called at each change, with the new server, or with null and the reason why there is none. */
export type PrimaryListener = (server: string | null, why: string) => void;

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** A connection of Sequelize's pool. */
interface Pooled {
  readonly config: ServerAddress;
  readonly stream: { destroy(error: Error): void; once(event: 'close', done: () => void): void };
  query: (...given: unknown[]) => unknown;
  execute: (...given: unknown[]) => unknown;
}

const nameOf = ({ host, port }: ServerAddress): string => `${host}:${port}`;

const away = (why: string): ConnectionError => new ConnectionError(new Error(why));

export class Primary {
  private readonly addresses: ReadonlyMap<string, ServerAddress>;
  private readonly probes: ReadonlyMap<string, Probe>;
  private present: string | null = null;
  private why = '';
  private looking: Promise<void> | null = null;
  private lookAgain = false;
  private timer: NodeJS.Timeout | null = null;
  private closed = false;
  private readonly pooled = new Set<Pooled>();
  private readonly listeners: PrimaryListener[] = [];
  /** The next question to each server, and the one before it. */
  private next: { readonly server: string; readonly answer: Promise<boolean> } | null = null;
  private asked: Promise<unknown> = Promise.resolve();

  /** @param servers how to reach each server, in the order of the URL. */
  constructor(servers: readonly (ConnectionOptions & ServerAddress)[]) {
    this.addresses = new Map(servers.map((server) => [nameOf(server), server]));
    this.probes = new Map(servers.map((server) => [nameOf(server), new Probe(server)]));
  }

  onChange(listener: PrimaryListener): void {
    this.listeners.push(listener);
  }

  /**
   * Returns the server for a new connection.
   * @throws ConnectionError when none is writable.
   */
  async address(): Promise<ServerAddress> {
    if (this.present === null) await this.look();
    this.timer ??= setInterval(() => void this.look(), LOOK_MS).unref();
    const address = this.addresses.get(this.present ?? '');
    if (!address) throw away(this.why);
    return address;
  }

  /**
   * Registers a new connection, which ends when its server is left.
   * @throws ConnectionError when that has happened already.
   */
  take(connection: Pooled): void {
    if (nameOf(connection.config) !== this.present) {
      const error = away(`${nameOf(connection.config)} was left`);
      connection.stream.destroy(error);
      throw error;
    }
    this.pooled.add(connection);
    connection.stream.once('close', () => {
      this.pooled.delete(connection);
    });
    for (const method of ['query', 'execute'] as const) {
      const run = connection[method].bind(connection);
      connection[method] = (...given) => run(...given.map((one) => this.hearing(one)));
    }
  }

  /**
   * Runs a read, and checks afterwards that its server is still writable.
   * @throws ConnectionError when it is not.
   */
  async reading<Result>(read: () => Promise<Result>): Promise<Result> {
    const before = this.present;
    const result = await read();
    // The first read finds the server.
    const server = before ?? this.present;
    if (server === null || server !== this.present || !(await this.isWritable(server)))
      throw away('the primary changed during a read');
    return result;
  }

  close(): void {
    this.closed = true;
    if (this.timer) clearInterval(this.timer);
    for (const probe of this.probes.values()) probe.close();
  }

  /** Wraps a callback of the driver, to notice refused writes first. */
  private hearing(given: unknown): unknown {
    if (typeof given !== 'function') return given;
    return (error: { readonly errno?: number } | null, ...rest: unknown[]) => {
      if (error && REFUSED.has(error.errno)) void this.look();
      (given as (...all: unknown[]) => void)(error, ...rest);
    };
  }

  /**
   * Asks whether a server is writable. Callers that ask before a question is sent share its answer.
   */
  private isWritable(server: string): Promise<boolean> {
    if (this.next?.server === server) return this.next.answer;
    const answer = this.asked.then(async () => {
      if (this.next?.answer === answer) this.next = null;
      if ((await this.probes.get(server)?.ask(isReadOnly)) === false)
        return this.present === server;
      void this.look();
      return false;
    });
    this.next = { server, answer };
    this.asked = answer;
    return answer;
  }

  private look(): Promise<void> {
    // A question that is under way may be older than the reason for this one.
    if (this.looking) this.lookAgain = true;
    this.looking ??= this.lookAtAll().finally(() => {
      this.looking = null;
      if (this.lookAgain) void this.look();
      this.lookAgain = false;
    });
    return this.looking;
  }

  private async lookAtAll(): Promise<void> {
    const states = [...this.probes].map(
      async ([server, probe]) => [server, await probe.ask(stateThrough)] as const,
    );
    const choice = choose(new Map(await Promise.all(states)), this.present);
    if (this.closed) return;
    if ('server' in choice) this.follow(choice.server, '');
    else this.follow(null, choice.why);
  }

  private follow(server: string | null, why: string): void {
    this.why = why;
    if (server === this.present) return;
    const error = Object.assign(new Error(`${this.present ?? ''} was left`), {
      code: 'ECONNRESET',
    });
    this.present = server;
    for (const { stream } of this.pooled) stream.destroy(error);
    for (const listener of this.listeners) listener(server, why);
  }
}

const stateThrough = (connection: Connection) =>
  stateOf(async (sql) => (await connection.query(sql))[0] as object[]);

async function isReadOnly(connection: Connection): Promise<boolean> {
  const [rows] = await connection.query('SELECT @@GLOBAL.read_only AS readOnly');
  const [row] = rows as { readonly readOnly: number | string }[];
  return row?.readOnly !== 0 && row?.readOnly !== 'OFF';
}

const primaries = new WeakMap<Sequelize, Primary>();

/** Makes reads of a Sequelize count only when they come from the primary. */
export function readFromPrimary(database: Sequelize, primary: Primary): void {
  primaries.set(database, primary);
  const query = database.query.bind(database) as (...given: unknown[]) => Promise<unknown>;
  database.query = ((...given: unknown[]) => {
    const [sql, options] = given as [unknown, { readonly transaction?: unknown } | undefined];
    const run = () => query(...given);
    const reads = typeof sql === 'string' && /^\s*SELECT/i.test(sql) && !options?.transaction;
    return reads ? primary.reading(run) : run();
  }) as Sequelize['query'];
  const close = database.close.bind(database);
  database.close = () => {
    primary.close();
    return close();
  };
}

/** Calls `listener` at each change of the primary, when the URL names several servers. */
export function onNewPrimary(database: Sequelize, listener: PrimaryListener): void {
  primaries.get(database)?.onChange(listener);
}

/** Logs each change of the primary. */
export function logPrimary(database: Sequelize, logger: Logger): void {
  onNewPrimary(database, (server, why) => {
    if (server) logger.warn({ server }, 'the primary of MySQL changed');
    else logger.error({ why }, 'there is no primary of MySQL');
  });
}
