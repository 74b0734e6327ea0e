import { openLibrary, type Library } from '../../support/clients/books';
import { expectFaults } from '../../support/clients/problems';

/** What all lists of the library share. `{title}` stands for the id of a title. */

const LISTS = ['/api/book-infos', '/api/book-infos/{title}/books', '/api/borrow-histories'];

let library: Library;
let bookInfoId: number;
beforeAll(async () => {
  library = await openLibrary();
  ({ bookInfoId } = await library.registered({ copies: 1 }));
});

const read = (list: string, query: string) =>
  library.manage('get', `${list.replace('{title}', String(bookInfoId))}?${query}`);

describe.each(LISTS)('%s', (list) => {
  it.each(['0', '-1', '1.5', 'x', '', ' 1', '+1', '01', '1e3'])(
    '400 for page and size of %p',
    async (value) => {
      const text = encodeURIComponent(value);
      expectFaults(await read(list, `page=${text}&size=${text}`), {
        page: expect.any(String),
        size: expect.any(String),
      });
    },
  );

  it('clamps a size above 100 and says so', async () => {
    expect((await read(list, 'size=101')).body).toMatchObject({ page: 1, size: 100 });
    expect((await read(list, 'size=999999999999')).body.size).toBe(100);
  });

  it('has 20 items a page by default', async () => {
    expect((await read(list, '')).body).toMatchObject({ page: 1, size: 20 });
  });

  it('400 for a parameter that it does not know', async () => {
    expectFaults(await read(list, 'offset=1'), { offset: 'UNKNOWN_PARAMETER' });
  });
});

describe('400 INVALID_ID', () => {
  const PATHS: ['get' | 'post' | 'patch' | 'delete', string, string, object?][] = [
    ['get', '/api/book-infos/{id}', 'bookInfoId'],
    ['patch', '/api/book-infos/{id}', 'bookInfoId', { title: 'x' }],
    ['delete', '/api/book-infos/{id}', 'bookInfoId'],
    ['get', '/api/book-infos/{id}/books', 'bookInfoId'],
    ['post', '/api/book-infos/{id}/books', 'bookInfoId', { count: 1 }],
    ['patch', '/api/book-infos/{id}/books/1', 'bookInfoId', { status: 'LOST' }],
    ['patch', '/api/book-infos/1/books/{id}', 'bookId', { status: 'LOST' }],
    ['delete', '/api/book-infos/{id}/books/1', 'bookInfoId'],
    ['delete', '/api/book-infos/1/books/{id}', 'bookId'],
    ['get', '/api/borrows/{id}', 'borrowId'],
    ['post', '/api/borrows/{id}/renewals', 'borrowId'],
  ];
  it.each(PATHS)('%s %s for an invalid id', async (...[method, path, field, body]) => {
    for (const id of ['0', '-1', '01', '1.0', 'abc', '1e3', '12345678901234567', '%201']) {
      expectFaults(
        await library.manage(method, path.replace('{id}', id), body),
        { [field]: 'INVALID_ID' },
        'INVALID_ID',
      );
    }
  });
});
