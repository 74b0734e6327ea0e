import {
  MemoryStore,
  type ClientRateLimitInfo,
  type Options,
  type Store,
} from 'express-rate-limit';
import { RedisStore, type SendCommandFn } from 'rate-limit-redis';
import { TAG } from '../../../shared/cache/cluster-node';
import type { Logger } from '../../../shared/logger';

export interface CountsOptions {
  readonly logger: Logger;
  /** Sends a command to Redis, and rejects in time; absent in the embedded default. */
  readonly sendToRedis?: SendCommandFn;
}

/** Counts of what clients do, in windows of time. */
export type Counts = Pick<Store, 'increment' | 'decrement' | 'resetKey'> & {
  get(key: string): Promise<ClientRateLimitInfo | undefined>;
};

/**
 * Counts for all API processes, in Redis, and for this process alone while Redis is unavailable or
 * when there is none.
 * @param prefix of the keys in Redis.
 * @param windowMs milliseconds after the first of a key until its count starts anew.
 */
export function createCounts(
  prefix: string,
  windowMs: number,
  { logger, sendToRedis }: CountsOptions,
): Counts {
  const memory = memoryStore(windowMs);
  let redis: Promise<Store> | undefined;
  let unavailable = false;
  const onStore = async <T>(run: (store: Store) => Promise<T> | T): Promise<T> => {
    if (!sendToRedis) return run(memory);
    try {
      redis ??= redisStore(sendToRedis, `${TAG}:${prefix}`, windowMs);
      const result = await redis.then(run);
      unavailable = false;
      return result;
    } catch (error) {
      redis = undefined;
      // Once for each outage, and not for every request in it.
      if (!unavailable)
        logger.warn({ err: error, prefix }, 'clients are counted in this process only');
      unavailable = true;
      return run(memory);
    }
  };
  return {
    increment: (key) => onStore((store) => store.increment(key)),
    decrement: (key) => onStore((store) => store.decrement(key)),
    resetKey: (key) => onStore((store) => store.resetKey(key)),
    get: async (key) => {
      const info = await onStore((store) => store.get?.(key));
      // The store on Redis tells of NaN when the key is not there.
      return info?.totalHits ? info : undefined;
    },
  };
}

function memoryStore(windowMs: number): Store {
  const store = new MemoryStore();
  store.init({ windowMs } as Options);
  return store;
}

async function redisStore(
  sendCommand: SendCommandFn,
  prefix: string,
  windowMs: number,
): Promise<Store> {
  const store = new RedisStore({ sendCommand, prefix });
  await store.init({ windowMs } as Options);
  return store;
}
