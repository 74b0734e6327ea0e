import { createHash } from 'node:crypto';
import type { Cache } from '../../shared/cache/cache';
import type { Answer } from '../http/endpoint';
import { readThrough, type CachedView } from './read-through';

/**
 * Answers with one thing, read through the cache, and with an ETag of what it shows. The tag stands on a line before the
 * JSON, so that a hit need not be hashed.
 */
export async function cachedEntity(cache: Cache, view: CachedView, load: () => Promise<object>): Promise<Answer> {
  const stored = await readThrough(cache, view, async () => {
    const json = JSON.stringify(await load());
    return `"${createHash('sha1').update(json).digest('base64url')}"\n${json}`;
  });
  const end = stored.indexOf('\n');
  return { status: 200, headers: { ETag: stored.slice(0, end), 'Cache-Control': 'no-cache' }, json: stored.slice(end + 1) };
}
