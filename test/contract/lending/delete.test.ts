import { openLibrary, succeeded, type BookInfo, type Library } from '../../support/clients/books';
import { expectFaults, expectProblem } from '../../support/clients/problems';

/** DELETE /api/book-infos/{bookInfoId} */

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

const remove = (bookInfoId: number) => library.manage('delete', `/api/book-infos/${bookInfoId}`);
const removed = async (bookInfoId: number): Promise<void> => {
  succeeded(await remove(bookInfoId), 204);
};

it('is 204 without a body', async () => {
  const { bookInfoId } = await library.registered({ copies: 2 });
  const response = await remove(bookInfoId);
  expect([response.status, response.text]).toEqual([204, '']);
});

it('answers 404 BOOK_INFO_NOT_FOUND for an unknown title, and 400 INVALID_ID for a malformed id', async () => {
  expectProblem(await remove(library.target.newUserId()), 404, 'BOOK_INFO_NOT_FOUND');
  expectFaults(
    await library.manage('delete', '/api/book-infos/x'),
    { bookInfoId: 'INVALID_ID' },
    'INVALID_ID',
  );
});

describe('with an open borrow', () => {
  it('is 409 BOOK_INFO_ON_LOAN with the ids of the title and of a borrow, and everything stays', async () => {
    const before = await library.registered({ copies: 2 });
    const { bookInfoId } = before;
    const reader = library.newReader();
    const { borrowId } = await library.borrowed(reader, { bookInfoId });
    expectProblem(await remove(bookInfoId), 409, 'BOOK_INFO_ON_LOAN', { bookInfoId, borrowId });
    expect(await library.detail(bookInfoId)).toEqual({ ...before, availableStock: 1 });
    expect((await library.giveBack(reader, { bookInfoId })).status).toBe(200);
  });

  it('is 204 once the copy is returned', async () => {
    const { bookInfoId } = await library.single();
    const reader = library.newReader();
    await library.borrowed(reader, { bookInfoId });
    await library.returned(reader, { bookInfoId });
    expect((await remove(bookInfoId)).status).toBe(204);
  });

  it('names the borrow that is left when others are closed', async () => {
    const { bookInfoId } = await library.registered({ copies: 3 });
    const readers = [library.newReader(), library.newReader(), library.newReader()];
    const borrows = [];
    for (const reader of readers) borrows.push(await library.borrowed(reader, { bookInfoId }));
    for (const reader of readers.slice(0, 2)) await library.returned(reader, { bookInfoId });
    expectProblem(await remove(bookInfoId), 409, 'BOOK_INFO_ON_LOAN', {
      bookInfoId,
      borrowId: borrows[2]!.borrowId,
    });
  });

  it('is 204 once the copy is lost', async () => {
    const copy = await library.single();
    await library.borrowed(library.newReader(), { bookInfoId: copy.bookInfoId });
    succeeded(await library.setCopyStatus(copy, 'LOST'), 200);
    expect((await remove(copy.bookInfoId)).status).toBe(204);
  });
});

describe('an If-Match', () => {
  const removeIf = (bookInfoId: number, etag: string) =>
    library.call('delete', `/api/book-infos/${bookInfoId}`, {
      token: library.target.admin,
      headers: { 'If-Match': etag },
    });
  const etagOf = async (bookInfoId: number) =>
    (await library.call('get', `/api/book-infos/${bookInfoId}`)).headers.etag as string;

  it('that names another version is 412 VERSION_MISMATCH, and nothing is deleted', async () => {
    const { bookInfoId } = await library.registered();
    const before = await etagOf(bookInfoId);
    succeeded(
      await library.manage('patch', `/api/book-infos/${bookInfoId}`, { title: 'Newer' }),
      200,
    );
    for (const etag of [before, '"something-else"', 'no tag', `${before}, "9.0-0"`])
      expectProblem(await removeIf(bookInfoId, etag), 412, 'VERSION_MISMATCH');
    expect(await library.detail(bookInfoId)).toMatchObject({ title: 'Newer' });
    expect((await removeIf(bookInfoId, await etagOf(bookInfoId))).status).toBe(204);
    expectProblem(await removeIf(bookInfoId, before), 404, 'BOOK_INFO_NOT_FOUND');
  });

  it('depends on the attributes alone: a borrow in between does not change the version', async () => {
    const { bookInfoId } = await library.single();
    const before = await etagOf(bookInfoId);
    const { borrowId } = await library.borrowed(library.newReader(), { bookInfoId });
    expectProblem(await removeIf(bookInfoId, before), 409, 'BOOK_INFO_ON_LOAN', {
      bookInfoId,
      borrowId,
    });
  });
});

describe('a deleted title', () => {
  it('is 404 BOOK_INFO_NOT_FOUND to every later call', async () => {
    const { bookInfoId, bookId } = await library.single();
    await removed(bookInfoId);
    const path = `/api/book-infos/${bookInfoId}`;
    const calls = [
      library.manage('get', path),
      library.manage('get', `${path}/books`),
      library.manage('patch', path, { title: 'x' }),
      library.manage('delete', path),
      library.manage('post', `${path}/books`, { count: 1 }),
      library.manage('patch', `${path}/books/${bookId}`, { status: 'LOST' }),
      library.manage('delete', `${path}/books/${bookId}`),
      library.manage('post', '/api/borrows', { bookInfoId }),
      library.manage('post', '/api/borrows', { bookId }),
    ];
    for (const response of await Promise.all(calls))
      expectProblem(response, 404, 'BOOK_INFO_NOT_FOUND');
  });

  it('is found by no search', async () => {
    const { bookInfoId, title, isbn } = await library.registered();
    await removed(bookInfoId);
    for (const query of [`title=${encodeURIComponent(title)}`, `isbn=${isbn}`, `q=${isbn}`]) {
      expect((await library.call('get', `/api/book-infos?${query}`)).body).toMatchObject({
        items: [],
        totalItems: 0,
      });
    }
  });

  it('keeps its name in histories and in the borrow', async () => {
    const { bookInfoId, title } = await library.registered({ copies: 1 });
    const reader = library.newReader();
    const { borrowId } = await library.borrowed(reader, { bookInfoId });
    const returned = await library.returned(reader, { bookInfoId });
    await removed(bookInfoId);
    expect(returned.title).toBe(title);
    expect((await library.histories(reader)).body.items).toEqual([returned]);
    expect(
      (await library.call('get', `/api/borrows/${borrowId}`, { token: reader.token })).body,
    ).toEqual(returned);
  });

  it('gives its ISBN back: registering it makes a new title', async () => {
    const { bookInfoId, isbn } = await library.registered({ copies: 3 });
    await removed(bookInfoId);
    const again: BookInfo = succeeded(
      await library.manage('post', '/api/book-infos', {
        title: 'Again',
        author: 'Again',
        isbn,
        copies: 1,
      }),
      201,
    );
    expect(again).toMatchObject({ title: 'Again', isbn, totalStock: 1, version: 1 });
    expect(again.bookInfoId).not.toBe(bookInfoId);
    expect((await library.call('get', `/api/book-infos/${bookInfoId}`)).status).toBe(404);
  });

  it('gives its ISBN back to a change as well', async () => {
    const [{ bookInfoId, isbn }, other] = [await library.registered(), await library.registered()];
    await removed(bookInfoId);
    expect(
      (await library.manage('patch', `/api/book-infos/${other.bookInfoId}`, { isbn })).body.isbn,
    ).toBe(isbn);
  });

  it('can be deleted once: of ten at the same time one is 204, the others are 404', async () => {
    const { bookInfoId } = await library.registered();
    const responses = await Promise.all(Array.from({ length: 10 }, () => remove(bookInfoId)));
    expect(responses.filter(({ status }) => status === 204)).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 204))
      expectProblem(response, 404, 'BOOK_INFO_NOT_FOUND');
  });
});
