import {
  BOOK_INFO_KEYS,
  expectKeys,
  newIsbn13,
  openLibrary,
  succeeded,
  uniqueWord,
  type BookInfo,
  type Library,
} from '../../support/clients/books';
import { expectFaults, expectProblem, outcomesOf } from '../../support/clients/problems';

/** PATCH /api/book-infos/{bookInfoId} */

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

const patch = (bookInfoId: number, body: unknown, headers: Record<string, string> = {}) =>
  library.manage('patch', `/api/book-infos/${bookInfoId}`, body, headers);
const etagOf = async (bookInfoId: number): Promise<string> =>
  (await library.call('get', `/api/book-infos/${bookInfoId}`)).headers.etag ?? '';

describe('a change', () => {
  const CHANGES: [string, () => object][] = [
    ['title', () => ({ title: `New ${uniqueWord()}` })],
    ['author', () => ({ author: `New ${uniqueWord()}` })],
    ['isbn', () => ({ isbn: newIsbn13() })],
    ['publicationDate', () => ({ publicationDate: '0999-01-01' })],
    ['bookImg', () => ({ bookImg: 'https://img.example/new.png' })],
    [
      'all',
      () => ({
        title: uniqueWord(),
        author: uniqueWord(),
        isbn: newIsbn13(),
        publicationDate: '2024-02-29',
        bookImg: 'http://img.example/',
      }),
    ],
  ];

  it.each(CHANGES)(
    'of %s is 200 with the whole BookInfo in a new version, and leaves the rest alone',
    async (_name, change) => {
      const before = await library.registered({ copies: 2 });
      const changes = change();
      const after: BookInfo = succeeded(await patch(before.bookInfoId, changes), 200);
      expectKeys(after, BOOK_INFO_KEYS);
      const authorId = 'author' in changes ? expect.any(Number) : before.authorId;
      expect(after).toEqual({
        ...before,
        ...changes,
        authorId,
        version: 2,
        modifiedAt: after.modifiedAt,
      });
      expect(after.modifiedAt > before.modifiedAt).toBe(true);
      expect(await library.detail(before.bookInfoId)).toEqual(after);
    },
  );

  it('of the author to a new name makes an author, and back to the old name finds the old one', async () => {
    const before = await library.registered();
    // An author without titles is removed once a minute.
    await library.registered({ author: before.author });
    const renamed: BookInfo = succeeded(
      await patch(before.bookInfoId, { author: `New ${uniqueWord()}` }),
      200,
    );
    expect(renamed.authorId).not.toBe(before.authorId);
    expect(succeeded(await patch(before.bookInfoId, { author: before.author }), 200).authorId).toBe(
      before.authorId,
    );
  });

  it('to null clears what may be null', async () => {
    const { bookInfoId } = await library.registered();
    const cleared = { isbn: null, publicationDate: null, bookImg: null };
    expect(succeeded(await patch(bookInfoId, cleared), 200)).toMatchObject(cleared);
    expect(await library.detail(bookInfoId)).toMatchObject(cleared);
  });

  it('that clears the ISBN lets another title have it', async () => {
    const { bookInfoId, isbn } = await library.registered();
    succeeded(await patch(bookInfoId, { isbn: null }), 200);
    expect((await library.registered({ isbn })).bookInfoId).not.toBe(bookInfoId);
  });

  it('to the ISBN of another title is 409 ISBN_ALREADY_REGISTERED with the id of that title', async () => {
    const [holder, other] = [await library.registered(), await library.registered()];
    expectProblem(
      await patch(other.bookInfoId, { isbn: holder.isbn, title: 'No' }),
      409,
      'ISBN_ALREADY_REGISTERED',
      { bookInfoId: holder.bookInfoId },
    );
    expect(await library.detail(other.bookInfoId)).toEqual(other);
  });

  it('to its own ISBN is no conflict', async () => {
    const { bookInfoId, isbn } = await library.registered();
    expect(succeeded(await patch(bookInfoId, { isbn, title: 'Yes' }), 200)).toMatchObject({
      isbn,
      title: 'Yes',
    });
  });
});

describe('a change is refused', () => {
  it('404 BOOK_INFO_NOT_FOUND for a title that does not exist', async () => {
    expectProblem(
      await patch(library.target.newUserId(), { title: 'x' }),
      404,
      'BOOK_INFO_NOT_FOUND',
    );
  });

  it('400 INVALID_ID for what is no id', async () => {
    expectFaults(
      await library.manage('patch', '/api/book-infos/0', { title: 'x' }),
      { bookInfoId: 'INVALID_ID' },
      'INVALID_ID',
    );
  });

  it.each([
    'totalStock',
    'availableStock',
    'version',
    'bookInfoId',
    'authorId',
    'createdAt',
    'modifiedAt',
  ])('400 READ_ONLY_FIELD for %s', async (field) => {
    const before = await library.registered({ copies: 1 });
    expectFaults(
      await patch(before.bookInfoId, { [field]: 2 }),
      { [field]: 'READ_ONLY_FIELD' },
      'READ_ONLY_FIELD',
    );
    expectFaults(
      await patch(before.bookInfoId, { [field]: 2, title: 'With a good field' }),
      { [field]: 'READ_ONLY_FIELD' },
      'READ_ONLY_FIELD',
    );
    expect(await library.detail(before.bookInfoId)).toEqual(before);
  });

  it.each<[string, object, Record<string, string>]>([
    ['an empty object', {}, { body: 'REQUIRED' }],
    ['a title of null', { title: null }, { title: 'INVALID_TYPE' }],
    ['an author of null', { author: null }, { author: 'INVALID_TYPE' }],
    ['a blank title', { title: ' ' }, { title: 'TOO_SHORT' }],
    ['a blank author', { author: '' }, { author: 'TOO_SHORT' }],
    ['a title of 256 characters', { title: 'a'.repeat(256) }, { title: 'TOO_LONG' }],
    [
      'a day that does not exist',
      { publicationDate: '1900-02-29' },
      { publicationDate: 'INVALID_FORMAT' },
    ],
    ['an image that is no URL', { bookImg: 'none' }, { bookImg: 'INVALID_FORMAT' }],
    ['copies, which are added elsewhere', { copies: 1 }, { copies: 'UNKNOWN_FIELD' }],
    [
      'a read-only field among other faults',
      { version: 2, title: '' },
      { version: 'READ_ONLY_FIELD', title: 'TOO_SHORT' },
    ],
  ])('400 VALIDATION_FAILED for %s', async (_name, body, faults) => {
    const before = await library.registered();
    expectFaults(await patch(before.bookInfoId, body), faults);
    expect(await library.detail(before.bookInfoId)).toEqual(before);
  });
});

describe('If-Match', () => {
  it('with the ETag of the title lets the change through', async () => {
    const { bookInfoId } = await library.registered();
    expect(
      (await patch(bookInfoId, { title: 'New' }, { 'If-Match': await etagOf(bookInfoId) })).status,
    ).toBe(200);
  });

  it('with the ETag of an earlier version is 412 VERSION_MISMATCH, and changes nothing', async () => {
    const { bookInfoId } = await library.registered();
    const etag = await etagOf(bookInfoId);
    const changed: BookInfo = succeeded(await patch(bookInfoId, { title: 'Newer' }), 200);
    expectProblem(
      await patch(bookInfoId, { title: 'Too late' }, { 'If-Match': etag }),
      412,
      'VERSION_MISMATCH',
    );
    expect(await library.detail(bookInfoId)).toEqual(changed);
  });

  it('still matches after changes of the stock: a borrow, a return, copies, a status', async () => {
    const { bookInfoId } = await library.registered({ copies: 2 });
    const etag = await etagOf(bookInfoId);
    const reader = library.newReader();
    await library.borrowed(reader, { bookInfoId });
    await library.returned(reader, { bookInfoId });
    succeeded(
      await library.manage('post', `/api/book-infos/${bookInfoId}/books`, { count: 1 }),
      201,
    );
    const [bookId = 0] = await library.copyIds(bookInfoId);
    succeeded(await library.setCopyStatus({ bookInfoId, bookId }, 'WITHDRAWN'), 200);
    expect(
      succeeded(await patch(bookInfoId, { title: 'New' }, { 'If-Match': etag }), 200),
    ).toMatchObject({ title: 'New', version: 2 });
  });

  it('of * fits any version', async () => {
    const { bookInfoId } = await library.registered();
    expect((await patch(bookInfoId, { title: 'New' }, { 'If-Match': '*' })).status).toBe(200);
  });

  it('may be the ETag that the change before answered with', async () => {
    const { bookInfoId } = await library.registered();
    const first = await patch(bookInfoId, { title: 'Second' });
    expect(first.headers.etag).toBe(await etagOf(bookInfoId));
    expect(
      (await patch(bookInfoId, { title: 'Third' }, { 'If-Match': first.headers.etag as string }))
        .status,
    ).toBe(200);
  });

  it('may list several ETags, one of which must fit', async () => {
    const { bookInfoId } = await library.registered();
    const first = await etagOf(bookInfoId);
    succeeded(await patch(bookInfoId, { title: 'Second' }), 200);
    const second = await etagOf(bookInfoId);
    expectProblem(
      await patch(bookInfoId, { title: 'Third' }, { 'If-Match': `${first}, "something-else"` }),
      412,
      'VERSION_MISMATCH',
    );
    expect(
      (await patch(bookInfoId, { title: 'Third' }, { 'If-Match': `${first}, ${second}` })).status,
    ).toBe(200);
  });

  it('that names no version of ours is 412', async () => {
    const { bookInfoId } = await library.registered();
    for (const etag of ['"something-else"', 'no tag', '""'])
      expectProblem(
        await patch(bookInfoId, { title: 'x' }, { 'If-Match': etag }),
        412,
        'VERSION_MISMATCH',
      );
  });

  it('404 comes before 412', async () => {
    for (const etag of ['"1.0-0"', '"something-else"'])
      expectProblem(
        await patch(library.target.newUserId(), { title: 'x' }, { 'If-Match': etag }),
        404,
        'BOOK_INFO_NOT_FOUND',
      );
  });

  it('412 comes before 409', async () => {
    const [holder, other] = [await library.registered(), await library.registered()];
    const etag = await etagOf(other.bookInfoId);
    succeeded(await patch(other.bookInfoId, { title: 'Newer' }), 200);
    expectProblem(
      await patch(other.bookInfoId, { isbn: holder.isbn }, { 'If-Match': etag }),
      412,
      'VERSION_MISMATCH',
    );
  });
});

describe('changes at the same time', () => {
  it('of different fields all survive', async () => {
    const { bookInfoId } = await library.registered({ copies: 1 });
    const fields = [
      { title: uniqueWord() },
      { author: uniqueWord() },
      { isbn: newIsbn13() },
      { publicationDate: '1888-08-08' },
      { bookImg: null },
    ];
    const responses = await Promise.all(fields.map((field) => patch(bookInfoId, field)));
    expect(outcomesOf(responses)).toEqual({ 200: 5 });
    expect(new Set(responses.map(({ body }) => body.version as number))).toEqual(
      new Set([2, 3, 4, 5, 6]),
    );
    expect(await library.detail(bookInfoId)).toMatchObject({
      ...(Object.assign({}, ...fields) as object),
      version: 6,
      totalStock: 1,
    });
  });

  it('with the same If-Match: exactly one is made, the others are 412', async () => {
    const { bookInfoId } = await library.registered();
    const etag = await etagOf(bookInfoId);
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        patch(bookInfoId, { title: `Writer ${index}` }, { 'If-Match': etag }),
      ),
    );
    expect(outcomesOf(responses)).toEqual({ 200: 1, '412 VERSION_MISMATCH': 9 });
    expect(await library.detail(bookInfoId)).toEqual(
      responses.find(({ status }) => status === 200)?.body,
    );
  });

  it('and borrows leave attributes and stock right', async () => {
    const { bookInfoId } = await library.registered({ copies: 5 });
    const titles = Array.from({ length: 5 }, () => uniqueWord());
    const [changes, borrows] = await Promise.all([
      Promise.all(titles.map((title) => patch(bookInfoId, { title }))),
      Promise.all(titles.map(() => library.borrow(library.newReader(), { bookInfoId }))),
    ]);
    expect([outcomesOf(changes), outcomesOf(borrows)]).toEqual([{ 200: 5 }, { 201: 5 }]);
    const last = changes.find(({ body }) => body.version === 6)?.body as BookInfo;
    expect(await library.detail(bookInfoId)).toMatchObject({
      title: last.title,
      version: 6,
      totalStock: 5,
      availableStock: 0,
    });
  });
});
