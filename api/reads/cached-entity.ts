import { createHash } from 'node:crypto';
import type { Cache } from '../../shared/cache/cache';
import type { Answer } from '../http/endpoint';
import { readThrough, type CachedView } from './read-through';

/** Returns a strong ETag of a JSON text. */
export const hashTag = (json: string): string =>
  `"${createHash('sha1').update(json).digest('base64url')}"`;

/**
 * Answers with one thing, read through the cache, and with its ETag: what `etagOf` makes of it,
 * else a hash of what it shows. The tag stands on a line before the JSON, so that a hit need
 * neither be parsed nor hashed.
 */
export async function cachedEntity<Entity extends object>(
  cache: Cache,
  view: CachedView,
  load: () => Promise<Entity>,
  etagOf?: (entity: Entity) => string,
): Promise<Answer> {
  const stored = await readThrough(cache, view, async () => {
    const entity = await load();
    const json = JSON.stringify(entity);
    return `${etagOf ? etagOf(entity) : hashTag(json)}\n${json}`;
  });
  const end = stored.indexOf('\n');
  return { status: 200, headers: { ETag: stored.slice(0, end) }, json: stored.slice(end + 1) };
}
