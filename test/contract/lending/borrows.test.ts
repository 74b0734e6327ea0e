import {
  BORROW_KEYS,
  CLOCK_MS,
  expectKeys,
  INSTANT,
  openLibrary,
  succeeded,
  type Borrow,
  type Library,
} from '../../support/clients/books';
import { expectFaults, expectProblem } from '../../support/clients/problems';

/** POST /api/borrows and GET /api/borrows/{borrowId} */

const DAY_MS = 24 * 3600 * 1000;

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

describe('a borrow', () => {
  it('is 201 with Location and the whole Borrow, due 14 days later', async () => {
    const { title, bookInfoId } = await library.registered({ copies: 1 });
    const [bookId] = await library.copyIds(bookInfoId);
    const reader = library.newReader();
    const began = Date.now();
    const response = await library.borrow(reader, { bookInfoId });
    const borrow: Borrow = succeeded(response, 201);
    expectKeys(borrow, BORROW_KEYS);
    const { userId, username } = reader;
    expect(borrow).toMatchObject({
      userId,
      username,
      bookInfoId,
      bookId,
      title,
      returnedAt: null,
      renewalCount: 0,
      overdue: false,
      status: 'BORROWED',
    });
    expect([borrow.borrowedAt, borrow.dueAt]).toEqual([
      expect.stringMatching(INSTANT),
      expect.stringMatching(INSTANT),
    ]);
    expect(Date.parse(borrow.borrowedAt)).toBeGreaterThanOrEqual(began - CLOCK_MS);
    expect(Date.parse(borrow.borrowedAt)).toBeLessThanOrEqual(Date.now() + CLOCK_MS);
    expect(Date.parse(borrow.dueAt) - Date.parse(borrow.borrowedAt)).toBe(14 * DAY_MS);
    expect(response.headers.location).toBe(`/api/borrows/${borrow.borrowId}`);
    expect(
      (await library.call('get', response.headers.location ?? '', { token: reader.token })).body,
    ).toEqual(borrow);
  });

  it('of a copy gets this copy', async () => {
    const { bookInfoId } = await library.registered({ copies: 3 });
    const bookId = (await library.copyIds(bookInfoId))[1];
    expect(await library.borrowed(library.newReader(), { bookId })).toMatchObject({
      bookInfoId,
      bookId,
    });
  });

  it('of a title and one of its copies gets this copy', async () => {
    const { bookInfoId } = await library.registered({ copies: 3 });
    const bookId = (await library.copyIds(bookInfoId))[2];
    expect(await library.borrowed(library.newReader(), { bookInfoId, bookId })).toMatchObject({
      bookInfoId,
      bookId,
    });
  });

  it('takes one copy out of the stock and leaves the total', async () => {
    const { bookInfoId } = await library.registered({ copies: 2 });
    const { bookId } = await library.borrowed(library.newReader(), { bookInfoId });
    expect(await library.detail(bookInfoId)).toMatchObject({ totalStock: 2, availableStock: 1 });
    const { items } = await library.copies(bookInfoId);
    expect(items.find((copy) => copy.bookId === bookId)).toMatchObject({
      status: 'ON_LOAN',
      available: false,
    });
    expect(items.filter(({ available }) => available)).toHaveLength(1);
  });

  it('of two users get different copies', async () => {
    const { bookInfoId } = await library.registered({ copies: 2 });
    const [one, other] = [
      await library.borrowed(library.newReader(), { bookInfoId }),
      await library.borrowed(library.newReader(), { bookInfoId }),
    ];
    expect(other.bookId).not.toBe(one.bookId);
  });

  it('of several titles by one user is allowed', async () => {
    const reader = library.newReader();
    for (const { bookInfoId } of [
      await library.single(),
      await library.single(),
      await library.single(),
    ])
      await library.borrowed(reader, { bookInfoId });
    expect((await library.histories(reader)).body.totalItems).toBe(3);
  });

  it('is possible again after the return, as a new borrow', async () => {
    const { bookInfoId } = await library.single();
    const reader = library.newReader();
    const first = await library.borrowed(reader, { bookInfoId });
    await library.returned(reader, { bookInfoId });
    const second = await library.borrowed(reader, { bookInfoId });
    expect(second.borrowId).not.toBe(first.borrowId);
    expect(second).toMatchObject({ bookId: first.bookId, renewalCount: 0, returnedAt: null });
  });
});

describe('ALREADY_BORROWED', () => {
  it('is 409 with the id of the open borrow, also while other copies are available', async () => {
    const { bookInfoId } = await library.registered({ copies: 3 });
    const reader = library.newReader();
    const { borrowId } = await library.borrowed(reader, { bookInfoId });
    expectProblem(await library.borrow(reader, { bookInfoId }), 409, 'ALREADY_BORROWED', {
      borrowId,
    });
    expect((await library.detail(bookInfoId)).availableStock).toBe(2);
  });

  it('comes before OUT_OF_STOCK for the reader who has the last copy', async () => {
    const { bookInfoId } = await library.single();
    const reader = library.newReader();
    const { borrowId } = await library.borrowed(reader, { bookInfoId });
    expectProblem(await library.borrow(reader, { bookInfoId }), 409, 'ALREADY_BORROWED', {
      borrowId,
    });
    expectProblem(await library.borrow(library.newReader(), { bookInfoId }), 409, 'OUT_OF_STOCK', {
      bookInfoId,
    });
  });

  it('comes before COPY_NOT_AVAILABLE, and counts for every other copy of the title', async () => {
    const { bookInfoId } = await library.registered({ copies: 2 });
    const reader = library.newReader();
    const { borrowId, bookId } = await library.borrowed(reader, { bookInfoId });
    const other = (await library.copyIds(bookInfoId)).find((id) => id !== bookId);
    for (const body of [{ bookId }, { bookId: other }])
      expectProblem(await library.borrow(reader, body), 409, 'ALREADY_BORROWED', { borrowId });
  });
});

describe('OUT_OF_STOCK', () => {
  it('is 409 with the id of the title when every copy is on loan', async () => {
    const { bookInfoId } = await library.single();
    await library.borrowed(library.newReader(), { bookInfoId });
    expectProblem(await library.borrow(library.newReader(), { bookInfoId }), 409, 'OUT_OF_STOCK', {
      bookInfoId,
    });
  });

  it('is 409 for a title without copies', async () => {
    const { bookInfoId } = await library.registered();
    expectProblem(await library.borrow(library.newReader(), { bookInfoId }), 409, 'OUT_OF_STOCK', {
      bookInfoId,
    });
  });

  it.each(['LOST', 'DAMAGED', 'WITHDRAWN'])('is 409 when the only copy is %s', async (status) => {
    const copy = await library.single();
    succeeded(await library.setCopyStatus(copy, status), 200);
    expectProblem(
      await library.borrow(library.newReader(), { bookInfoId: copy.bookInfoId }),
      409,
      'OUT_OF_STOCK',
      { bookInfoId: copy.bookInfoId },
    );
  });

  it('leaves no trace: no borrow, no stock taken', async () => {
    const { bookInfoId } = await library.registered();
    const reader = library.newReader();
    await library.borrow(reader, { bookInfoId });
    expect((await library.histories(reader)).body.items).toEqual([]);
    expect(await library.detail(bookInfoId)).toMatchObject({ totalStock: 0, availableStock: 0 });
  });
});

describe('COPY_NOT_AVAILABLE', () => {
  it("is 409 with the title's id when the named copy is on loan, even if others are available", async () => {
    const { bookInfoId } = await library.registered({ copies: 2 });
    const { bookId } = await library.borrowed(library.newReader(), { bookInfoId });
    expectProblem(
      await library.borrow(library.newReader(), { bookId }),
      409,
      'COPY_NOT_AVAILABLE',
      { bookInfoId },
    );
  });

  it.each(['LOST', 'DAMAGED', 'WITHDRAWN'])('is 409 when the named copy is %s', async (status) => {
    const copy = await library.single();
    succeeded(await library.setCopyStatus(copy, status), 200);
    expectProblem(
      await library.borrow(library.newReader(), { bookId: copy.bookId }),
      409,
      'COPY_NOT_AVAILABLE',
      { bookInfoId: copy.bookInfoId },
    );
  });
});

describe('404', () => {
  it('BOOK_INFO_NOT_FOUND for a title that does not exist', async () => {
    expectProblem(
      await library.borrow(library.newReader(), { bookInfoId: library.target.newUserId() }),
      404,
      'BOOK_INFO_NOT_FOUND',
    );
  });

  it('BOOK_NOT_FOUND for a copy that does not exist, with its title or without', async () => {
    const { bookInfoId } = await library.single();
    const bookId = library.target.newUserId();
    for (const body of [{ bookId }, { bookInfoId, bookId }])
      expectProblem(await library.borrow(library.newReader(), body), 404, 'BOOK_NOT_FOUND');
  });

  it('BOOK_NOT_FOUND comes before ALREADY_BORROWED', async () => {
    const { bookInfoId } = await library.registered({ copies: 2 });
    const [kept, gone] = await library.copyIds(bookInfoId);
    const reader = library.newReader();
    await library.borrowed(reader, { bookId: kept });
    succeeded(await library.manage('delete', `/api/book-infos/${bookInfoId}/books/${gone}`), 204);
    expectProblem(await library.borrow(reader, { bookId: gone }), 404, 'BOOK_NOT_FOUND');
  });
});

describe('400 VALIDATION_FAILED', () => {
  it.each<[string, object, Record<string, string>]>([
    ['nothing to borrow', {}, { body: 'REQUIRED' }],
    ['an id as a text', { bookInfoId: '1' }, { bookInfoId: 'INVALID_TYPE' }],
    ['an id of 0', { bookInfoId: 0 }, { bookInfoId: 'OUT_OF_RANGE' }],
    ['an id below 0', { bookId: -1 }, { bookId: 'OUT_OF_RANGE' }],
    ['an id with a fraction', { bookId: 1.5 }, { bookId: 'INVALID_TYPE' }],
    ['an id above 2^53-1', { bookId: 2 ** 53 }, { bookId: 'OUT_OF_RANGE' }],
    ['an id of null', { bookInfoId: null }, { bookInfoId: 'INVALID_TYPE' }],
    [
      'a due date, which the library sets',
      { bookInfoId: 1, dueAt: '2030-01-01' },
      { dueAt: 'UNKNOWN_FIELD' },
    ],
  ])('for %s', async (_name, body, faults) => {
    expectFaults(await library.borrow(library.newReader(), body), faults);
  });

  it('for a copy of another title than the one named', async () => {
    const [one, other] = [await library.single(), await library.single()];
    expectFaults(
      await library.borrow(library.newReader(), {
        bookInfoId: one.bookInfoId,
        bookId: other.bookId,
      }),
      { bookInfoId: 'CONFLICTING_FIELDS' },
    );
    expect((await library.detail(other.bookInfoId)).availableStock).toBe(1);
  });
});

describe('reading a borrow', () => {
  it('is for its owner and for an administrator', async () => {
    const { bookInfoId } = await library.single();
    const reader = library.newReader();
    const borrow = await library.borrowed(reader, { bookInfoId });
    for (const token of [reader.token, library.target.admin]) {
      const body: object = succeeded(
        await library.call('get', `/api/borrows/${borrow.borrowId}`, { token }),
        200,
      );
      expectKeys(body, BORROW_KEYS);
      expect(body).toEqual(borrow);
    }
  });

  it('is 404 BORROW_NOT_FOUND for other readers, as if it did not exist', async () => {
    const { bookInfoId } = await library.single();
    const { borrowId } = await library.borrowed(library.newReader(), { bookInfoId });
    const others = [library.newReader().token, library.newReader({ role: 'lecturer' }).token];
    for (const token of others)
      expectProblem(
        await library.call('get', `/api/borrows/${borrowId}`, { token }),
        404,
        'BORROW_NOT_FOUND',
      );
    expectProblem(
      await library.manage('get', `/api/borrows/${library.target.newUserId()}`),
      404,
      'BORROW_NOT_FOUND',
    );
  });
});
