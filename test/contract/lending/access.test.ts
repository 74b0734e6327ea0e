import { openLibrary, uniqueWord, type Borrow, type Library } from '../../support/clients/books';
import { expectProblem } from '../../support/clients/problems';
import type { Reader } from '../../support/clients/requests';

/**
 * Who may call what. `{title}`, `{copy}` and `{borrow}` in a path stand for the ids of a title, its
 * only copy and the open borrow of it.
 */

type Row = [method: 'get' | 'post' | 'patch' | 'delete', path: string, body?: object];

const ADMINISTRATORS: Row[] = [
  ['post', '/api/book-infos', { title: 'Not allowed', author: 'Nobody' }],
  ['patch', '/api/book-infos/{title}', { title: 'Not allowed' }],
  ['delete', '/api/book-infos/{title}'],
  ['post', '/api/book-infos/{title}/books', { count: 1 }],
  ['patch', '/api/book-infos/{title}/books/{copy}', { status: 'LOST' }],
  ['delete', '/api/book-infos/{title}/books/{copy}'],
];
const SIGNED_IN: Row[] = [
  ['post', '/api/borrows', { bookInfoId: 1 }],
  ['post', '/api/returns', { bookInfoId: 1 }],
  ['get', '/api/borrows/{borrow}'],
  ['post', '/api/borrows/{borrow}/renewals'],
  ['get', '/api/borrow-histories'],
];
const PUBLIC: Row[] = [
  ['get', '/api/book-infos'],
  ['get', '/api/book-infos/popular'],
  ['get', '/api/book-infos/{title}'],
  ['get', '/api/book-infos/{title}/books'],
];

let library: Library;
let reader: Reader;
let borrow: Borrow;

beforeAll(async () => {
  library = await openLibrary();
  reader = library.newReader();
  const { bookInfoId } = await library.registered({ copies: 1 });
  borrow = await library.borrowed(reader, { bookInfoId });
});

const pathOf = (path: string): string =>
  path
    .replace('{title}', String(borrow.bookInfoId))
    .replace('{copy}', String(borrow.bookId))
    .replace('{borrow}', String(borrow.borrowId));

const call = ([method, path, body]: Row, token?: string) =>
  library.call(method, pathOf(path), { body, ...(token !== undefined && { token }) });

/** Everything that a refused call could have changed. */
async function everything() {
  const [title, copies, loan] = await Promise.all([
    library.detail(borrow.bookInfoId),
    library.copies(borrow.bookInfoId),
    library.call('get', `/api/borrows/${borrow.borrowId}`, { token: reader.token }),
  ]);
  return { title, copies, loan: loan.body };
}

describe('without a token', () => {
  it.each<Row>([...ADMINISTRATORS, ...SIGNED_IN])(
    '%s %s is 401 UNAUTHENTICATED and changes nothing',
    async (...row) => {
      const before = await everything();
      const response = await call(row);
      expectProblem(response, 401, 'UNAUTHENTICATED');
      expect(response.headers['www-authenticate']).toBe('Bearer');
      expect(await everything()).toEqual(before);
    },
  );

  it.each<Row>(PUBLIC)('%s %s is open to anybody', async (...row) => {
    expect((await call(row)).status).toBe(200);
  });

  it('401 comes before faults of the id or the body', async () => {
    expectProblem(
      await library.call('patch', '/api/book-infos/none', { body: { totalStock: 1 } }),
      401,
      'UNAUTHENTICATED',
    );
    expectProblem(await library.call('post', '/api/borrows', { body: {} }), 401, 'UNAUTHENTICATED');
  });
});

describe('with a bad token', () => {
  it.each<Row>([...ADMINISTRATORS, ...SIGNED_IN, ...PUBLIC])('%s %s is 401', async (...row) => {
    expectProblem(
      await call(row, library.target.token({ isAdmin: true, expiresIn: -1 })),
      401,
      'TOKEN_EXPIRED',
    );
    expectProblem(await call(row, `${library.target.admin}x`), 401, 'TOKEN_INVALID');
  });
});

describe('with a token of a user who is not an administrator', () => {
  it.each<Row>(ADMINISTRATORS)(
    '%s %s is 403 FORBIDDEN for a user and for a lecturer, and changes nothing',
    async (...row) => {
      const before = await everything();
      expectProblem(await call(row, reader.token), 403, 'FORBIDDEN');
      expectProblem(
        await call(row, library.newReader({ role: 'lecturer' }).token),
        403,
        'FORBIDDEN',
      );
      expect(await everything()).toEqual(before);
    },
  );

  it('a refused registration makes no title', async () => {
    const title = uniqueWord();
    expectProblem(
      await library.call('post', '/api/book-infos', {
        token: reader.token,
        body: { title, author: title },
      }),
      403,
      'FORBIDDEN',
    );
    expect((await library.call('get', `/api/book-infos?title=${title}`)).body.totalItems).toBe(0);
  });

  it('403 comes before faults of the id or the body', async () => {
    expectProblem(
      await library.call('patch', '/api/book-infos/none', {
        token: reader.token,
        body: { totalStock: 1 },
      }),
      403,
      'FORBIDDEN',
    );
    expectProblem(
      await library.call('post', '/api/book-infos', { token: reader.token, body: {} }),
      403,
      'FORBIDDEN',
    );
  });

  it.each<Row>(PUBLIC)('%s %s is open', async (...row) => {
    expect((await call(row, reader.token)).status).toBe(200);
  });
});

describe('lecturers and administrators are users too', () => {
  it.each(['lecturer', 'administrator'])(
    'a %s borrows, renews, returns and has a history',
    async (who) => {
      const one = library.newReader(who === 'lecturer' ? { role: 'lecturer' } : { isAdmin: true });
      const { bookInfoId } = await library.single();
      const { borrowId } = await library.borrowed(one, { bookInfoId });
      expect((await library.renew(one, borrowId)).status).toBe(200);
      expect((await library.returned(one, { bookInfoId })).borrowId).toBe(borrowId);
      expect((await library.histories(one, '?me=true')).body.items).toMatchObject([
        { borrowId, userId: one.userId },
      ]);
    },
  );
});
