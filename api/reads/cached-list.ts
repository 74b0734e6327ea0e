import type { Cache } from '../../shared/cache/cache';
import type { Answer, Input } from '../http/endpoint';
import { listAnswer, listHeaders, type Page, type Totals } from '../http/requests/paging';
import { hashTag } from './cached-entity';
import type { Found } from './found';
import { readThrough, type CachedView } from './read-through';

/** What a list's headers tell. The ETag is weak, for lists are compressed. */
interface ListHead {
  readonly totals: Totals;
  readonly etag: string;
}

/** A list's body as JSON text, and the facts for its headers. */
export interface CachedList extends ListHead {
  readonly json: string;
}

/** Reads a list through the cache, where its head stands on a line before its JSON. */
export async function cachedList(
  cache: Cache,
  view: CachedView,
  load: () => Promise<{ totals: Totals; body: unknown }>,
): Promise<CachedList> {
  const text = await readThrough(cache, view, async () => {
    const { totals, body } = await load();
    const json = JSON.stringify(body);
    return `${JSON.stringify({ totals, etag: `W/${hashTag(json)}` } satisfies ListHead)}\n${json}`;
  });
  const end = text.indexOf('\n');
  return { ...(JSON.parse(text.slice(0, end)) as ListHead), json: text.slice(end + 1) };
}

/**
 * Answers with a page of a list, read through the cache, and with its ETag; `headers` are further
 * headers.
 */
export async function cachedPage(
  cache: Cache,
  view: CachedView,
  input: Input<unknown, Page>,
  find: () => Promise<Found<unknown>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const { totals, etag, json } = await cachedList(cache, view, async () => {
    const found = await find();
    return {
      totals: { ...found, items: undefined },
      body: listAnswer(input, input.query, found).body,
    };
  });
  return {
    status: 200,
    headers: { ...listHeaders(input.url, input.query, totals), ETag: etag, ...headers },
    json,
  };
}
