import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answered, client, type Schemas } from '../../shared/client';

/** What the pages ask about books. */

/**
 * How often what others may change is asked for again while somebody looks at it, milliseconds. It
 * has an ETag: the browser sends that along by itself, and as long as nothing has changed the
 * service answers 304 out of its cache.
 */
const LOOK_AGAIN_MS = 3000;
/** Titles on a page; it fills rows of two, three, four and six. */
const SEARCH_SIZE = 12;
const HISTORY_SIZE = 10;
/** The most that the service gives at once: nobody has more open borrows or holds. */
const ALL = 100;

export type BookInfo = Schemas['BookInfo'];
export type Borrow = Schemas['Borrow'];
export type Hold = Schemas['Hold'];
export type Order = '-createdAt' | 'title' | '-popularity' | '-publicationDate';

export interface BookSearch {
  readonly q: string;
  readonly sort: Order;
  readonly availableOnly: boolean;
  readonly page: number;
}

export const searchQuery = ({ q, sort, availableOnly, page }: BookSearch) =>
  queryOptions({
    queryKey: ['titles', { q, sort, availableOnly, page }],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/api/book-infos', {
          params: {
            query: {
              ...(q && { q }),
              ...(availableOnly && { available: true }),
              sort,
              page,
              size: SEARCH_SIZE,
            },
          },
          signal,
        }),
      ),
    refetchInterval: LOOK_AGAIN_MS,
    placeholderData: keepPreviousData,
  });

export const titleQuery = (bookInfoId: number) =>
  queryOptions({
    queryKey: ['title', bookInfoId],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/api/book-infos/{bookInfoId}', { params: { path: { bookInfoId } }, signal }),
      ),
    refetchInterval: LOOK_AGAIN_MS,
  });

/** Every title of a reader is in one list, so that all places show the same. */
export const openBorrowsQuery = queryOptions({
  queryKey: ['borrows', 'open'],
  queryFn: ({ signal }) =>
    answered(
      client.GET('/api/borrow-histories', {
        params: { query: { me: true, returned: false, size: ALL } },
        signal,
      }),
    ),
});

export const openHoldsQuery = queryOptions({
  queryKey: ['holds', 'open'],
  queryFn: ({ signal }) =>
    answered(
      client.GET('/api/holds', { params: { query: { me: true, open: true, size: ALL } }, signal }),
    ),
  refetchInterval: LOOK_AGAIN_MS,
});

export const historyQuery = (page: number) =>
  queryOptions({
    queryKey: ['borrows', 'closed', page],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/api/borrow-histories', {
          params: { query: { me: true, returned: true, page, size: HISTORY_SIZE } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });
