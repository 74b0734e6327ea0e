import type { Query, QueryClient } from '@tanstack/react-query';

/**
 * Shows the changes of others on an open page without a storm of requests. Every ten seconds the
 * page makes one request, which costs the service a 304 while nothing has changed.
 */

const LOOK_AGAIN_MS = 10_000;

/** Marks a query whose change means that others are outdated as well. */
export const LIVE = { isLive: true } as const;

/** Marks a query whose answer stays until somebody asks for a newer one. */
export const STILL = { isStill: true } as const;

const isLive = ({ meta }: Query): boolean => meta?.['isLive'] === true;
const triedAt = ({ state }: Query): number => Math.max(state.dataUpdatedAt, state.errorUpdatedAt);

/** Reads the query that was not read for longest, and all others when it has changed. */
async function lookAgain(queries: QueryClient): Promise<void> {
  const cache = queries.getQueryCache();
  const [query] = cache
    .findAll({ type: 'active', fetchStatus: 'idle', predicate: isLive })
    .toSorted((a, b) => triedAt(a) - triedAt(b));
  if (!query) return;
  const before = query.state.data;
  await queries.refetchQueries({ queryKey: query.queryKey, exact: true });
  if (query.state.data !== before)
    await queries.invalidateQueries({
      predicate: (other) => !isLive(other) && other.meta?.['isStill'] !== true,
    });
}

/** Looks again for as long as the page is open and visible. */
export function keepLooking(queries: QueryClient): void {
  setInterval(() => {
    if (!document.hidden) void lookAgain(queries);
  }, LOOK_AGAIN_MS);
}
