import { LRUCache } from 'lru-cache';
import { boundedCache } from '../bounded-cache';
import { VERSION_KEPT_MS, type Cache } from './cache';

/** The cache of a program that runs as one process. It evicts the least recently used views. */

const VIEWS_MAX = 10_000;
/** Most memory for views, bytes. A character counts as two, the most that V8 takes for one. */
const VIEWS_BYTES_MAX = 64 * 1024 * 1024;
const SUBJECTS_MAX = 100_000;

interface View {
  readonly version: string;
  readonly value: string;
}

export function createMemoryCache(): Cache {
  const views = new LRUCache<string, View>({
    max: VIEWS_MAX,
    maxSize: VIEWS_BYTES_MAX,
    sizeCalculation: ({ version, value }, key) => 2 * (value.length + version.length + key.length),
  });
  const versions = boundedCache<string, string>(SUBJECTS_MAX, VERSION_KEPT_MS);
  let made = 0;

  /**
   * Counts up. A number that is used once does what a random token does, because no other process
   * makes any.
   */
  const renew = (subject: string): string => {
    made += 1;
    const version = String(made);
    versions.set(subject, version);
    return version;
  };

  return {
    get(view, subject) {
      const version = versions.get(subject) ?? renew(subject);
      const stored = views.get(view);
      return Promise.resolve({ value: stored?.version === version ? stored.value : null, version });
    },
    version: (subject) => Promise.resolve(versions.get(subject) ?? renew(subject)),
    put(view, version, value, ttlMs) {
      views.set(view, { version, value }, { ttl: Math.ceil(ttlMs) });
      return Promise.resolve();
    },
    bump(subjects) {
      // No view can be read under a subject without a version.
      for (const subject of subjects) if (versions.has(subject)) renew(subject);
      return Promise.resolve();
    },
    close() {
      views.clear();
      versions.clear();
      return Promise.resolve();
    },
  };
}
