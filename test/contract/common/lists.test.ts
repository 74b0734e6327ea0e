import { expectFaults } from '../../support/clients/problems';
import { target, type Target } from '../../support/service/target';
import { registerTitle, send, unique } from './helpers';

let lendline: Target;
/** Nobody else's: a search for it finds the titles of this file only. */
let author: string;
let titles: number[];
beforeAll(async () => {
  lendline = await target();
  author = unique('Author');
  titles = [];
  for (const n of [1, 2, 3, 4, 5])
    titles.push(
      (await registerTitle(lendline, { author, title: `${n % 2} ${unique('Title')}`, copies: n }))
        .bookInfoId,
    );
});

const search = (parameters = '') =>
  lendline.api().get(`/api/book-infos?author=${encodeURIComponent(author)}${parameters}`);
const ids = (items: { bookInfoId: number }[]) => items.map(({ bookInfoId }) => bookInfoId);

/** The Link header as relation -> query parameters. */
function links(header: string | undefined): Record<string, Record<string, string>> {
  const found = [...(header ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(
    ([, url, rel]) => [rel!, Object.fromEntries(new URL(url!, 'http://x').searchParams)] as const,
  );
  return Object.fromEntries(found);
}

const LISTS: Record<string, () => string> = {
  titles: () => '/api/book-infos',
  copies: () => `/api/book-infos/${titles[0]}/books`,
  borrows: () => '/api/borrow-histories',
};

describe.each(Object.keys(LISTS))('the list of %s', (name) => {
  const get = (query: string) =>
    lendline.api().get(`${LISTS[name]!()}${query}`).auth(lendline.admin, { type: 'bearer' });

  it('has items, page, size, totalItems and totalPages, by default 20 from page 1', async () => {
    const { status, body, headers } = await get('');
    expect([status, body.page, body.size]).toEqual([200, 1, 20]);
    expect(body.items.length).toBe(Math.min(20, body.totalItems));
    expect(body.totalPages).toBe(Math.ceil(body.totalItems / 20));
    expect(headers['x-total-count']).toBe(String(body.totalItems));
    expect(links(headers['link'])).toMatchObject({
      first: { page: '1', size: '20' },
      last: { page: String(Math.max(1, body.totalPages)), size: '20' },
    });
  });

  it('reduces a size above 100 to 100 and says so', async () => {
    for (const size of ['100', '101', '9007199254740993'])
      expect((await get(`?size=${size}`)).body.size).toBe(100);
  });

  it.each([
    'page=0',
    'page=-1',
    'page=1.5',
    'page=x',
    'page=',
    'page=1e2',
    'page=%201',
    'page=01',
    'size=0',
    'size=-5',
    'size=ten',
    'size=',
  ])('answers 400 VALIDATION_FAILED to %s', async (query) => {
    expectFaults(await get(`?${query}`), { [query.slice(0, 4)]: expect.any(String) });
  });

  it('is empty on a page past the end, however far', async () => {
    for (const page of ['100000', '9007199254740991']) {
      const { status, body } = await get(`?page=${page}`);
      expect([status, body.items, String(body.page)]).toEqual([200, [], page]);
    }
  });

  it('answers 400 VALIDATION_FAILED to a parameter it does not know, or knows once', async () => {
    expectFaults(await get('?limit=5&Page=2'), {
      Page: 'UNKNOWN_PARAMETER',
      limit: 'UNKNOWN_PARAMETER',
    });
    expectFaults(await get('?page=1&page=2'), { page: 'REPEATED_PARAMETER' });
    expectFaults(await get('?page[a]=1'), { 'page[a]': 'UNKNOWN_PARAMETER' });
    expectFaults(await get('?__proto__=1'), { ['__proto__']: 'UNKNOWN_PARAMETER' });
  });
});

describe('pages', () => {
  it('follow each other by their links, without repeating or skipping', async () => {
    const seen: number[] = [];
    const relations: string[][] = [];
    let query: string | undefined = '&size=2';
    while (query !== undefined) {
      const response = await search(query);
      seen.push(...ids(response.body.items));
      const found = links(response.headers['link']);
      relations.push(Object.keys(found));
      for (const link of Object.values(found)) expect(link).toMatchObject({ author, size: '2' });
      query = found['next'] && `&size=2&page=${found['next'].page}`;
    }
    expect(seen).toEqual([...titles].reverse());
    expect(relations).toEqual([
      ['first', 'next', 'last'],
      ['first', 'prev', 'next', 'last'],
      ['first', 'prev', 'last'],
    ]);
  });

  it('past the end lead back to the last one', async () => {
    const { body, headers } = await search('&size=2&page=9');
    expect(body).toEqual({ items: [], page: 9, size: 2, totalItems: 5, totalPages: 3 });
    expect(links(headers['link'])).toMatchObject({ prev: { page: '3' }, last: { page: '3' } });
  });

  it('do not exist for a search without results', async () => {
    const { body, headers } = await lendline
      .api()
      .get(`/api/book-infos?title=${encodeURIComponent(unique('nothing'))}`);
    expect(body).toEqual({ items: [], page: 1, size: 20, totalItems: 0, totalPages: 0 });
    expect(headers['x-total-count']).toBe('0');
  });

  it('escape a query that would break out of their links', async () => {
    const { headers } = await send(lendline.url, {
      method: 'GET',
      path: '/api/book-infos?title=a>;rel="next",<b&size=1',
    });
    expect(headers['link']).not.toMatch(/title=[^&]*[<>"]/);
    expect(links(headers['link'] as string)['first']!.title).toBe('a>;rel="next",<b');
  });
});

describe('the order', () => {
  it.each(['availableStock', '-availableStock'])('is what sort=%s says', async (sort) => {
    const expected = sort.startsWith('-') ? [...titles].reverse() : titles;
    expect(ids((await search(`&sort=${sort}`)).body.items)).toEqual(expected);
  });

  it('of equals is by id, so that pages stay apart', async () => {
    const paged: number[] = [];
    for (const page of [1, 2, 3, 4, 5])
      paged.push(...ids((await search(`&sort=popularity&size=1&page=${page}`)).body.items));
    expect(paged).toEqual([...titles].sort((a, b) => a - b));
  });

  it.each(['', 'isbn', 'Title', '--title', 'title,author', 'title;drop', '-'])(
    'answers 400 VALIDATION_FAILED to sort=%j',
    async (sort) => {
      expectFaults(await search(`&sort=${encodeURIComponent(sort)}`), { sort: expect.any(String) });
    },
  );
});

describe('booleans', () => {
  it.each(['', '1', 'TRUE', 'yes', 'null', ' true'])(
    'are true or false, and not %j',
    async (value) => {
      const response = await search(`&available=${encodeURIComponent(value)}`);
      expectFaults(response, { available: expect.any(String) });
    },
  );

  it('may be either', async () => {
    expect((await search('&available=true')).body.totalItems).toBe(5);
    expect((await search('&available=false')).body.totalItems).toBe(0);
  });
});
