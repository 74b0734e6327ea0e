import { encodeCursor, type Cursor } from './cursor';
import type { Answer, Input } from '../endpoint';
import { queryInteger } from './query-rules';

/**
 * Pages of lists. A page past the end is empty, even when its offset is too large for an exact
 * number.
 */

const PAGE_SIZE_DEFAULT = 20;
const PAGE_SIZE_MAX = 100;

/** Largest offset that is sent to a database; it is a BIGINT there. No table has as many rows. */
const OFFSET_MAX = Number.MAX_SAFE_INTEGER;

export interface Page {
  /** From 1. */
  readonly page: number;
  readonly size: number;
}

/** How long a list is, as far as it was counted. */
export interface Totals {
  readonly totalItems: number;
  /** There may be more than `totalItems`. */
  readonly atLeast?: boolean;
  /** No page follows, although the total was not counted to the end. */
  readonly ended?: boolean;
  /** The position where the page ended, if the next one can begin there. */
  readonly after?: Cursor;
}

/**
 * Query rules of `page` (default 1, at most 2^53-1) and `size` (a larger one is clamped), to be
 * spread into a list's schema.
 */
export function pageRules({ sizeDefault = PAGE_SIZE_DEFAULT, sizeMax = PAGE_SIZE_MAX } = {}) {
  return {
    page: queryInteger({ min: 1, max: Number.MAX_SAFE_INTEGER }).default(1),
    size: queryInteger({ min: 1, max: sizeMax, clamp: true }).default(sizeDefault),
  };
}

/** LIMIT and OFFSET of a page. */
export function limitsOf({ page, size }: Page): { limit: number; offset: number } {
  return { limit: size, offset: Math.min((page - 1) * size, OFFSET_MAX) };
}

/**
 * Encodes a part of a URL for use between `<` and `>`. Node hands over each byte of a URL as one
 * character.
 */
function escaped(text: string): string {
  return text.replace(
    /[^!-~]|[<>"]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/** The client's query without the parameters that name the page. */
function otherParameters(query: string): string[] {
  return query
    .split('&')
    .filter((pair) => pair !== '' && !/^(page|size|after)(=|$)/.test(pair))
    .map(escaped);
}

/**
 * Makes `X-Total-Count`, and `Link` (RFC 8288) with first, prev, next and last where they exist.
 * The next link carries the place where this page ended, so that it is as fast however deep it is.
 * A list that was not counted to its end has no last page. `url` is the request's path and query.
 */
export function listHeaders(
  url: string,
  { page, size }: Page,
  { totalItems, atLeast = false, ended = false, after }: Totals,
): Record<string, string> {
  const queryAt = url.indexOf('?');
  const path = escaped(queryAt < 0 ? url : url.slice(0, queryAt));
  const others = queryAt < 0 ? [] : otherParameters(url.slice(queryAt + 1));
  const last = atLeast ? Infinity : Math.max(1, Math.ceil(totalItems / size));
  const link = (rel: string, target: number, ...more: string[]): string =>
    `<${path}?${[...others, `page=${target}`, `size=${size}`, ...more].join('&')}>; rel="${rel}"`;
  const links = [link('first', 1)];
  if (page > 1) links.push(link('prev', Math.min(page - 1, last)));
  if ((page < last && !ended) || after)
    links.push(link('next', page + 1, ...(after ? [`after=${encodeCursor(after)}`] : [])));
  if (!atLeast) links.push(link('last', last));
  return { 'X-Total-Count': String(totalItems), Link: links.join(', ') };
}

/** The answer to a list request. `extras` are further members of the body. */
export function listAnswer(
  { url }: Pick<Input, 'url'>,
  { page, size }: Page,
  { items, ...totals }: Totals & { readonly items: readonly unknown[] },
  extras: Readonly<Record<string, unknown>> = {},
): Answer {
  const { totalItems, atLeast } = totals;
  const body = {
    items,
    page,
    size,
    totalItems,
    totalPages: Math.ceil(totalItems / size),
    ...(atLeast && { totalIsAtLeast: true }),
    ...extras,
  };
  return { status: 200, headers: listHeaders(url, { page, size }, totals), body };
}
