import {
  BOOK_INFO_KEYS,
  expectKeys,
  openLibrary,
  succeeded,
  type Library,
} from '../../support/clients/books';
import { expectFaults, expectProblem } from '../../support/clients/problems';

/** GET /api/book-infos/{bookInfoId} */

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

const read = (bookInfoId: number, headers: Record<string, string> = {}) =>
  library.call('get', `/api/book-infos/${bookInfoId}`, { headers });

it('is 200 with the BookInfo and an ETag', async () => {
  const title = await library.registered({ copies: 2 });
  const response = await read(title.bookInfoId);
  expectKeys(response.body, BOOK_INFO_KEYS);
  expect(response.body).toEqual(title);
  expect(response.headers.etag).toMatch(/^"[^"]+"$/);
});

it('404 BOOK_INFO_NOT_FOUND for a title that does not exist', async () => {
  expectProblem(await read(library.target.newUserId()), 404, 'BOOK_INFO_NOT_FOUND');
});

it('answers 400 to any parameter', async () => {
  const { bookInfoId } = await library.registered();
  expectFaults(await library.call('get', `/api/book-infos/${bookInfoId}?fields=title`), {
    fields: 'UNKNOWN_PARAMETER',
  });
});

describe('If-None-Match', () => {
  it('with the ETag is 304 without a body, as long as nothing has changed', async () => {
    const { bookInfoId } = await library.registered();
    const { etag = '' } = (await read(bookInfoId)).headers;
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await read(bookInfoId, { 'If-None-Match': tags });
      expect([response.status, response.text, response.headers.etag]).toEqual([304, '', etag]);
    }
  });

  it('with another tag is 200', async () => {
    const title = await library.registered();
    expect(succeeded(await read(title.bookInfoId, { 'If-None-Match': '"other"' }), 200)).toEqual(
      title,
    );
  });

  it.each<[string, (copy: { bookInfoId: number; bookId: number }) => Promise<unknown>]>([
    [
      'a change',
      ({ bookInfoId }) =>
        library.manage('patch', `/api/book-infos/${bookInfoId}`, { title: 'New' }),
    ],
    ['a borrow', ({ bookInfoId }) => library.borrowed(library.newReader(), { bookInfoId })],
    [
      'more copies',
      ({ bookInfoId }) =>
        library.manage('post', `/api/book-infos/${bookInfoId}/books`, { count: 1 }),
    ],
    ['a damaged copy', (copy) => library.setCopyStatus(copy, 'DAMAGED')],
  ])('with the ETag from before %s is 200 and a new ETag', async (_name, change) => {
    const copy = await library.single();
    const before = await read(copy.bookInfoId);
    await change(copy);
    const after = await read(copy.bookInfoId, { 'If-None-Match': before.headers.etag ?? '' });
    expect(after.status).toBe(200);
    expect(after.body).not.toEqual(before.body);
    expect(after.headers.etag).not.toBe(before.headers.etag);
  });
});
