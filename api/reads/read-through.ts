import { VIEW_LENGTH_MAX, type Cache } from '../../shared/cache/cache';
import { cacheReads } from '../metrics';
import { NextLoad } from './next-load';

/**
 * Reads through the cache, with one load at a time for each view and version. Whoever asks
 * meanwhile shares its result. The version is asked for first, so a request that begins after a
 * write was answered never joins a load from before it.
 */

export interface CachedView {
  /** Name of the text that is cached. */
  readonly view: string;
  /** Name of what the text is about: when a worker changes that, the text is loaded anew. */
  readonly subject: string;
  /** Longest time that the text is kept, milliseconds. */
  readonly ttlMs: number;
}

/**
 * Share of the time to live by which views differ, so that views of the same moment do not expire
 * together.
 */
const TTL_JITTER = 0.2;

interface Loads {
  /** Running loads, by view and version. Each ends when its query ends. */
  readonly flights: Map<string, Promise<string>>;
  readonly uncached: NextLoad;
}

const loads = new WeakMap<Cache, Loads>();

function loadsOf(cache: Cache): Loads {
  const known = loads.get(cache) ?? { flights: new Map(), uncached: new NextLoad() };
  loads.set(cache, known);
  return known;
}

/**
 * Returns the text of a view, from the cache or from `load`.
 * - A failed load is not cached, and everyone who waits for it gets its error.
 * - Without a cache, requests share only a load that begins after they came. When that fails, the
 *   cache is waited for, which may only have been late.
 */
export async function readThrough(
  cache: Cache,
  { view, subject, ttlMs }: CachedView,
  load: () => Promise<string>,
): Promise<string> {
  const found = await cache.get(view, subject);
  const { flights, uncached } = loadsOf(cache);
  if (!found) {
    cacheReads.inc({ result: 'unavailable' });
    return uncached.load(view, load).catch(async (error: unknown) => {
      const { value = null } = (await cache.get(view, subject, 'patient')) ?? {};
      if (value === null) throw error;
      return value;
    });
  }
  if (found.value !== null) {
    cacheReads.inc({ result: 'hit' });
    return found.value;
  }

  const flight = `${found.version} ${view}`;
  const joined = flights.get(flight);
  cacheReads.inc({ result: joined ? 'joined' : 'miss' });
  if (joined) return joined;

  const loaded = load();
  flights.set(flight, loaded);
  try {
    const value = await loaded;
    if (value.length <= VIEW_LENGTH_MAX) {
      // Nobody waits for the cache; who asks in the meantime shares this load.
      void cache
        .put(view, found.version, value, ttlMs * (1 - TTL_JITTER * Math.random()))
        .finally(() => flights.delete(flight));
    } else flights.delete(flight);
    return value;
  } catch (error) {
    flights.delete(flight);
    throw error;
  }
}
