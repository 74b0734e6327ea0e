import { ipKeyGenerator, MemoryStore, type Options, type Store } from 'express-rate-limit';
import { RedisStore, type SendCommandFn } from 'rate-limit-redis';
import type { Logger } from '../../shared/logger';
import { Problem } from '../http/problem';
import { loginNameOf } from './queries';

/**
 * Slows down the guessing of passwords. Every try is counted before the password is looked at, so that many tries at
 * once cannot slip through together; a right password takes its try back. Counts are kept in Redis, for all API
 * processes, and in this process while Redis is away.
 */

/** Milliseconds after the first try until the count starts anew. */
const WINDOW_MS = 15 * 60 * 1000;
/** Failed tries of one username from one address in a window. */
const TRIES_PER_NAME = 10;
/** Failed tries from one address in a window, whatever the names. An office may share one address. */
const TRIES_PER_ADDRESS = 200;

export interface LoginLimit {
  /**
   * Counts a try.
   * @throws Problem RATE_LIMITED when there were too many.
   */
  count(username: string, address: string): Promise<void>;
  /** Takes back what was counted: the password was right. */
  forgive(username: string, address: string): Promise<void>;
}

export interface LoginLimitOptions {
  readonly logger: Logger;
  /** Sends a command to Redis; absent in the embedded default. */
  readonly sendToRedis?: SendCommandFn;
}

function memoryStore(): Store {
  const store = new MemoryStore();
  store.init({ windowMs: WINDOW_MS } as Options);
  return store;
}

async function redisStore(sendCommand: SendCommandFn): Promise<Store> {
  const store = new RedisStore({ sendCommand, prefix: 'identity:login:' });
  await store.init?.({ windowMs: WINDOW_MS } as Options);
  return store;
}

function keysOf(username: string, address: string): { byName: string; byAddress: string } {
  const network = ipKeyGenerator(address);
  return { byName: `name:${network}:${loginNameOf(username)}`, byAddress: `address:${network}` };
}

export function createLoginLimit({ logger, sendToRedis }: LoginLimitOptions): LoginLimit {
  const memory = memoryStore();
  let redis: Promise<Store> | undefined;

  /** Runs on Redis, or in memory when there is none or it fails. */
  const onStore = async <T>(run: (store: Store) => Promise<T> | T): Promise<T> => {
    if (!sendToRedis) return run(memory);
    try {
      redis ??= redisStore(sendToRedis);
      return await run(await redis);
    } catch (error) {
      redis = undefined;
      logger.warn({ err: error }, 'login tries are counted in this process only');
      return run(memory);
    }
  };

  const countOne = async (key: string, triesMax: number): Promise<void> => {
    const { totalHits, resetTime } = await onStore((store) => store.increment(key));
    if (totalHits <= triesMax) return;
    const waitS = Math.max(1, Math.ceil(((resetTime?.getTime() ?? Date.now() + WINDOW_MS) - Date.now()) / 1000));
    throw new Problem('RATE_LIMITED', `Too many failed tries; try again in ${waitS} seconds.`, { headers: { 'Retry-After': String(waitS) } });
  };

  return {
    count: async (username, address) => {
      const { byName, byAddress } = keysOf(username, address);
      await countOne(byAddress, TRIES_PER_ADDRESS);
      await countOne(byName, TRIES_PER_NAME);
    },
    forgive: async (username, address) => {
      const { byName, byAddress } = keysOf(username, address);
      await onStore((store) => store.resetKey(byName));
      await onStore((store) => store.decrement(byAddress));
    },
  };
}
