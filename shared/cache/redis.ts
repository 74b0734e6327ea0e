import { randomBytes } from 'node:crypto';
import type { Logger } from '../logger';
import { SameTurn } from '../same-turn';
import { LINK_LEASE_MS, VERSION_KEPT_MS, type Cache } from './cache';
import { TAG } from './cluster-node';
import { guidedBy } from './guided-url';
import type { RedisClient } from './redis-client';
import { RedisLink } from './redis-link';
import { unlessLate } from './unless-late';

/**
 * The cache in Redis, shared by all APIs and workers.
 * A view is stored under the generation of the cache and the version of its subject. One MGET reads
 * both with the view.
 * Every process sets a random generation on each new connection, before it uses it. Nothing cached
 * earlier can be reached then: a process that was cut off may have missed an invalidation, and a
 * restarted Redis may come back with old views.
 */

function keysAt(url: string) {
  const prefix = guidedBy(url)?.guides === 'cluster' ? TAG : 'lendline';
  const GENERATION = `${prefix}:generation`;
  return {
    GENERATION,
    versionKey: (subject: string): string => `${prefix}:version:${subject}`,
    /**
     * The number changes with the content of views, because old and new programs share one Redis
     * during an upgrade.
     */
    viewKey: (view: string): string => `${prefix}:view:2:${view}`,
    setGeneration: (client: RedisClient) => client.set(GENERATION, token()),
  };
}

/** How long a reader waits for Redis before it goes to the database, milliseconds. */
const READ_WAIT_MS = 250;
/** How long a bump may take, milliseconds. After that, every process drops its cache. */
const BUMP_WAIT_MS = 1000;

const token = (): string => randomBytes(12).toString('base64url');

export interface RedisCache extends Cache {
  /** Begins a new generation, so that nothing cached before is served any more. */
  renew(): Promise<void>;
}

const ignore = (): void => undefined;

/**
 * Opens the cache on a Redis that is there at the start. When it is unavailable later, `get`
 * answers null.
 * @throws StartError when Redis is unavailable.
 */
export async function openRedisCache(url: string, logger: Logger): Promise<RedisCache> {
  const { GENERATION, versionKey, viewKey, setGeneration } = keysAt(url);
  const link = new RedisLink(url, logger, 'reads go to the database', setGeneration);
  await link.opened();
  const ask = unlessLate(link, READ_WAIT_MS);

  /** Returns the stored token, or stores a new one. */
  const ensured = (
    key: string,
    stored: string | null | undefined,
    keptMs: number | null,
  ): Promise<string> | string => {
    if (typeof stored === 'string') return stored;
    const made = token();
    const options = {
      condition: 'NX',
      GET: true,
      ...(keptMs !== null && { expiration: { type: 'PX', value: keptMs } as const }),
    } as const;
    return ask((client) => client.set(key, made, options)).then((winner) => winner ?? made);
  };

  /**
   * Reads the versions of many subjects in one command, by subject. Null when Redis is unavailable.
   */
  const versionsOf = async (
    subjects: readonly string[],
  ): Promise<ReadonlyMap<string, string> | null> => {
    try {
      const keys = [GENERATION, ...subjects.map(versionKey)];
      const [stored, ...versions] = await ask((client) => client.mGet(keys));
      const generation = await ensured(GENERATION, stored, null);
      const pair = async (subject: string, index: number) =>
        [
          subject,
          `${generation}.${await ensured(versionKey(subject), versions[index], VERSION_KEPT_MS)}`,
        ] as const;
      return new Map(await Promise.all(subjects.map(pair)));
    } catch {
      return null;
    }
  };

  /** Reads of versions of one turn of the event loop. */
  const together = new SameTurn<string, Awaited<ReturnType<typeof versionsOf>>>(Infinity);

  return {
    async version(subject) {
      const { result } = await together.add(subject, (subjects) =>
        versionsOf([...new Set(subjects)]),
      );
      return result?.get(subject) ?? null;
    },

    async get(view, subject, wait) {
      try {
        const keys = [GENERATION, versionKey(subject), viewKey(view)];
        const read = (client: RedisClient) => client.mGet(keys);
        const [generation, version, entry] = await (wait
          ? link.run(read, LINK_LEASE_MS)
          : ask(read));
        if (typeof generation === 'string' && typeof version === 'string') {
          const present = `${generation}.${version}`;
          return {
            value: entry?.startsWith(`${present}\n`) ? entry.slice(present.length + 1) : null,
            version: present,
          };
        }
        const parts = await Promise.all([
          ensured(GENERATION, generation, null),
          ensured(versionKey(subject), version, VERSION_KEPT_MS),
        ]);
        return { value: null, version: parts.join('.') };
      } catch {
        return null;
      }
    },

    async put(view, version, value, ttlMs) {
      await ask((client) =>
        client.set(viewKey(view), `${version}\n${value}`, {
          expiration: { type: 'PX', value: Math.ceil(ttlMs) },
        }),
      ).catch(() => undefined);
    },

    async bump(subjects) {
      if (subjects.length === 0) return;
      const version = token();
      // No view can be read under a subject without a version, so none is made. Unread titles cost
      // no memory.
      const renew = { XX: true, PX: VERSION_KEPT_MS } as const;
      await link.run(
        (client) =>
          Promise.all(subjects.map((subject) => client.set(versionKey(subject), version, renew))),
        BUMP_WAIT_MS,
      );
    },

    // After a lost link, the next one begins with a new generation as well.
    renew: () => link.run(setGeneration, BUMP_WAIT_MS).then(ignore, ignore),

    close: () => link.close(),
  };
}
