import { createHash } from 'node:crypto';
import Joi from 'joi';
import type { Sequelize } from 'sequelize-typescript';
import type { Cache } from '../../shared/cache/cache';
import type { Now } from '../../shared/database/clock';
import { date, line } from '../../shared/fields';
import { bookInfoEtag, lendingCacheKeys } from '../../shared/lending/views';
import type { OldReads } from '../database/replica';
import type { Endpoint, Input } from '../http/endpoint';
import { queryCursor } from '../http/requests/cursor';
import { pageRules } from '../http/requests/paging';
import { queryBoolean, queryInteger, queryOrder } from '../http/requests/query-rules';
import { AS_CSV, tagged, taggedList } from '../openapi/doc';
import { cachedEntity } from '../reads/cached-entity';
import { cachedList, cachedPage } from '../reads/cached-list';
import { noSuchTitle } from './no-such';
import { popularTitles } from './popular-titles';
import { findTitle } from './queries';
import type { TitleFilters } from './title-filters';
import {
  isCursorOf,
  MOST_RELEVANT_FIRST,
  NEWEST_FIRST,
  relevantText,
  TITLE_ORDERS,
} from './title-orders';
import { searchTitles, type TitleSearch } from './title-search';
import { bookInfo, popularTitles as popularList } from './title-schemas';

/** Reads of titles, by way of the cache. */

export interface TitleReadsOptions {
  readonly database: Sequelize;
  readonly oldReads: OldReads;
  readonly cache: Cache;
  readonly now: Now;
}

/** Last resorts, milliseconds: a worker's bump ends a view as soon as it is old. */
const DETAIL_KEPT_MS = 300_000;
const SEARCH_KEPT_MS = 60_000;
/**
 * Nothing bumps the popular titles. Replica, cache and client together may lag by the 60 s that the
 * contract allows.
 */
const POPULAR_AGE_MS = 10_000;
const POPULAR_KEPT_MS = 25_000;
const POPULAR_MAX_AGE_S = 25;

const POPULAR_DAYS_MAX = 365;
const POPULAR_SIZE_MAX = 100;

/** Drops a blank filter, which forms send. */
const text = () => line(255).empty('');

const searchRules = Joi.object({
  title: text(),
  author: text(),
  isbn: text(),
  q: text(),
  publishedFrom: date,
  publishedTo: date,
  available: queryBoolean(),
  sort: queryOrder(
    TITLE_ORDERS,
    (filters: TitleFilters) =>
      relevantText(filters) === undefined ? NEWEST_FIRST : MOST_RELEVANT_FIRST,
    'With `q` or `title` it is `relevance` unless you name another, else `-createdAt`.',
  ),
  after: queryCursor(isCursorOf),
  ...pageRules(),
});

/** Returns one cache name for all spellings of a search. */
function searchView(query: TitleSearch): string {
  const { title, author, isbn, q, publishedFrom, publishedTo, available, sort, after, page, size } =
    query;
  const parts = [
    title,
    author,
    isbn,
    q,
    publishedFrom,
    publishedTo,
    available,
    sort.field,
    sort.descending,
    after?.value,
    after?.id,
    page,
    size,
  ];
  return `lending:search:${createHash('sha1').update(JSON.stringify(parts)).digest('base64url')}`;
}

const search = (database: Sequelize, cache: Cache): Endpoint => ({
  method: 'get',
  path: '/api/book-infos',
  who: 'public',
  kind: 'read',
  query: searchRules,
  doc: {
    id: 'searchTitles',
    tag: 'Titles',
    summary: 'Search titles',
    description:
      'Text filters find parts of words, whatever their case; `q` looks in titles, authors and ISBNs. All filters must hold. When nothing has the whole of `q`, titles are found that have each of its words in the title or the author, with or without accents. By `relevance`, titles that are the text come first, then those that begin with it, then the rest; each the most borrowed first.',
    answers: taggedList(bookInfo),
  },
  handle: async (input: Input<unknown, TitleSearch>) => {
    const { query } = input;
    const view = {
      view: searchView(query),
      subject: lendingCacheKeys.titles,
      ttlMs: SEARCH_KEPT_MS,
    };
    return cachedPage(cache, view, input, () => searchTitles(database, query));
  },
});

const detail = (cache: Cache): Endpoint => ({
  method: 'get',
  path: '/api/book-infos/:bookInfoId',
  who: 'public',
  kind: 'read',
  doc: {
    id: 'getTitle',
    tag: 'Titles',
    summary: 'One title',
    answers: tagged(bookInfo),
    problems: ['BOOK_INFO_NOT_FOUND'],
  },
  handle: async ({ params }: Input) => {
    const bookInfoId = params['bookInfoId'] as number;
    const name = lendingCacheKeys.bookInfo(bookInfoId);
    const view = { view: name, subject: name, ttlMs: DETAIL_KEPT_MS };
    const load = async () => {
      const title = await findTitle(bookInfoId);
      if (!title) throw noSuchTitle(bookInfoId);
      return title;
    };
    return cachedEntity(cache, view, load, bookInfoEtag);
  },
});

interface PopularQuery {
  readonly days: number;
  readonly size: number;
}

const popular = ({ oldReads, cache, now }: Omit<TitleReadsOptions, 'database'>): Endpoint => ({
  method: 'get',
  path: '/api/book-infos/popular',
  who: 'public',
  kind: 'read',
  query: Joi.object({
    days: queryInteger({ min: 1, max: POPULAR_DAYS_MAX }).default(30),
    size: queryInteger({ min: 1, max: POPULAR_SIZE_MAX, clamp: true }).default(10),
  }),
  doc: {
    id: 'popularTitles',
    tag: 'Titles',
    summary: 'The titles borrowed most',
    description: 'At most a minute old.',
    answers: {
      200: {
        description: 'The most borrowed first. With `Accept: text/csv` as CSV.',
        schema: popularList,
        alternatives: AS_CSV,
        headers: ['X-Total-Count', 'ETag'],
      },
      304: {
        description: 'The version in `If-None-Match` is still current.',
        headers: ['X-Total-Count', 'ETag'],
      },
    },
  },
  handle: async ({ query: { days, size } }: Input<unknown, PopularQuery>) => {
    const name = lendingCacheKeys.popular(days, size);
    const { totals, etag, json } = await cachedList(
      cache,
      { view: name, subject: name, ttlMs: POPULAR_KEPT_MS },
      async () => {
        const items = await popularTitles(await oldReads(POPULAR_AGE_MS), days, size, now());
        return {
          totals: { totalItems: items.length },
          body: {
            items,
            page: 1,
            size,
            totalItems: items.length,
            totalPages: Math.ceil(items.length / size),
            days,
          },
        };
      },
    );
    return {
      status: 200,
      headers: {
        'X-Total-Count': String(totals.totalItems),
        ETag: etag,
        'Cache-Control': `max-age=${POPULAR_MAX_AGE_S}`,
      },
      json,
    };
  },
});

export const titleReads = (options: TitleReadsOptions): Endpoint[] => [
  search(options.database, options.cache),
  popular(options),
  detail(options.cache),
];
