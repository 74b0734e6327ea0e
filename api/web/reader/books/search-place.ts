import { pageOf, places } from '../places';

/**
 * What is searched for stands in the address, so that it is still there after a look at a title,
 * and can be sent to somebody.
 */

export const ORDERS = [
  'relevance',
  '-createdAt',
  'title',
  '-popularity',
  '-publicationDate',
] as const;
export type Order = (typeof ORDERS)[number];

export interface BookSearch {
  readonly q: string;
  readonly author: string;
  readonly sort: Order;
  readonly availableOnly: boolean;
  readonly page: number;
}

/** The best first when words are searched for, else the newest. */
const usualOrder = (q: string): Order => (q === '' ? '-createdAt' : 'relevance');

export function searchOf(query: string): BookSearch {
  const params = new URLSearchParams(query);
  const q = params.get('q') ?? '';
  const wanted = ORDERS.find((order) => order === params.get('sort'));
  return {
    q,
    author: params.get('author') ?? '',
    sort: wanted === undefined || (wanted === 'relevance' && q === '') ? usualOrder(q) : wanted,
    availableOnly: params.has('available'),
    page: pageOf(params.get('page')),
  };
}

export function pathOfSearch({
  q = '',
  author = '',
  sort = usualOrder(q),
  availableOnly = false,
  page = 1,
}: Partial<BookSearch>): string {
  const query = new URLSearchParams({
    ...(q && { q }),
    ...(author && { author }),
    ...(sort !== usualOrder(q) && { sort }),
    ...(availableOnly && { available: 'true' }),
    ...(page > 1 && { page: String(page) }),
  });
  return query.size > 0 ? `${places.books}?${query.toString()}` : places.books;
}
