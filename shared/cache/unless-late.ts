import { inTime } from './attempt';
import { CacheUnavailable, LINK_LEASE_MS } from './cache';
import type { RedisClient } from './redis-client';
import type { RedisLink } from './redis-link';

type Run = <Result>(commands: (client: RedisClient) => Promise<Result>) => Promise<Result>;

/**
 * Returns a function that runs commands which invalidate nothing. When they are late, the caller
 * goes on without them, and the connection stays open: a machine that pauses for a moment must not
 * cost all processes what is cached. Further ones are refused at once until the late ones are
 * answered. After a lease without an answer, the connection ends.
 * @throws CacheUnavailable when they have not ended within `limitMs` milliseconds.
 */
export function unlessLate(link: RedisLink, limitMs: number): Run {
  let late = 0;
  const answered = () => {
    late -= 1;
  };
  return async (commands) => {
    if (late > 0) throw new CacheUnavailable('Redis is late');
    const answer = link.run(commands, LINK_LEASE_MS);
    try {
      return await inTime(answer, limitMs);
    } catch (error) {
      late += 1;
      answer.then(answered, answered);
      throw error;
    }
  };
}
