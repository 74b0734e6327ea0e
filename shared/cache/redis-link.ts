import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../config';
import type { Logger } from '../logger';
import { withoutSecrets } from '../shown-url';
import { CacheUnavailable, LINK_LEASE_MS } from './cache';
import { RedisAddress } from './sentinels';

/**
 * A connection to Redis that is open or unavailable.
 *
 * - unavailable to open: connected anew, and `prepare` has run before anything else
 * - open to unavailable: the socket broke, a command failed or was late, or the lease ended
 *
 * The lease: an open link may be used while something sent in the last `LINK_LEASE_MS` was
 * answered. Pings renew it. Any failure ends the connection, because the failed command may have
 * been an invalidation, and only a new connection with its `prepare` makes up for that. The
 * client's own reconnect would repeat commands, so each attempt uses a fresh client.
 */

const CONNECT_TIMEOUT_MS = 2000;
/** The same at the start, where a busy machine would be taken for a wrong address. */
const FIRST_CONNECT_TIMEOUT_MS = 10_000;
const BACKOFF_MIN_MS = 50;
/** Those who wait for a cache that is unavailable count on it: `api/commands/outcomes.ts`. */
const BACKOFF_MAX_MS = 500;
/** How often an open link is pinged, milliseconds. */
const PING_EVERY_MS = 500;
/** Most commands without an answer; more are refused. */
const COMMANDS_MAX = 20_000;

async function makeClient(url: string, connectTimeout: number) {
  // Loaded when it is used: it is a fifth of what a start takes.
  const { createClient } = await import('redis');
  return createClient({
    url,
    disableOfflineQueue: true,
    commandsQueueMaxLength: COMMANDS_MAX,
    maintNotifications: 'disabled',
    // `run` bounds the time: the client's own timer costs as much as the command.
    commandOptions: { timeout: 0 },
    socket: { noDelay: true, connectTimeout, reconnectStrategy: false },
  });
}

export type RedisClient = Awaited<ReturnType<typeof makeClient>>;

/** @throws CacheUnavailable when `work` has not ended within `limitMs` milliseconds. */
function inTime<Result>(work: Promise<Result>, limitMs: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      // After a long stretch of computing, timers run before sockets are read: the answer may be
      // here already.
      setImmediate(() => {
        reject(new CacheUnavailable(`Redis did not answer within ${limitMs} ms`));
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

const endOf = (client: RedisClient): Promise<unknown> =>
  new Promise((resolve) => {
    client.on('error', resolve).on('end', () => {
      resolve(new CacheUnavailable('the connection was closed'));
    });
  });

/** A Sentinel may not know yet that a server follows another one. */
async function expectPrimary(client: RedisClient): Promise<void> {
  const info = await client.info('replication');
  if (!/^role:master/m.test(info)) throw new CacheUnavailable('Redis is a replica');
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
  private readonly shown: string;
  private readonly address: RedisAddress;
  private connectTimeoutMs = FIRST_CONNECT_TIMEOUT_MS;
  private readonly firstTry: {
    readonly done: (error: unknown) => void;
    readonly ended: Promise<unknown>;
  };

  constructor(
    url: string,
    private readonly logger: Logger,
    private readonly prepare: (client: RedisClient) => Promise<unknown>,
  ) {
    let done: (error: unknown) => void = () => undefined;
    const ended = new Promise<unknown>((resolve) => {
      done = resolve;
    });
    this.firstTry = { done, ended };
    this.shown = withoutSecrets(url);
    this.address = new RedisAddress(url);
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
      `Cannot use Redis at ${this.shown} (REDIS_URL): ${(error as Error).message}`,
    );
  }

  /**
   * Runs commands on the open connection.
   * @throws CacheUnavailable, or what Redis answered, when they were not all carried out within
   * `limitMs` milliseconds.
   */
  async run<Result>(
    commands: (client: RedisClient) => Promise<Result>,
    limitMs: number,
  ): Promise<Result> {
    const { client } = this;
    if (!client) throw new CacheUnavailable('Redis is unavailable', this.refusedAt);
    const sentAt = performance.now();
    try {
      if (sentAt > this.leaseEnd)
        throw new CacheUnavailable(`Redis has answered nothing for ${LINK_LEASE_MS} ms`);
      const result = await inTime(commands(client), limitMs);
      if (this.client === client) this.leaseEnd = Math.max(this.leaseEnd, sentAt + LINK_LEASE_MS);
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
    this.address.close();
  }

  /** Ends the connection, if it is still the present one; the loop makes another. */
  private lose(client: RedisClient | null, error: unknown): void {
    if (this.client === client) this.client = null;
    if (client) destroy(client);
    if (this.closing.signal.aborted || this.outage) return;
    this.outage = true;
    this.logger.warn({ err: error }, 'Redis is unavailable: reads go to the database');
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
    const begunAt = performance.now();
    let client: RedisClient | null = null;
    try {
      const url = await this.address.find();
      client = await makeClient(url, this.connectTimeoutMs);
      const ended = endOf(client);
      const preparedAt = await inTime(this.open(client), this.connectTimeoutMs);
      return await this.useUntil(ended, client, url, preparedAt);
    } catch (error) {
      this.connectTimeoutMs = CONNECT_TIMEOUT_MS;
      // Where Sentinels tell the address, others may use another server already.
      if (!this.address.changes && (error as NodeJS.ErrnoException).code === 'ECONNREFUSED')
        this.refusedAt = begunAt;
      this.lose(client, error);
      this.firstTry.done(error);
      return false;
    }
  }

  /** @returns when the preparing of the connection began. */
  private async open(client: RedisClient): Promise<number> {
    await client.connect();
    if (this.address.changes) await expectPrimary(client);
    const preparedAt = performance.now();
    await this.prepare(client);
    return preparedAt;
  }

  private async useUntil(
    ended: Promise<unknown>,
    client: RedisClient,
    url: string,
    preparedAt: number,
  ): Promise<true> {
    if (this.closing.signal.aborted) {
      destroy(client);
      return true;
    }
    this.client = client;
    this.leaseEnd = preparedAt + LINK_LEASE_MS;
    this.firstTry.done(null);
    this.connectTimeoutMs = CONNECT_TIMEOUT_MS;
    if (this.outage) this.logger.info('Redis is back');
    this.outage = false;
    const pings = setInterval(() => {
      void this.run((open) => open.ping(), LINK_LEASE_MS).catch(() => undefined);
      if (this.address.changes) void this.leaveUnless(client, url);
    }, PING_EVERY_MS);
    this.lose(client, await ended);
    clearInterval(pings);
    return true;
  }

  /** Ends the connection when the Sentinels have chosen another primary. */
  private async leaveUnless(client: RedisClient, url: string): Promise<void> {
    const found = await this.address.find().catch(() => url);
    if (found !== url) this.lose(client, new CacheUnavailable('Redis has another primary'));
  }
}
