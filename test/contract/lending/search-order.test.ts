import { openLibrary, uniqueWord, type BookInfo, type Library } from '../../support/clients/books';
import { expectFaults } from '../../support/clients/problems';

/** GET /api/book-infos: in which order and in which pages. */

const SORTS = ['title', 'publicationDate', 'createdAt', 'availableStock', 'popularity'];

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

async function found(q: string, query = ''): Promise<number[]> {
  const { status, body } = await library.call('get', `/api/book-infos?q=${q}${query}`);
  expect(status).toBe(200);
  return (body.items as BookInfo[]).map(({ bookInfoId }) => bookInfoId);
}

/** Titles that share an author, who is a word to search for. */
async function shelf(titles: readonly object[]): Promise<{ author: string; ids: number[] }> {
  const author = uniqueWord();
  const ids = [];
  for (const title of titles) ids.push((await library.registered({ ...title, author })).bookInfoId);
  return { author, ids };
}

const ascending = (ids: readonly number[]): number[] => [...ids].sort((a, b) => a - b);
const reordered = (ids: readonly number[], order: readonly number[]): (number | undefined)[] =>
  order.map((index) => ids[index]);

describe('the order', () => {
  it('is the newest first unless it is named', async () => {
    const { author, ids } = await shelf([{}, {}, {}]);
    const { body } = await library.call('get', `/api/book-infos?author=${author}`);
    expect((body.items as BookInfo[]).map(({ bookInfoId }) => bookInfoId)).toEqual(
      reordered(ids, [2, 1, 0]),
    );
    expect(await found(author, '&sort=-createdAt')).toEqual(reordered(ids, [2, 1, 0]));
    expect(await found(author, '&sort=createdAt')).toEqual(ids);
  });

  it.each(['q', 'title'])(
    'of a search by %s is by relevance: the text itself, what begins with it, the rest; each the most borrowed first',
    async (filter) => {
      const word = uniqueWord();
      const titles = [`The ${word}`, `${word} again`, word, `My ${word}`, `${word}s`, word];
      const ids = [];
      for (const title of titles)
        ids.push((await library.registered({ title, isbn: null, copies: 1 })).bookInfoId);
      for (const index of [5, 4, 3, 3]) {
        const reader = library.newReader();
        await library.borrowed(reader, { bookInfoId: ids[index] });
        await library.returned(reader, { bookInfoId: ids[index] });
      }
      const expected = reordered(ids, [5, 2, 4, 1, 3, 0]);
      for (const sort of ['', '&sort=relevance']) {
        const path = `/api/book-infos?${filter}=${word.toUpperCase()}${sort}`;
        const items = await library.allPages<BookInfo>(path, 4);
        expect(items.map(({ bookInfoId }) => bookInfoId)).toEqual(expected);
      }
      let next: string | undefined = `/api/book-infos?${filter}=${word}&size=1`;
      const linked: number[] = [];
      while (next !== undefined) {
        const { body, headers } = await library.call('get', next);
        linked.push(...(body.items as BookInfo[]).map(({ bookInfoId }) => bookInfoId));
        next = /<([^>]*)>; rel="next"/.exec(headers.link ?? '')?.[1];
      }
      expect(linked).toEqual(expected);
    },
  );

  it('by title takes no notice of case', async () => {
    const { author, ids } = await shelf([
      { title: 'banana' },
      { title: 'Apple' },
      { title: 'cherry' },
      { title: 'apple pie' },
      { title: 'Banana split' },
    ]);
    expect(await found(author, '&sort=title')).toEqual(reordered(ids, [1, 3, 0, 4, 2]));
    expect(await found(author, '&sort=-title')).toEqual(reordered(ids, [2, 4, 0, 3, 1]));
  });

  it('by title puts Korean in its alphabet', async () => {
    const { author, ids } = await shelf([{ title: '하늘' }, { title: '가을' }, { title: '나무' }]);
    expect(await found(author, '&sort=title')).toEqual(reordered(ids, [1, 2, 0]));
  });

  it('by publicationDate is that of the calendar', async () => {
    const { author, ids } = await shelf(
      ['2001-01-01', '0099-05-05', '9999-12-31', '1970-01-01'].map((publicationDate) => ({
        publicationDate,
      })),
    );
    expect(await found(author, '&sort=publicationDate')).toEqual(reordered(ids, [1, 3, 0, 2]));
    expect(await found(author, '&sort=-publicationDate')).toEqual(reordered(ids, [2, 0, 3, 1]));
  });

  it('by availableStock goes by numbers, and follows a borrow', async () => {
    const { author, ids } = await shelf([2, 10, 1].map((copies) => ({ copies })));
    expect(await found(author, '&sort=availableStock')).toEqual(reordered(ids, [2, 0, 1]));
    for (const bookInfoId of [ids[0], ids[0]])
      await library.borrowed(library.newReader(), { bookInfoId });
    expect(await found(author, '&sort=availableStock')).toEqual(reordered(ids, [0, 2, 1]));
    expect(await found(author, '&sort=-availableStock')).toEqual(reordered(ids, [1, 2, 0]));
  });

  it('by popularity goes by how often a title was borrowed, also when it is back', async () => {
    const { author, ids } = await shelf([0, 1, 2].map(() => ({ copies: 1 })));
    for (const bookInfoId of [ids[1], ids[1], ids[0]]) {
      const reader = library.newReader();
      await library.borrowed(reader, { bookInfoId });
      await library.returned(reader, { bookInfoId });
    }
    expect(await found(author, '&sort=-popularity')).toEqual(reordered(ids, [1, 0, 2]));
    expect(await found(author, '&sort=popularity')).toEqual(reordered(ids, [2, 0, 1]));
  });

  it.each([
    '',
    'author',
    '-author',
    '+title',
    '--title',
    'title,createdAt',
    'Title',
    'borrowCount',
    'createdAt;DROP',
    '-relevance',
  ])('400 for sort=%p', async (sort) => {
    expectFaults(await library.call('get', `/api/book-infos?sort=${encodeURIComponent(sort)}`), {
      sort: sort === '' ? 'TOO_SHORT' : 'INVALID_VALUE',
    });
  });
});

describe('pages', () => {
  it.each(SORTS.flatMap((sort) => [sort, `-${sort}`]))(
    'in the order %s never repeat or skip a title, also where all are equal',
    async (sort) => {
      // Equal in everything but the id and the time they were made; the dates are null.
      const { author, ids } = await shelf(
        Array.from({ length: 11 }, () => ({ title: 'Equal', isbn: null, publicationDate: null })),
      );
      const items = await library.allPages<BookInfo>(
        `/api/book-infos?author=${author}&sort=${sort}`,
        4,
      );
      const upwards = sort.endsWith('createdAt') ? ids : ascending(ids);
      const expected = sort.startsWith('-') ? upwards.reverse() : upwards;
      expect(items.map(({ bookInfoId }) => bookInfoId)).toEqual(expected);
    },
  );

  it('stay whole when they are turned by a search for text of many titles', async () => {
    const { author, ids } = await shelf(
      Array.from({ length: 25 }, (_, index) => ({
        title: `Same ${index % 3}`,
        isbn: null,
        publicationDate: index % 2 ? '2020-02-02' : null,
      })),
    );
    for (const sort of SORTS) {
      const items = await library.allPages<BookInfo>(`/api/book-infos?q=${author}&sort=${sort}`, 7);
      expect(ascending(items.map(({ bookInfoId }) => bookInfoId))).toEqual(ascending(ids));
    }
  });

  it.each(SORTS.flatMap((sort) => [sort, `-${sort}`]))(
    'in the order %s go on where the one before ended, also when titles come and go meanwhile',
    async (sort) => {
      const { author, ids } = await shelf(
        Array.from({ length: 7 }, (_, index) => ({
          title: `Equal ${index % 2}`,
          isbn: null,
          publicationDate: index % 3 ? '2020-02-02' : null,
        })),
      );
      const found: number[] = [];
      let next: string | undefined = `/api/book-infos?author=${author}&sort=${sort}&size=2`;
      for (let page = 1; next !== undefined; page += 1) {
        const { status, body, headers } = await library.call('get', next);
        expect([status, body.page]).toEqual([200, page]);
        found.push(...(body.items as BookInfo[]).map(({ bookInfoId }) => bookInfoId));
        next = /<([^>]*)>; rel="next"/.exec(headers.link ?? '')?.[1];
        if (next !== undefined) expect(next).toContain('&after=');
        // What was shown already is taken away, which would push a page that is counted from the
        // beginning along.
        if (page === 1)
          expect((await library.manage('delete', `/api/book-infos/${found[0]}`)).status).toBe(204);
      }
      expect(ascending(found)).toEqual(ascending(ids));
    },
  );

  it('continue only in the order in which they began', async () => {
    const { author } = await shelf([{}, {}]);
    const { headers } = await library.call('get', `/api/book-infos?author=${author}&size=1`);
    const after = /after=([^>&]*)/.exec(headers.link ?? '')?.[1] ?? '';
    expect(
      (await library.call('get', `/api/book-infos?author=${author}&after=${after}`)).body.items,
    ).toHaveLength(1);
    expectFaults(
      await library.call('get', `/api/book-infos?author=${author}&sort=title&after=${after}`),
      { after: 'INVALID_VALUE' },
    );
    expectFaults(await library.call('get', `/api/book-infos?author=${author}&after=x`), {
      after: 'INVALID_VALUE',
    });
  });

  it('say how many there are', async () => {
    const { author, ids } = await shelf(Array.from({ length: 5 }, () => ({})));
    const response = await library.call(
      'get',
      `/api/book-infos?author=${author}&page=2&size=2&sort=createdAt`,
    );
    expect(response.body).toMatchObject({
      page: 2,
      size: 2,
      totalItems: 5,
      totalPages: 3,
      items: ids.slice(2, 4).map((bookInfoId) => ({ bookInfoId })),
    });
    expect(response.headers['x-total-count']).toBe('5');
    expect(
      [...(response.headers.link ?? '').matchAll(/rel="(\w+)"/g)].map(([, rel]) => rel),
    ).toEqual(['first', 'prev', 'next', 'last']);
  });

  it('past the end are 200 and empty', async () => {
    const { author } = await shelf([{}]);
    for (const page of [2, 1000, Number.MAX_SAFE_INTEGER]) {
      expect(
        (await library.call('get', `/api/book-infos?author=${author}&page=${page}`)).body,
      ).toEqual({ items: [], page, size: 20, totalItems: 1, totalPages: 1 });
    }
  });
});
