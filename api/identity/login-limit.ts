import { ipKeyGenerator } from 'express-rate-limit';
import { createCounts, type CountsOptions } from '../http/counts';
import { tooMany } from '../http/rate-limit';
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

export interface LoginLimit {
  /**
   * The result of `verify`, which says whether the password is right.
   * @throws Problem RATE_LIMITED, without calling it, when too many tries failed.
   */
  guard(username: string, address: string, verify: () => Promise<boolean>): Promise<boolean>;
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
    if (line.length >= TRIES_WAITING_MAX) throw tooMany(new Date(Date.now() + 1000));
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

export function createLoginLimit(options: CountsOptions): LoginLimit {
  const counts = createCounts('identity:login:', WINDOW_MS, options);
  const inTurn = createTurns();

  /** Failed tries so far. */
  const failuresOf = async (key: string, failuresMax: number): Promise<number> => {
    const info = await counts.get(key);
    const failures = info?.totalHits ?? 0;
    if (failures < failuresMax) return failures;
    throw tooMany(info?.resetTime ?? new Date(Date.now() + WINDOW_MS));
  };

  return {
    guard: (username, address, verify) => {
      const { byName, byAddress } = keysOf(username, address);
      return inTurn(byName, async () => {
        await failuresOf(byAddress, TRIES_PER_ADDRESS);
        const failures = await failuresOf(byName, TRIES_PER_NAME);
        const right = await verify();
        if (right && failures > 0) await counts.resetKey(byName);
        if (!right) {
          await counts.increment(byName);
          await counts.increment(byAddress);
        }
        return right;
      });
    },
  };
}
