import type { Cache } from '../../shared/cache/cache';
import type { Answer, Input } from '../http/endpoint';
import { listAnswer, listHeaders, type Page } from '../http/paging';
import type { Found } from './found';
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

/** Answers with a page of a list, read through the cache; `headers` are further headers. */
export async function cachedPage(
  cache: Cache,
  view: CachedView,
  input: Input<unknown, Page>,
  find: () => Promise<Found<unknown>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const { totalItems, json } = await cachedList(cache, view, async () => {
    const found = await find();
    return { totalItems: found.totalItems, body: listAnswer(input, input.query, found).body };
  });
  return { status: 200, headers: { ...listHeaders(input.url, input.query, totalItems), ...headers }, json };
}
