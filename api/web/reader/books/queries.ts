import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answered, client, type Schemas } from '../../shared/client';
import { LIVE, STILL } from '../../shared/look-again';
import { HAS_PICTURES } from './cover-hosts';
import type { BookSearch } from './search-place';

/** What the pages ask about books. */

/** Titles on a page; it fills rows of two, three, four and six. */
const SEARCH_SIZE = 24;
const SHELF_SIZE = 12;
const HISTORY_SIZE = 10;
/** The largest page of the service. No reader has more open borrows or holds. */
const ALL = 100;

export type BookInfo = Schemas['BookInfo'];
export type Borrow = Schemas['Borrow'];
export type Hold = Schemas['Hold'];

const searchParams = ({ q, author, availableOnly }: BookSearch) => ({
  ...(q && { q }),
  ...(author && { author }),
  ...(availableOnly && { available: true }),
});

export const searchQuery = (search: BookSearch) =>
  queryOptions({
    queryKey: ['titles', search],
    queryFn: ({ signal }) =>
      answered(
        client.request('GET', '/api/book-infos', {
          query: {
            ...searchParams(search),
            sort: search.sort,
            page: search.page,
            size: SEARCH_SIZE,
          },
          signal,
        }),
      ),
    meta: LIVE,
    placeholderData: keepPreviousData,
  });

/** How many titles a search finds. */
export const countQuery = (search: BookSearch) =>
  queryOptions({
    queryKey: ['titles', 'count', searchParams(search)],
    queryFn: ({ signal }) =>
      answered(
        client.request('GET', '/api/book-infos', {
          query: { ...searchParams(search), size: 1 },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** The titles of a shelf: the newest, or those of an author. */
export const shelfQuery = (filter: { readonly author?: string }) =>
  queryOptions({
    queryKey: ['titles', 'shelf', filter],
    queryFn: ({ signal }) =>
      answered(
        client.request('GET', '/api/book-infos', {
          query: { ...filter, sort: '-createdAt', size: SHELF_SIZE },
          signal,
        }),
      ),
  });

export const popularQuery = queryOptions({
  queryKey: ['titles', 'popular'],
  queryFn: ({ signal }) =>
    answered(
      client.request('GET', '/api/book-infos/popular', { query: { size: SHELF_SIZE }, signal }),
    ),
});

export const titleQuery = (bookInfoId: number) =>
  queryOptions({
    queryKey: ['title', bookInfoId],
    queryFn: ({ signal }) =>
      answered(
        client.request('GET', '/api/book-infos/{bookInfoId}', { path: { bookInfoId }, signal }),
      ),
    meta: LIVE,
  });

/** What the cover of a title shows. */
export const coverQuery = (bookInfoId: number) =>
  queryOptions({
    queryKey: ['title', bookInfoId, 'cover'],
    queryFn: ({ signal }) =>
      answered(
        client.request('GET', '/api/book-infos/{bookInfoId}', { path: { bookInfoId }, signal }),
      ),
    enabled: HAS_PICTURES,
    meta: STILL,
    staleTime: Infinity,
  });

/** Every title of a reader is in one list, so that all places show the same. */
export const openBorrowsQuery = queryOptions({
  queryKey: ['borrows', 'open'],
  queryFn: ({ signal }) =>
    answered(
      client.request('GET', '/api/borrow-histories', {
        query: { me: true, returned: false, size: ALL },
        signal,
      }),
    ),
});

export const openHoldsQuery = queryOptions({
  queryKey: ['holds', 'open'],
  queryFn: ({ signal }) =>
    answered(
      client.request('GET', '/api/holds', { query: { me: true, open: true, size: ALL }, signal }),
    ),
});

export const historyQuery = (page: number) =>
  queryOptions({
    queryKey: ['borrows', 'closed', page],
    queryFn: ({ signal }) =>
      answered(
        client.request('GET', '/api/borrow-histories', {
          query: { me: true, returned: true, page, size: HISTORY_SIZE },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** The borrows of one title that a reader has had, latest first. */
export const pastBorrowsQuery = (bookInfoId: number) =>
  queryOptions({
    queryKey: ['borrows', 'closed', 'of', bookInfoId],
    queryFn: ({ signal }) =>
      answered(
        client.request('GET', '/api/borrow-histories', {
          query: { me: true, returned: true, bookInfoId, size: 1 },
          signal,
        }),
      ),
  });
