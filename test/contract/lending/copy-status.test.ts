import {
  COPY_KEYS,
  expectKeys,
  openLibrary,
  succeeded,
  type Borrow,
  type Library,
} from '../../support/clients/books';
import { expectFaults, expectProblem } from '../../support/clients/problems';

/** PATCH and DELETE /api/book-infos/{bookInfoId}/books/{bookId} */

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

interface CopyOfTitle {
  readonly bookInfoId: number;
  readonly bookId: number;
}

const remove = ({ bookInfoId, bookId }: CopyOfTitle) =>
  library.manage('delete', `/api/book-infos/${bookInfoId}/books/${bookId}`);
const patch = ({ bookInfoId, bookId }: CopyOfTitle, body: unknown) =>
  library.manage('patch', `/api/book-infos/${bookInfoId}/books/${bookId}`, body);
const stockOf = async (bookInfoId: number) => {
  const { totalStock, availableStock } = await library.detail(bookInfoId);
  return [totalStock, availableStock];
};

/** A new title with one copy, which somebody has. */
async function onLoan() {
  const copy = await library.single();
  const reader = library.newReader();
  return { copy, reader, borrow: await library.borrowed(reader, { bookId: copy.bookId }) };
}

describe('setting a status', () => {
  it.each([
    ['LOST', [2, 1]],
    ['DAMAGED', [2, 1]],
    ['WITHDRAWN', [1, 1]],
    ['AVAILABLE', [2, 2]],
  ])('%s is 200 with the copy, and the stock is right', async (status, stock) => {
    const { bookInfoId } = await library.registered({ copies: 2 });
    const [bookId = 0] = await library.copyIds(bookInfoId);
    const body: object = succeeded(await patch({ bookInfoId, bookId }, { status }), 200);
    expectKeys(body, COPY_KEYS);
    expect(body).toEqual({
      ...{ bookId, bookInfoId, available: status === 'AVAILABLE', status },
      ...{ kind: 'book', barcode: null },
    });
    expect(await stockOf(bookInfoId)).toEqual(stock);
    expect((await library.copies(bookInfoId)).items[0]).toEqual(body);
  });

  it('from any to any other keeps the stock right', async () => {
    const copy = await library.single();
    const steps = [
      'LOST',
      'WITHDRAWN',
      'DAMAGED',
      'AVAILABLE',
      'WITHDRAWN',
      'LOST',
      'AVAILABLE',
      'DAMAGED',
      'LOST',
      'LOST',
      'DAMAGED',
      'WITHDRAWN',
      'AVAILABLE',
    ];
    for (const status of steps) {
      succeeded(await library.setCopyStatus(copy, status), 200);
      expect([status, ...(await stockOf(copy.bookInfoId))]).toEqual([
        status,
        Number(status !== 'WITHDRAWN'),
        Number(status === 'AVAILABLE'),
      ]);
    }
  });

  it('AVAILABLE again lets the copy be borrowed', async () => {
    const copy = await library.single();
    succeeded(await library.setCopyStatus(copy, 'LOST'), 200);
    expectProblem(
      await library.borrow(library.newReader(), { bookInfoId: copy.bookInfoId }),
      409,
      'OUT_OF_STOCK',
      { bookInfoId: copy.bookInfoId },
    );
    succeeded(await library.setCopyStatus(copy, 'AVAILABLE'), 200);
    expect(
      await library.borrowed(library.newReader(), { bookInfoId: copy.bookInfoId }),
    ).toMatchObject(copy);
  });

  it.each<[string, object, Record<string, string>]>([
    ['ON_LOAN, which only a borrow makes', { status: 'ON_LOAN' }, { status: 'INVALID_VALUE' }],
    ['a status that does not exist', { status: 'GONE' }, { status: 'INVALID_VALUE' }],
    ['a status in small letters', { status: 'lost' }, { status: 'INVALID_VALUE' }],
    ['a status of null', { status: null }, { status: 'INVALID_VALUE' }],
    ['neither status nor barcode', {}, { body: 'REQUIRED' }],
    [
      'available, which follows from the status',
      { status: 'LOST', available: true },
      { available: 'UNKNOWN_FIELD' },
    ],
  ])('400 VALIDATION_FAILED for %s', async (_name, body, faults) => {
    const copy = await library.single();
    expectFaults(await patch(copy, body), faults);
    expect(await stockOf(copy.bookInfoId)).toEqual([1, 1]);
  });
});

describe('of a copy on loan', () => {
  it('LOST closes the borrow as LOST', async () => {
    const { copy, reader, borrow } = await onLoan();
    expect(succeeded(await library.setCopyStatus(copy, 'LOST'), 200)).toEqual({
      ...copy,
      available: false,
      status: 'LOST',
      kind: 'book',
      barcode: null,
    });
    expect(await stockOf(copy.bookInfoId)).toEqual([1, 0]);
    const closed: Borrow = succeeded(
      await library.call('get', `/api/borrows/${borrow.borrowId}`, { token: reader.token }),
      200,
    );
    expect(closed).toEqual({ ...borrow, status: 'LOST', returnedAt: null, overdue: false });
    expect((await library.histories(reader, '?returned=true')).body.items).toEqual([closed]);
    expect((await library.histories(reader, '?returned=false')).body.items).toEqual([]);
  });

  it('LOST leaves nothing to return or renew, and the borrower free to borrow the title again', async () => {
    const { copy, reader, borrow } = await onLoan();
    const { bookInfoId, bookId } = copy;
    succeeded(await library.setCopyStatus(copy, 'LOST'), 200);
    expectProblem(
      await library.giveBack(reader, { borrowId: borrow.borrowId }),
      409,
      'ALREADY_RETURNED',
      { borrowId: borrow.borrowId },
    );
    expectProblem(await library.giveBack(reader, { bookId }), 404, 'BORROW_NOT_FOUND');
    expectProblem(await library.giveBack(reader, { bookInfoId }), 404, 'BORROW_NOT_FOUND');
    expectProblem(await library.renew(reader, borrow.borrowId), 409, 'ALREADY_RETURNED', {
      borrowId: borrow.borrowId,
    });
    succeeded(
      await library.manage('post', `/api/book-infos/${bookInfoId}/books`, { count: 1 }),
      201,
    );
    expect((await library.borrowed(reader, { bookInfoId })).bookId).not.toBe(bookId);
  });

  it.each(['DAMAGED', 'WITHDRAWN', 'AVAILABLE'])(
    '%s is 409 COPY_ON_LOAN with the id of the borrow, and nothing changes',
    async (status) => {
      const { copy, reader, borrow } = await onLoan();
      expectProblem(await library.setCopyStatus(copy, status), 409, 'COPY_ON_LOAN', {
        borrowId: borrow.borrowId,
      });
      expect((await library.copies(copy.bookInfoId)).items).toMatchObject([
        { status: 'ON_LOAN', available: false },
      ]);
      expect((await library.returned(reader, { borrowId: borrow.borrowId })).status).toBe(
        'RETURNED',
      );
    },
  );

  it('DELETE is 409 COPY_ON_LOAN with the id of the borrow, and nothing changes', async () => {
    const { copy, borrow } = await onLoan();
    expectProblem(await remove(copy), 409, 'COPY_ON_LOAN', { borrowId: borrow.borrowId });
    expect((await library.copies(copy.bookInfoId)).items).toMatchObject([{ status: 'ON_LOAN' }]);
    expect(await stockOf(copy.bookInfoId)).toEqual([1, 0]);
  });
});

describe('deleting a copy', () => {
  it('is 204 without a body; the copy is gone from list and stock', async () => {
    const { bookInfoId } = await library.registered({ copies: 2 });
    const [bookId = 0, other = 0] = await library.copyIds(bookInfoId);
    const response = await remove({ bookInfoId, bookId });
    expect([response.status, response.text]).toEqual([204, '']);
    expect(await library.copyIds(bookInfoId)).toEqual([other]);
    expect(await stockOf(bookInfoId)).toEqual([1, 1]);
  });

  it.each([
    ['LOST', [1, 1]],
    ['DAMAGED', [1, 1]],
    ['WITHDRAWN', [1, 1]],
  ])('that is %s leaves the stock of the others', async (status, stock) => {
    const { bookInfoId } = await library.registered({ copies: 2 });
    const [bookId = 0] = await library.copyIds(bookInfoId);
    succeeded(await library.setCopyStatus({ bookInfoId, bookId }, status), 200);
    succeeded(await remove({ bookInfoId, bookId }), 204);
    expect(await stockOf(bookInfoId)).toEqual(stock);
  });

  it('that was returned keeps the history', async () => {
    const { copy, reader, borrow } = await onLoan();
    const returned = await library.returned(reader, { borrowId: borrow.borrowId });
    succeeded(await remove(copy), 204);
    expect((await library.histories(reader)).body.items).toEqual([returned]);
  });
});

describe('404', () => {
  const both = async (copy: CopyOfTitle, code: string) => {
    expectProblem(await patch(copy, { status: 'LOST' }), 404, code);
    expectProblem(await remove(copy), 404, code);
  };

  it('BOOK_INFO_NOT_FOUND for a title that does not exist', async () => {
    const { bookId } = await library.single();
    await both({ bookInfoId: library.target.newUserId(), bookId }, 'BOOK_INFO_NOT_FOUND');
  });

  it('BOOK_NOT_FOUND for a copy that does not exist', async () => {
    const { bookInfoId } = await library.single();
    await both({ bookInfoId, bookId: library.target.newUserId() }, 'BOOK_NOT_FOUND');
  });

  it('BOOK_NOT_FOUND for a copy of another title, which stays as it is', async () => {
    const [one, other] = [await library.single(), await library.single()];
    await both({ bookInfoId: one.bookInfoId, bookId: other.bookId }, 'BOOK_NOT_FOUND');
    expect(await stockOf(other.bookInfoId)).toEqual([1, 1]);
  });

  it('BOOK_NOT_FOUND for a copy that was deleted', async () => {
    const copy = await library.single();
    succeeded(await remove(copy), 204);
    await both(copy, 'BOOK_NOT_FOUND');
    expectProblem(
      await library.borrow(library.newReader(), { bookId: copy.bookId }),
      404,
      'BOOK_NOT_FOUND',
    );
    expect(await stockOf(copy.bookInfoId)).toEqual([0, 0]);
  });
});
