import type { Cache } from '../../shared/cache/cache';
import { readThrough, type CachedView } from './read-through';

/** A list's body as JSON text, and the number of items that its headers tell. */
export interface CachedList {
  readonly totalItems: number;
  readonly json: string;
}

/** Reads a list through the cache, where its total stands on a line before its JSON. */
export async function cachedList(cache: Cache, view: CachedView, load: () => Promise<{ totalItems: number; body: unknown }>): Promise<CachedList> {
  const text = await readThrough(cache, view, async () => {
    const { totalItems, body } = await load();
    return `${totalItems}\n${JSON.stringify(body)}`;
  });
  const end = text.indexOf('\n');
  return { totalItems: Number(text.slice(0, end)), json: text.slice(end + 1) };
}
