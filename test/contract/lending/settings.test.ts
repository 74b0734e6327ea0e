import {
  isbn10Of,
  newIsbn13,
  openLibrary,
  succeeded,
  uniqueWord,
  withWrongDigit,
  type Borrow,
  type Library,
} from '../../support/clients/books';
import { startService } from '../../support/service/start-service';
import { expectFaults, expectProblem, outcomesOf } from '../../support/clients/problems';
import type { Reader } from '../../support/clients/requests';

/**
 * What an operator can set: LOAN_DAYS, MAX_OPEN_BORROWS and ISBN_STRICT, in a service of its own.
 */

const DAY_MS = 24 * 3600 * 1000;
const LIMIT = 2;

let library: Library;
beforeAll(async () => {
  library = await openLibrary(
    (
      await startService({
        env: { LOAN_DAYS: '3', MAX_OPEN_BORROWS: String(LIMIT), ISBN_STRICT: 'true' },
      })
    ).target,
  );
}, 120_000);

const titles = (count: number): Promise<number[]> =>
  Promise.all(
    Array.from({ length: count }, async () => (await library.registered({ copies: 1 })).bookInfoId),
  );
const openOf = async (reader: Reader): Promise<Borrow[]> =>
  (await library.histories(reader, '?returned=false')).body.items as Borrow[];

describe('LOAN_DAYS=3', () => {
  it('makes a borrow due in 3 days, and 3 days later with each renewal', async () => {
    const [bookInfoId] = await titles(1);
    const reader = library.newReader();
    const { borrowId, borrowedAt, dueAt } = await library.borrowed(reader, { bookInfoId });
    expect(Date.parse(dueAt) - Date.parse(borrowedAt)).toBe(3 * DAY_MS);
    const renewed: Borrow = succeeded(await library.renew(reader, borrowId), 200);
    expect(Date.parse(renewed.dueAt) - Date.parse(borrowedAt)).toBe(6 * DAY_MS);
  });
});

describe('MAX_OPEN_BORROWS=2', () => {
  it('lets a user have two titles; the third is 409 LOAN_LIMIT_REACHED and takes no stock', async () => {
    const [first, second, third = 0] = await titles(3);
    const reader = library.newReader();
    for (const bookInfoId of [first, second]) await library.borrowed(reader, { bookInfoId });
    expectProblem(await library.borrow(reader, { bookInfoId: third }), 409, 'LOAN_LIMIT_REACHED');
    expect((await library.detail(third)).availableStock).toBe(1);
    expect(await openOf(reader)).toHaveLength(LIMIT);
  });

  it('counts open borrows only: a return or a loss makes room', async () => {
    const [first, second, third, fourth] = await titles(4);
    const reader = library.newReader();
    const lost = await library.borrowed(reader, { bookInfoId: first });
    await library.borrowed(reader, { bookInfoId: second });
    await library.returned(reader, { bookInfoId: second });
    await library.borrowed(reader, { bookInfoId: third });
    succeeded(await library.setCopyStatus(lost, 'LOST'), 200);
    await library.borrowed(reader, { bookInfoId: fourth });
    expectProblem(await library.borrow(reader, { bookInfoId: second }), 409, 'LOAN_LIMIT_REACHED');
  });

  it('comes after ALREADY_BORROWED and OUT_OF_STOCK', async () => {
    const [first, second, third = 0] = await titles(3);
    const reader = library.newReader();
    const { borrowId } = await library.borrowed(reader, { bookInfoId: first });
    await library.borrowed(reader, { bookInfoId: second });
    await library.borrowed(library.newReader(), { bookInfoId: third });
    expectProblem(await library.borrow(reader, { bookInfoId: first }), 409, 'ALREADY_BORROWED', {
      borrowId,
    });
    expectProblem(await library.borrow(reader, { bookInfoId: third }), 409, 'OUT_OF_STOCK', {
      bookInfoId: third,
    });
  });

  it('holds when one user borrows ten titles at the same time: exactly two are 201', async () => {
    for (let round = 0; round < 3; round += 1) {
      const bookInfoIds = await titles(10);
      const reader = library.newReader();
      const responses = await Promise.all(
        bookInfoIds.map((bookInfoId) => library.borrow(reader, { bookInfoId })),
      );
      expect(outcomesOf(responses)).toEqual({ 201: LIMIT, '409 LOAN_LIMIT_REACHED': 8 });
      expect(await openOf(reader)).toHaveLength(LIMIT);
      const stocks = await Promise.all(
        bookInfoIds.map(async (bookInfoId) => (await library.detail(bookInfoId)).availableStock),
      );
      expect(stocks.filter((stock) => stock === 0)).toHaveLength(LIMIT);
    }
  });

  it('holds for each user separately when many borrow at the same time', async () => {
    const bookInfoIds = await titles(6);
    for (const bookInfoId of bookInfoIds)
      succeeded(
        await library.manage('post', `/api/book-infos/${bookInfoId}/books`, { count: 9 }),
        201,
      );
    const readers = Array.from({ length: 10 }, () => library.newReader());
    const responses = await Promise.all(
      readers.flatMap((reader) =>
        bookInfoIds.map((bookInfoId) => library.borrow(reader, { bookInfoId })),
      ),
    );
    expect(outcomesOf(responses)).toEqual({ 201: 20, '409 LOAN_LIMIT_REACHED': 40 });
    for (const reader of readers) expect(await openOf(reader)).toHaveLength(LIMIT);
  });
});

describe('ISBN_STRICT=true', () => {
  const register = (isbn: string) =>
    library.manage('post', '/api/book-infos', { title: uniqueWord(), author: uniqueWord(), isbn });

  it('400 INVALID_ISBN for a wrong check digit, in a registration and in a change', async () => {
    const { bookInfoId } = await library.registered();
    for (const isbn of [withWrongDigit(newIsbn13()), withWrongDigit(isbn10Of(newIsbn13()))]) {
      expectFaults(await register(isbn), { isbn: 'INVALID_ISBN' }, 'INVALID_ISBN');
      expectFaults(
        await library.manage('patch', `/api/book-infos/${bookInfoId}`, { isbn }),
        { isbn: 'INVALID_ISBN' },
        'INVALID_ISBN',
      );
    }
  });

  it.each(['978', '979', '978699'])('takes every right one that begins with %s', async (start) => {
    const isbn = newIsbn13(start);
    expect(succeeded(await register(isbn), 201).isbn).toBe(isbn);
  });

  it('takes an ISBN-10 with a right check digit, as its ISBN-13', async () => {
    for (const isbn of [newIsbn13(), newIsbn13('978699')])
      expect(succeeded(await register(isbn10Of(isbn)), 201).isbn).toBe(isbn);
  });
});
