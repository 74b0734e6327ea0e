import { ipKeyGenerator, MemoryStore, type Options, type Store } from 'express-rate-limit';
import { RedisStore, type SendCommandFn } from 'rate-limit-redis';
import type { Logger } from '../../shared/logger';
import { Problem } from '../http/problem';
import { loginNameOf } from './queries';

/**
 * Slows down the guessing of passwords. Only failed tries count, and of one username from one address only one try
 * runs at a time in a process, so that many at once cannot slip through together. Counts are kept in Redis, for all API
 * processes, and in this process while Redis is away.
 */

/** Milliseconds after the first try until the count starts anew. */
const WINDOW_MS = 15 * 60 * 1000;
/** Failed tries of one username from one address in a window. */
const TRIES_PER_NAME = 10;
/** Failed tries from one address in a window, whatever the names. An office may share one address. */
const TRIES_PER_ADDRESS = 200;

/** Tries of one username from one address that wait for their turn. */
const TRIES_WAITING_MAX = 64;
/** How long Redis may take, milliseconds; then the try is counted in memory. */
const REDIS_TIMEOUT_MS = 500;

export interface LoginLimit {
  /**
   * The result of `verify`, which says whether the password is right.
   * @throws Problem RATE_LIMITED, without calling it, when too many tries failed.
   */
  guard(username: string, address: string, verify: () => Promise<boolean>): Promise<boolean>;
}

export interface LoginLimitOptions {
  readonly logger: Logger;
  /** Sends a command to Redis; absent in the embedded default. */
  readonly sendToRedis?: SendCommandFn;
}

function tooMany(seconds: number): Problem {
  const waitS = Math.max(1, seconds);
  return new Problem('RATE_LIMITED', `Too many tries; try again in ${waitS} s.`, { headers: { 'Retry-After': String(waitS) } });
}

function memoryStore(): Store {
  const store = new MemoryStore();
  store.init({ windowMs: WINDOW_MS } as Options);
  return store;
}

async function redisStore(sendCommand: SendCommandFn): Promise<Store> {
  const store = new RedisStore({ sendCommand, prefix: 'identity:login:' });
  await store.init({ windowMs: WINDOW_MS } as Options);
  return store;
}

function keysOf(username: string, address: string): { byName: string; byAddress: string } {
  const network = ipKeyGenerator(address);
  return { byName: `name:${network}:${loginNameOf(username)}`, byAddress: `address:${network}` };
}

/** Runs the tries of one key one after the other. */
function createTurns() {
  const lines = new Map<string, { last: Promise<unknown>; length: number }>();
  return async <T>(key: string, run: () => Promise<T>): Promise<T> => {
    const line = lines.get(key) ?? { last: Promise.resolve(), length: 0 };
    if (line.length >= TRIES_WAITING_MAX) throw tooMany(1);
    lines.set(key, line);
    line.length += 1;
    const result = line.last.then(run);
    line.last = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      line.length -= 1;
      if (line.length === 0) lines.delete(key);
    }
  };
}

async function withinTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`Redis took longer than ${REDIS_TIMEOUT_MS} ms`));
    }, REDIS_TIMEOUT_MS);
  });
  return Promise.race([work, late]).finally(() => {
    clearTimeout(timer);
  });
}

/** Runs on Redis, or in memory when there is none or it fails. */
function createStore({ logger, sendToRedis }: LoginLimitOptions) {
  const memory = memoryStore();
  let redis: Promise<Store> | undefined;
  return async <T>(run: (store: Store) => Promise<T> | T): Promise<T> => {
    if (!sendToRedis) return run(memory);
    try {
      redis ??= redisStore(sendToRedis);
      return await withinTime(redis.then(run));
    } catch (error) {
      redis = undefined;
      logger.warn({ err: error }, 'login tries are counted in this process only');
      return run(memory);
    }
  };
}

export function createLoginLimit(options: LoginLimitOptions): LoginLimit {
  const onStore = createStore(options);
  const inTurn = createTurns();

  /** Failed tries so far. */
  const failuresOf = async (key: string, failuresMax: number): Promise<number> => {
    const info = await onStore((store) => store.get?.(key));
    // The store on Redis tells of NaN hits when the key is not there.
    const failures = info?.totalHits || 0;
    if (failures < failuresMax) return failures;
    throw tooMany(Math.ceil(((info?.resetTime?.getTime() ?? Date.now() + WINDOW_MS) - Date.now()) / 1000));
  };

  return {
    guard: (username, address, verify) => {
      const { byName, byAddress } = keysOf(username, address);
      return inTurn(byName, async () => {
        await failuresOf(byAddress, TRIES_PER_ADDRESS);
        const failures = await failuresOf(byName, TRIES_PER_NAME);
        const right = await verify();
        if (right && failures > 0) await onStore((store) => store.resetKey(byName));
        if (!right) {
          await onStore((store) => store.increment(byName));
          await onStore((store) => store.increment(byAddress));
        }
        return right;
      });
    },
  };
}
