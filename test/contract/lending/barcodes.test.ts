import {
  COPY_KEYS,
  expectKeys,
  openLibrary,
  succeeded,
  uniqueWord,
  type Library,
} from '../../support/clients/books';
import { expectFaults, expectProblem } from '../../support/clients/problems';

/** Barcodes of copies: given, changed, and used to borrow, return and find. */

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

interface Labelled {
  readonly bookInfoId: number;
  readonly bookId: number;
  readonly barcode: string;
}

const add = (bookInfoId: number, ...barcodes: string[]) =>
  library.manage('post', `/api/book-infos/${bookInfoId}/books`, { barcodes });
const change = ({ bookInfoId, bookId }: Omit<Labelled, 'barcode'>, body: object) =>
  library.manage('patch', `/api/book-infos/${bookInfoId}/books/${bookId}`, body);
const find = (barcode: string) => library.call('get', `/api/books/${encodeURIComponent(barcode)}`);

/** A new title, with a copy that has a barcode. */
async function labelled(barcode = uniqueWord()): Promise<Labelled & { title: string }> {
  const { bookInfoId, title } = await library.registered();
  const { items }: { items: { bookId: number }[] } = succeeded(await add(bookInfoId, barcode), 201);
  return { bookInfoId, bookId: items[0]?.bookId ?? 0, barcode, title };
}

describe('a barcode', () => {
  it('is given to new copies, one each, and shown wherever a copy is', async () => {
    const { bookInfoId } = await library.registered();
    const barcodes = [uniqueWord(), uniqueWord()];
    const body = succeeded(await add(bookInfoId, ...barcodes), 201);
    expect(body).toMatchObject({ addedCount: 2, totalStock: 2, availableStock: 2 });
    expect(body.items).toEqual(barcodes.map((barcode) => expect.objectContaining({ barcode })));
    expect((await library.copies(bookInfoId)).items).toEqual(body.items);
  });

  it('finds its copy, with the title of that', async () => {
    const { title, ...copy } = await labelled(`${uniqueWord()}/№ 1?`);
    const body: object = succeeded(await find(copy.barcode), 200);
    expectKeys(body, [...COPY_KEYS, 'title']);
    expect(body).toEqual({ ...copy, title, available: true, status: 'AVAILABLE', kind: 'book' });
    expect((await find(` ${copy.barcode} `)).body).toEqual(body);
  });

  it('is put on, changed and taken off, also together with the status', async () => {
    const copy = await library.single();
    const [one, other] = [uniqueWord(), uniqueWord()];
    expect(succeeded(await change(copy, { barcode: one }), 200)).toMatchObject({
      ...copy,
      barcode: one,
      status: 'AVAILABLE',
    });
    succeeded(await change(copy, { barcode: other, status: 'DAMAGED' }), 200);
    expectProblem(await find(one), 404, 'BOOK_NOT_FOUND');
    expect(succeeded(await find(other), 200)).toMatchObject({ ...copy, status: 'DAMAGED' });
    expect(succeeded(await change(copy, { barcode: null }), 200)).toMatchObject({ barcode: null });
    expectProblem(await find(other), 404, 'BOOK_NOT_FOUND');
  });

  it('on another copy is 409 BARCODE_TAKEN with that copy, and nothing changes', async () => {
    const { bookId, bookInfoId, barcode } = await labelled();
    const copy = await library.single();
    const inTheWay = { bookId, bookInfoId };
    expectProblem(await change(copy, { barcode }), 409, 'BARCODE_TAKEN', inTheWay);
    expectProblem(await change(copy, { barcode, status: 'LOST' }), 409, 'BARCODE_TAKEN', inTheWay);
    expectProblem(
      await add(copy.bookInfoId, uniqueWord(), barcode),
      409,
      'BARCODE_TAKEN',
      inTheWay,
    );
    expect((await library.copies(copy.bookInfoId)).items).toEqual([
      { ...copy, available: true, status: 'AVAILABLE', kind: 'book', barcode: null },
    ]);
  });

  it('of a deleted copy, and of a copy of a deleted title, can be given again', async () => {
    const first = await labelled();
    const { barcode } = first;
    const path = `/api/book-infos/${first.bookInfoId}`;
    succeeded(await library.manage('delete', `${path}/books/${first.bookId}`), 204);
    expectProblem(await find(barcode), 404, 'BOOK_NOT_FOUND');
    const second = await labelled(barcode);
    expect((await find(barcode)).body).toMatchObject({ bookId: second.bookId });
    succeeded(await library.manage('delete', `/api/book-infos/${second.bookInfoId}`), 204);
    expectProblem(await find(barcode), 404, 'BOOK_NOT_FOUND');
    const third = await labelled(barcode);
    expect((await find(barcode)).body).toMatchObject({ bookId: third.bookId });
  });

  it('is given to one of many titles at once, and the refusals name its copy', async () => {
    const titles = await Promise.all(
      Array.from({ length: 12 }, async () => (await library.registered()).bookInfoId),
    );
    const barcode = uniqueWord();
    const answers = await Promise.all(titles.map((bookInfoId) => add(bookInfoId, barcode)));
    const { bookId, bookInfoId } = succeeded(await find(barcode), 200) as Labelled;
    answers.forEach((answer, index) => {
      if (titles[index] === bookInfoId) succeeded(answer, 201);
      else expectProblem(answer, 409, 'BARCODE_TAKEN', { bookId, bookInfoId });
    });
  });

  it.each<[string, unknown, string]>([
    ['blank', ' ', 'TOO_SHORT'],
    ['longer than 64 characters', 'A'.repeat(65), 'TOO_LONG'],
    ['of two lines', 'A\nB', 'INVALID_FORMAT'],
    ['a number', 12, 'INVALID_TYPE'],
  ])('that is %s is 400', async (_name, barcode, code) => {
    const copy = await labelled();
    expectFaults(await change(copy, { barcode }), { barcode: code });
    expect((await find(copy.barcode)).status).toBe(200);
  });
});

describe('borrowing and returning by barcode', () => {
  it('mean the copy, and do as its id does', async () => {
    const { bookInfoId, bookId, barcode } = await labelled();
    const reader = library.newReader();
    const borrow = await library.borrowed(reader, { barcode });
    expect(borrow).toMatchObject({ bookInfoId, bookId });
    expectProblem(
      await library.borrow(library.newReader(), { barcode }),
      409,
      'COPY_NOT_AVAILABLE',
      {
        bookInfoId,
      },
    );
    expect(await library.returned(reader, { barcode })).toMatchObject({
      borrowId: borrow.borrowId,
      status: 'RETURNED',
    });
    expectProblem(await library.giveBack(reader, { barcode }), 404, 'BORROW_NOT_FOUND');
  });

  it('404 BOOK_NOT_FOUND for a barcode that no copy has', async () => {
    const reader = library.newReader();
    const barcode = uniqueWord();
    expectProblem(await library.borrow(reader, { barcode }), 404, 'BOOK_NOT_FOUND');
    expectProblem(await library.giveBack(reader, { barcode }), 404, 'BOOK_NOT_FOUND');
  });

  it('take several identifiers that agree, and are 400 for those that do not', async () => {
    const [{ bookInfoId, bookId, barcode }, other] = [await labelled(), await labelled()];
    const copy = { bookInfoId, bookId, barcode };
    const reader = library.newReader();
    for (const body of [
      { barcode, bookInfoId: other.bookInfoId },
      { barcode, bookId: other.bookId },
      { ...copy, bookId: other.bookId },
    ])
      expect((await library.borrow(reader, body)).status).toBe(400);
    const { borrowId } = await library.borrowed(reader, copy);
    for (const body of [
      { borrowId, barcode: other.barcode },
      { barcode, bookInfoId: other.bookInfoId },
      { barcode, bookId: other.bookId },
    ])
      expect((await library.giveBack(reader, body)).status).toBe(400);
    expect(await library.returned(reader, { borrowId, barcode, bookId, bookInfoId })).toMatchObject(
      {
        status: 'RETURNED',
      },
    );
  });
});
