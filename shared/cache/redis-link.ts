import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'redis';
import { StartError } from '../config';
import type { Logger } from '../logger';
import { withoutSecrets } from '../shown-url';
import { CacheAway, LEASE_MS } from './cache';

/**
 * A connection to Redis that is open or away.
 *
 *   away -> open  connected anew, and `prepare` has run on the new connection before anything else
 *   open -> away  the socket broke, or a command failed or was not answered in time, or the lease has ended
 *
 * An open link is a lease: it may be used for as long as something that was sent in the last
 * `LEASE_MS` was answered. Pings keep it up, so that it is lost soon after Redis began to hang,
 * also by a process that has nothing to ask. When the lease has ended all the same, because this
 * process stood still, the link is given up before it is used, and not after: Redis may be back.
 *
 * Any failure ends the connection, also one that Redis itself reports: a command that was not
 * carried out may have been an invalidation, and only a new connection, with its `prepare`, makes
 * up for that. While the link is away commands fail at once. Reconnecting is done here with a fresh
 * client each time, because the client's own would send commands again and has no moment at which a
 * connection is there but not yet in use.
 */

const CONNECT_TIMEOUT_MS = 2000;
const BACKOFF_MIN_MS = 50;
/** Those who wait for a cache that is away count on it: `api/commands/outcomes.ts`. */
const BACKOFF_MAX_MS = 500;
/** How often an open link is pinged, milliseconds. */
const PING_EVERY_MS = 500;
/** Most commands without an answer; more are refused. */
const COMMANDS_MAX = 20_000;

const makeClient = (url: string) =>
  createClient({
    url,
    disableOfflineQueue: true,
    commandsQueueMaxLength: COMMANDS_MAX,
    maintNotifications: 'disabled',
    socket: { noDelay: true, connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: false },
  });

export type RedisClient = ReturnType<typeof makeClient>;

/** @throws CacheAway when `work` has not ended within `limitMs` milliseconds. */
function inTime<Result>(work: Promise<Result>, limitMs: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      // After a long stretch of computing, timers run before sockets are read: the answer may be
      // here already.
      setImmediate(() => {
        reject(new CacheAway(`Redis did not answer within ${limitMs} ms`));
      });
    }, limitMs);
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}

function destroy(client: RedisClient): void {
  if (client.isOpen) client.destroy();
}

export class RedisLink {
  private client: RedisClient | null = null;
  /** End of the lease of an open link, by `performance.now()`. */
  private leaseEnd = 0;
  /** When the last try to connect that was refused began. */
  private refusedAt = -Infinity;
  private readonly closing = new AbortController();
  private readonly loop: Promise<void>;
  private outage = false;
  private readonly firstTry: {
    readonly done: (error: unknown) => void;
    readonly ended: Promise<unknown>;
  };

  constructor(
    private readonly url: string,
    private readonly logger: Logger,
    private readonly prepare: (client: RedisClient) => Promise<unknown>,
  ) {
    let done: (error: unknown) => void = () => undefined;
    const ended = new Promise<unknown>((resolve) => {
      done = resolve;
    });
    this.firstTry = { done, ended };
    this.loop = this.keepConnected();
  }

  /**
   * Waits for the first try to connect. Later outages are waited out; at start Redis must be there,
   * so that a wrong address is not taken for an outage.
   * @throws StartError when it failed.
   */
  async opened(): Promise<void> {
    const error = await this.firstTry.ended;
    if (!error) return;
    await this.close();
    throw new StartError(
      `Cannot use Redis at ${withoutSecrets(this.url)} (REDIS_URL): ${(error as Error).message}`,
    );
  }

  /**
   * Runs commands on the open connection.
   * @throws CacheAway, or what Redis answered, when they were not all carried out within `limitMs`
   * milliseconds.
   */
  async run<Result>(
    commands: (client: RedisClient) => Promise<Result>,
    limitMs: number,
  ): Promise<Result> {
    const { client } = this;
    if (!client) throw new CacheAway('Redis is away', this.refusedAt);
    const sentAt = performance.now();
    try {
      if (sentAt > this.leaseEnd)
        throw new CacheAway(`Redis has answered nothing for ${LEASE_MS} ms`);
      const result = await inTime(commands(client), limitMs);
      if (this.client === client) this.leaseEnd = Math.max(this.leaseEnd, sentAt + LEASE_MS);
      return result;
    } catch (error) {
      this.lose(client, error);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.closing.abort();
    if (this.client) destroy(this.client);
    this.client = null;
    await this.loop;
  }

  /** Ends the connection, if it is still the present one; the loop makes another. */
  private lose(client: RedisClient, error: unknown): void {
    if (this.client === client) this.client = null;
    destroy(client);
    if (this.closing.signal.aborted || this.outage) return;
    this.outage = true;
    this.logger.warn({ err: error }, 'Redis is away: reads go to the database');
  }

  private async keepConnected(): Promise<void> {
    const { signal } = this.closing;
    for (let failures = 0; !signal.aborted;) {
      if (await this.useConnection()) failures = 0;
      else failures += 1;
      const backoff = Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** failures);
      await sleep(backoff * (0.5 + Math.random() / 2), undefined, { signal }).catch(
        () => undefined,
      );
    }
  }

  /** Connects, and resolves when that connection has ended: true when it was open for a time. */
  private async useConnection(): Promise<boolean> {
    const client = makeClient(this.url);
    const ended = new Promise<unknown>((resolve) => {
      client.on('error', resolve).on('end', () => {
        resolve(new CacheAway('the connection was closed'));
      });
    });
    const begunAt = performance.now();
    let preparedAt = begunAt;
    const opened = async () => {
      await client.connect();
      preparedAt = performance.now();
      await this.prepare(client);
    };
    try {
      await inTime(opened(), CONNECT_TIMEOUT_MS);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') this.refusedAt = begunAt;
      this.lose(client, error);
      this.firstTry.done(error);
      return false;
    }
    if (this.closing.signal.aborted) {
      destroy(client);
      return true;
    }
    this.client = client;
    this.leaseEnd = preparedAt + LEASE_MS;
    this.firstTry.done(null);
    if (this.outage) this.logger.info('Redis is back');
    this.outage = false;
    const pings = setInterval(
      () => void this.run((open) => open.ping(), LEASE_MS).catch(() => undefined),
      PING_EVERY_MS,
    );
    this.lose(client, await ended);
    clearInterval(pings);
    return true;
  }
}
