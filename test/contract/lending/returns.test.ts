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
import { expectFaults, expectProblem, outcomesOf } from '../../support/clients/problems';

/** POST /api/returns */

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

/** A new title with one copy, and the borrow of it. */
async function onLoan() {
  const { bookInfoId } = await library.single();
  const reader = library.newReader();
  const borrow = await library.borrowed(reader, { bookInfoId });
  return { reader, borrow, ids: { borrowId: borrow.borrowId, bookId: borrow.bookId, bookInfoId } };
}

type Ids = Awaited<ReturnType<typeof onLoan>>['ids'];
const FORMS: [string, (ids: Ids) => Partial<Ids>][] = [
  ['borrowId', ({ borrowId }) => ({ borrowId })],
  ['bookId', ({ bookId }) => ({ bookId })],
  ['bookInfoId', ({ bookInfoId }) => ({ bookInfoId })],
  ['all three', (ids) => ids],
];

describe('a return', () => {
  it.each(FORMS)('by %s is 200 with the closed Borrow', async (_name, form) => {
    const { reader, borrow, ids } = await onLoan();
    const began = Date.now();
    const closed: Borrow = succeeded(await library.giveBack(reader, form(ids)), 200);
    expectKeys(closed, BORROW_KEYS);
    expect(closed).toEqual({
      ...borrow,
      status: 'RETURNED',
      returnedAt: expect.stringMatching(INSTANT),
    });
    expect(Date.parse(closed.returnedAt ?? '')).toBeGreaterThanOrEqual(began - CLOCK_MS);
    expect(Date.parse(closed.returnedAt ?? '')).toBeLessThanOrEqual(Date.now() + CLOCK_MS);
    expect(
      (await library.call('get', `/api/borrows/${ids.borrowId}`, { token: reader.token })).body,
    ).toEqual(closed);
  });

  it('frees copy and stock at once, for anybody', async () => {
    const { reader, ids } = await onLoan();
    const { bookInfoId, bookId } = ids;
    await library.returned(reader, { bookInfoId });
    expect(await library.detail(bookInfoId)).toMatchObject({ totalStock: 1, availableStock: 1 });
    expect((await library.copies(bookInfoId)).items).toEqual([
      { bookId, bookInfoId, available: true, status: 'AVAILABLE', kind: 'book', barcode: null },
    ]);
    expect((await library.borrowed(library.newReader(), { bookInfoId })).bookId).toBe(bookId);
  });

  it('closes the named borrow and no other', async () => {
    const { bookInfoId } = await library.registered({ copies: 2 });
    const [one, other] = [library.newReader(), library.newReader()];
    const [mine, theirs] = [
      await library.borrowed(one, { bookInfoId }),
      await library.borrowed(other, { bookInfoId }),
    ];
    expect((await library.returned(one, { bookInfoId })).borrowId).toBe(mine.borrowId);
    expect(
      (await library.call('get', `/api/borrows/${theirs.borrowId}`, { token: other.token })).body,
    ).toEqual(theirs);
  });

  it('of ten at the same time is made by exactly one', async () => {
    const { reader, ids } = await onLoan();
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => library.giveBack(reader, { borrowId: ids.borrowId })),
    );
    expect(outcomesOf(responses)).toEqual({ 200: 1, '409 ALREADY_RETURNED': 9 });
    expect(await library.detail(ids.bookInfoId)).toMatchObject({
      totalStock: 1,
      availableStock: 1,
    });
  });
});

describe('ALREADY_RETURNED', () => {
  it('is 409 with the id of the borrow when it is closed, for owner and administrator', async () => {
    const { reader, ids } = await onLoan();
    const { borrowId } = ids;
    const closed = await library.returned(reader, { borrowId });
    expectProblem(await library.giveBack(reader, { borrowId }), 409, 'ALREADY_RETURNED', {
      borrowId,
    });
    expectProblem(
      await library.manage('post', '/api/returns', { borrowId }),
      409,
      'ALREADY_RETURNED',
      { borrowId },
    );
    expect(
      (await library.call('get', `/api/borrows/${borrowId}`, { token: reader.token })).body,
    ).toEqual(closed);
    expect((await library.detail(ids.bookInfoId)).availableStock).toBe(1);
  });

  it('is not undone by a later borrow of the same copy by the same user', async () => {
    const { reader, ids } = await onLoan();
    await library.returned(reader, { borrowId: ids.borrowId });
    await library.borrowed(reader, { bookInfoId: ids.bookInfoId });
    expectProblem(
      await library.giveBack(reader, { borrowId: ids.borrowId }),
      409,
      'ALREADY_RETURNED',
      { borrowId: ids.borrowId },
    );
    expect((await library.detail(ids.bookInfoId)).availableStock).toBe(0);
  });
});

describe('BORROW_NOT_FOUND', () => {
  it.each(FORMS)('is 404 for the borrow of somebody else, by %s', async (_name, form) => {
    const { reader, borrow, ids } = await onLoan();
    expectProblem(await library.giveBack(library.newReader(), form(ids)), 404, 'BORROW_NOT_FOUND');
    expect(
      (await library.call('get', `/api/borrows/${ids.borrowId}`, { token: reader.token })).body,
    ).toEqual(borrow);
  });

  it.each(FORMS.slice(1, 3))('is 404 when none is open, by %s', async (_name, form) => {
    const { reader, ids } = await onLoan();
    await library.returned(reader, { borrowId: ids.borrowId });
    expectProblem(await library.giveBack(reader, form(ids)), 404, 'BORROW_NOT_FOUND');
  });

  it.each(['borrowId', 'bookId', 'bookInfoId'])(
    'is 404 for a %s that does not exist',
    async (field) => {
      expectProblem(
        await library.giveBack(library.newReader(), { [field]: library.target.newUserId() }),
        404,
        'BORROW_NOT_FOUND',
      );
    },
  );
});

describe('an administrator', () => {
  it.each(FORMS.slice(0, 2))('closes the borrow of anybody by %s', async (_name, form) => {
    const { borrow, ids } = await onLoan();
    const closed: Borrow = succeeded(await library.manage('post', '/api/returns', form(ids)), 200);
    expect(closed).toEqual({ ...borrow, status: 'RETURNED', returnedAt: closed.returnedAt });
  });

  it('means the own borrow by bookInfoId: without one it is 404', async () => {
    const { ids } = await onLoan();
    expectProblem(
      await library.manage('post', '/api/returns', { bookInfoId: ids.bookInfoId }),
      404,
      'BORROW_NOT_FOUND',
    );
  });
});

describe('400 VALIDATION_FAILED', () => {
  it.each<[string, object, Record<string, string>]>([
    ['nothing to return', {}, { body: 'REQUIRED' }],
    ['an id as a text', { borrowId: '1' }, { borrowId: 'INVALID_TYPE' }],
    ['an id of 0', { bookId: 0 }, { bookId: 'OUT_OF_RANGE' }],
    ['an id above 2^53-1', { borrowId: 2 ** 53 }, { borrowId: 'OUT_OF_RANGE' }],
    ['an id of null', { bookInfoId: null }, { bookInfoId: 'INVALID_TYPE' }],
    [
      'the time of the return, which the library sets',
      { bookInfoId: 1, returnedAt: '2020-01-01T00:00:00.000Z' },
      { returnedAt: 'UNKNOWN_FIELD' },
    ],
  ])('for %s', async (_name, body, faults) => {
    expectFaults(await library.giveBack(library.newReader(), body), faults);
  });

  it('for fields that name different borrows, and nothing is returned', async () => {
    const [one, other] = [await onLoan(), await onLoan()];
    const { borrowId, bookId, bookInfoId } = one.ids;
    expectFaults(await library.giveBack(one.reader, { borrowId, bookId: other.ids.bookId }), {
      bookId: 'CONFLICTING_FIELDS',
    });
    expectFaults(
      await library.giveBack(one.reader, { borrowId, bookInfoId: other.ids.bookInfoId }),
      { bookInfoId: 'CONFLICTING_FIELDS' },
    );
    expectFaults(await library.giveBack(one.reader, { bookId, bookInfoId: other.ids.bookInfoId }), {
      bookInfoId: 'CONFLICTING_FIELDS',
    });
    expect((await library.detail(bookInfoId)).availableStock).toBe(0);
  });
});
