import type { Cache } from '../../shared/cache/cache';
import type { Answer, Input } from '../http/endpoint';
import { listAnswer, listHeaders, type Page, type Totals } from '../http/paging';
import type { Found } from './found';
import { readThrough, type CachedView } from './read-through';

/** A list's body as JSON text, and what its headers tell. */
export interface CachedList {
  readonly totals: Totals;
  readonly json: string;
}

/** Reads a list through the cache, where its totals stand on a line before its JSON. */
export async function cachedList(cache: Cache, view: CachedView, load: () => Promise<{ totals: Totals; body: unknown }>): Promise<CachedList> {
  const text = await readThrough(cache, view, async () => {
    const { totals, body } = await load();
    return `${JSON.stringify(totals)}\n${JSON.stringify(body)}`;
  });
  const end = text.indexOf('\n');
  return { totals: JSON.parse(text.slice(0, end)) as Totals, json: text.slice(end + 1) };
}

/** Answers with a page of a list, read through the cache; `headers` are further headers. */
export async function cachedPage(
  cache: Cache,
  view: CachedView,
  input: Input<unknown, Page>,
  find: () => Promise<Found<unknown>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const { totals, json } = await cachedList(cache, view, async () => {
    const found = await find();
    return { totals: { ...found, items: undefined }, body: listAnswer(input, input.query, found).body };
  });
  return { status: 200, headers: { ...listHeaders(input.url, input.query, totals), ...headers }, json };
}
