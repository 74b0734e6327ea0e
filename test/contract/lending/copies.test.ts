import {
  COPY_KEYS,
  expectKeys,
  LIST_KEYS,
  openLibrary,
  succeeded,
  type Library,
} from '../../support/clients/books';
import { expectFaults, expectProblem } from '../../support/clients/problems';

/** POST and GET /api/book-infos/{bookInfoId}/books */

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

const add = (bookInfoId: number, body: unknown) =>
  library.manage('post', `/api/book-infos/${bookInfoId}/books`, body);
const list = (bookInfoId: number, query = '') =>
  library.call('get', `/api/book-infos/${bookInfoId}/books${query}`);

describe('adding copies', () => {
  it('is 201 with the new copies and the stock', async () => {
    const { bookInfoId } = await library.registered({ copies: 1 });
    const before = await library.copyIds(bookInfoId);
    const body: { items: object[] } = succeeded(await add(bookInfoId, { count: 3 }), 201);
    expectKeys(body, ['bookInfoId', 'addedCount', 'totalStock', 'availableStock', 'items']);
    expect(body).toMatchObject({ bookInfoId, addedCount: 3, totalStock: 4, availableStock: 4 });
    expect(body.items).toHaveLength(3);
    for (const item of body.items) {
      expectKeys(item, COPY_KEYS);
      expect(item).toEqual({
        bookId: expect.any(Number),
        bookInfoId,
        available: true,
        status: 'AVAILABLE',
        kind: 'book',
        barcode: null,
      });
    }
    // The first copy may have any place among them: two workers take their ids from different
    // blocks.
    expect(
      (await library.copies(bookInfoId)).items.filter(
        ({ bookId }: { bookId: number }) => !before.includes(bookId),
      ),
    ).toEqual(body.items);
  });

  it('counts on from the stock, also while copies are on loan', async () => {
    const { bookInfoId } = await library.registered({ copies: 1 });
    await library.borrowed(library.newReader(), { bookInfoId });
    expect(succeeded(await add(bookInfoId, { count: 1 }), 201)).toMatchObject({
      totalStock: 2,
      availableStock: 1,
    });
    expect(await library.detail(bookInfoId)).toMatchObject({
      totalStock: 2,
      availableStock: 1,
      version: 1,
    });
  });

  it('takes 1000 at once', async () => {
    const { bookInfoId } = await library.registered();
    const body: { items: { bookId: number }[] } = succeeded(
      await add(bookInfoId, { count: 1000 }),
      201,
    );
    expect(new Set(body.items.map(({ bookId }) => bookId)).size).toBe(1000);
    expect((await list(bookInfoId)).body).toMatchObject({
      totalItems: 1000,
      totalStock: 1000,
      availableStock: 1000,
    });
  });

  it('404 BOOK_INFO_NOT_FOUND for a title that does not exist', async () => {
    expectProblem(await add(library.target.newUserId(), { count: 1 }), 404, 'BOOK_INFO_NOT_FOUND');
  });

  it.each<[string, object, Record<string, string>]>([
    ['neither count nor barcodes', {}, { body: 'REQUIRED' }],
    ['both', { count: 1, barcodes: ['A'] }, { body: 'CONFLICTING_FIELDS' }],
    ['no barcodes', { barcodes: [] }, { barcodes: 'TOO_SHORT' }],
    ['a barcode twice', { barcodes: ['A', ' A '] }, { 'barcodes.1': 'DUPLICATE' }],
    ['a blank barcode', { barcodes: [' '] }, { 'barcodes.0': 'TOO_SHORT' }],
    ['a long barcode', { barcodes: ['A'.repeat(65)] }, { 'barcodes.0': 'TOO_LONG' }],
    [
      'a barcode with a control character',
      { barcodes: ['A\u0007'] },
      { 'barcodes.0': 'INVALID_FORMAT' },
    ],
    ['a count of 0', { count: 0 }, { count: 'OUT_OF_RANGE' }],
    ['a count below 0', { count: -1 }, { count: 'OUT_OF_RANGE' }],
    ['a count above 1000', { count: 1001 }, { count: 'OUT_OF_RANGE' }],
    ['a count with a fraction', { count: 1.5 }, { count: 'INVALID_TYPE' }],
    ['a count as a text', { count: '3' }, { count: 'INVALID_TYPE' }],
    ['a count of null', { count: null }, { count: 'INVALID_TYPE' }],
    ['a field that does not exist', { count: 1, status: 'LOST' }, { status: 'UNKNOWN_FIELD' }],
  ])('400 VALIDATION_FAILED for %s, and nothing is added', async (_name, body, faults) => {
    const { bookInfoId } = await library.registered();
    expectFaults(await add(bookInfoId, body), faults);
    expect(await library.copyIds(bookInfoId)).toEqual([]);
  });
});

describe('the list of copies', () => {
  it('has the stock beside the copies', async () => {
    const { bookInfoId } = await library.registered({ copies: 2 });
    const { body } = await list(bookInfoId);
    expectKeys(body, [...LIST_KEYS, 'bookInfoId', 'totalStock', 'availableStock']);
    expect(body).toMatchObject({
      bookInfoId,
      totalStock: 2,
      availableStock: 2,
      page: 1,
      size: 20,
      totalItems: 2,
      totalPages: 1,
    });
    for (const item of body.items as object[]) {
      expectKeys(item, COPY_KEYS);
      expect(item).toMatchObject({ bookInfoId, available: true, status: 'AVAILABLE' });
    }
  });

  it('finds copies by status and by whether they can be borrowed', async () => {
    const { bookInfoId } = await library.registered({ copies: 5 });
    const [onLoan = 0, lost = 0, damaged = 0, withdrawn = 0, free = 0] =
      await library.copyIds(bookInfoId);
    await library.borrowed(library.newReader(), { bookId: onLoan });
    for (const [bookId, status] of [
      [lost, 'LOST'],
      [damaged, 'DAMAGED'],
      [withdrawn, 'WITHDRAWN'],
    ] as const) {
      succeeded(await library.setCopyStatus({ bookInfoId, bookId }, status), 200);
    }
    const ids = async (query: string) =>
      ((await list(bookInfoId, query)).body.items as { bookId: number }[]).map(
        ({ bookId }) => bookId,
      );
    expect(await ids('')).toEqual([onLoan, lost, damaged, withdrawn, free]);
    expect(await ids('?available=true')).toEqual([free]);
    expect(await ids('?available=false')).toEqual([onLoan, lost, damaged, withdrawn]);
    expect(await ids('?status=AVAILABLE')).toEqual([free]);
    expect(await ids('?status=ON_LOAN')).toEqual([onLoan]);
    expect(await ids('?status=LOST')).toEqual([lost]);
    expect(await ids('?status=DAMAGED')).toEqual([damaged]);
    expect(await ids('?status=WITHDRAWN')).toEqual([withdrawn]);
    expect(await ids('?status=LOST&available=true')).toEqual([]);
    // A withdrawn copy is none of the stock any more.
    expect((await list(bookInfoId, '?available=true')).body).toMatchObject({
      totalItems: 1,
      totalStock: 4,
      availableStock: 1,
    });
  });

  it('in pages never repeats or skips a copy', async () => {
    const { bookInfoId } = await library.registered({ copies: 23 });
    const ids = await library.copyIds(bookInfoId);
    const paged = await library.allPages<{ bookId: number }>(
      `/api/book-infos/${bookInfoId}/books?available=true`,
      5,
    );
    expect(paged.map(({ bookId }) => bookId)).toEqual(ids);
    expect((await list(bookInfoId, '?page=6&size=5')).body).toMatchObject({
      items: [],
      totalItems: 23,
      totalPages: 5,
    });
  });

  it('404 BOOK_INFO_NOT_FOUND for a title that does not exist', async () => {
    expectProblem(await list(library.target.newUserId()), 404, 'BOOK_INFO_NOT_FOUND');
  });

  it.each<[string, Record<string, string>]>([
    ['?status=GONE', { status: 'INVALID_VALUE' }],
    ['?status=available', { status: 'INVALID_VALUE' }],
    ['?available=0', { available: 'INVALID_VALUE' }],
  ])('400 for %s', async (query, faults) => {
    const { bookInfoId } = await library.registered();
    expectFaults(await list(bookInfoId, query), faults);
  });
});
