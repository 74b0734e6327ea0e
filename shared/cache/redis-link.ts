import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../config';
import type { Logger } from '../logger';
import { withoutSecrets } from '../shown-url';
import { inTime, newAttempt } from './attempt';
import { CacheUnavailable, LINK_LEASE_MS } from './cache';
import { RedisAddress } from './redis-address';
import { makeRedisClient, type RedisClient } from './redis-client';

/**
 * A connection to Redis that is either open or unavailable.
 * - unavailable to open: a new connection is made, and `prepare` runs before anything else
 * - open to unavailable: the socket broke, a command failed or was late, or the lease ended
 * The lease: an open link may be used while a command of the last `LINK_LEASE_MS` was answered.
 * Pings renew it.
 * Any failure ends the connection: the failed command may have been an invalidation, and only
 * `prepare` on a new connection makes up for it. The client's own reconnect would repeat commands.
 */

const CONNECT_TIMEOUT_MS = 2000;
/**
 * Time limit of the first connection attempt. It is longer, because a busy machine is slow at
 * start.
 */
const FIRST_CONNECT_TIMEOUT_MS = 10_000;
const BACKOFF_MIN_MS = 50;
/** Longest pause between attempts. `api/commands/outcomes.ts` relies on it. */
const BACKOFF_MAX_MS = 500;
/** How often an open link is pinged, milliseconds. */
const PING_EVERY_MS = 500;
/** Most commands that may wait for an answer. Further commands are refused. */
const COMMANDS_MAX = 20_000;
const OPTIONS = {
  commandsQueueMaxLength: COMMANDS_MAX,
  // `run` bounds the time, because the client's own timer costs as much as the command.
  commandOptions: { timeout: 0 },
};

const lapsed = (): CacheUnavailable =>
  new CacheUnavailable(`Redis has answered nothing for ${LINK_LEASE_MS} ms`);

function destroy(client: RedisClient): void {
  if (client.isOpen) client.destroy();
}

const endOf = (client: RedisClient): Promise<unknown> =>
  new Promise((resolve) => {
    client.on('error', resolve).on('end', () => {
      resolve(new CacheUnavailable('the connection was closed'));
    });
  });

/**
 * Throws unless the server is a primary: who told its address may not know yet that it has become
 * a replica.
 */
async function expectPrimary(client: RedisClient): Promise<void> {
  const info = await client.info('replication');
  if (!/^role:master/m.test(info)) throw new CacheUnavailable('Redis is a replica');
}

export class RedisLink {
  private client: RedisClient | null = null;
  /** End of the lease of an open link, by `performance.now()`. */
  private leaseEnd = 0;
  /** When the last refused connection attempt began. */
  private refusedAt = -Infinity;
  private readonly closing = new AbortController();
  private readonly loop: Promise<void>;
  private outage = false;
  private readonly shown: string;
  private readonly address: RedisAddress;
  private tried = false;
  /** The first attempt to connect, at the start or after an open connection was lost. */
  private attempt = newAttempt();

  /** @param without what is done while Redis is unavailable, for the log. */
  constructor(
    url: string,
    private readonly logger: Logger,
    private readonly without: string,
    private readonly prepare: (client: RedisClient) => Promise<unknown> = () => Promise.resolve(),
  ) {
    this.shown = withoutSecrets(url);
    this.address = new RedisAddress(url);
    this.loop = this.keepConnected();
  }

  /**
   * Waits for the first connection attempt. Redis must be there at the start, so that a wrong
   * address is not taken for an outage. Later outages are waited out.
   * @throws StartError when the attempt failed.
   */
  async opened(): Promise<void> {
    const error = await this.attempt.ended;
    if (!error) return;
    await this.close();
    throw new StartError(
      `Cannot use Redis at ${this.shown} (REDIS_URL): ${(error as Error).message}`,
    );
  }

  /**
   * Runs commands on the open connection.
   * @throws CacheUnavailable when they have not all ended within `limitMs` milliseconds, or the
   * error that Redis answered.
   */
  async run<Result>(
    commands: (client: RedisClient) => Promise<Result>,
    limitMs: number,
  ): Promise<Result> {
    const { client } = this;
    if (!client) throw new CacheUnavailable('Redis is unavailable', this.refusedAt);
    const sentAt = performance.now();
    try {
      if (sentAt > this.leaseEnd) throw lapsed();
      const result = await inTime(commands(client), limitMs);
      if (this.client === client) this.leaseEnd = Math.max(this.leaseEnd, sentAt + LINK_LEASE_MS);
      return result;
    } catch (error) {
      this.lose(client, error);
      throw error;
    }
  }

  /**
   * Runs commands as `run` does, but first awaits the attempt to connect anew, for as long as a
   * command may take, when the connection has just been lost. A process that stood still for longer
   * than its lease loses a connection to a Redis that is there.
   * @throws CacheUnavailable as `run` does.
   */
  async runReopened<Result>(
    commands: (client: RedisClient) => Promise<Result>,
    limitMs: number,
  ): Promise<Result> {
    if (this.client && performance.now() > this.leaseEnd) this.lose(this.client, lapsed());
    await inTime(this.attempt.ended, limitMs);
    return this.run(commands, limitMs);
  }

  async close(): Promise<void> {
    this.closing.abort();
    if (this.client) destroy(this.client);
    this.client = null;
    await this.loop;
    this.address.close();
  }

  /** Ends the connection, if it is still the present one. The loop then makes another. */
  private lose(client: RedisClient | null, error: unknown): void {
    if (client && this.client === client) {
      this.client = null;
      this.attempt = newAttempt();
    }
    if (client) destroy(client);
    if (this.closing.signal.aborted || this.outage) return;
    this.outage = true;
    this.logger.warn({ err: error }, `Redis is unavailable: ${this.without}`);
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

  /** Connects, and resolves when that connection has ended. True when it was open for a while. */
  private async useConnection(): Promise<boolean> {
    const begunAt = performance.now();
    const limitMs = this.tried ? CONNECT_TIMEOUT_MS : FIRST_CONNECT_TIMEOUT_MS;
    const findMs = this.tried ? undefined : limitMs;
    this.tried = true;
    let client: RedisClient | null = null;
    try {
      const url = await this.address.find(findMs);
      client = await makeRedisClient(url, { connectTimeout: limitMs }, OPTIONS);
      const ended = endOf(client);
      const preparedAt = await inTime(this.open(client), limitMs);
      return await this.useUntil(ended, client, url, preparedAt);
    } catch (error) {
      // When others tell the address, other processes may use another server already.
      if (!this.address.changes && (error as NodeJS.ErrnoException).code === 'ECONNREFUSED')
        this.refusedAt = begunAt;
      this.lose(client, error);
      this.attempt.end(error);
      return false;
    }
  }

  /**
   * Opens and prepares a connection.
   * @returns when the preparation began.
   */
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
    this.attempt.end(null);
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

  /** Ends the connection when another primary was chosen. */
  private async leaveUnless(client: RedisClient, url: string): Promise<void> {
    const found = await this.address.find().catch(() => url);
    if (found !== url) this.lose(client, new CacheUnavailable('Redis has another primary'));
  }
}
