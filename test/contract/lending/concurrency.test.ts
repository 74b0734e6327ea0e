import {
  isbn10Of,
  newIsbn13,
  openLibrary,
  succeeded,
  uniqueWord,
  type BookInfo,
  type Borrow,
  type Library,
} from '../../support/clients/books';
import { expectProblem, outcomesOf } from '../../support/clients/problems';

/**
 * Many clients at the same time: the rules hold, the stock stays right, and every client gets the
 * business answer.
 */

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

const times = <T>(count: number, run: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)));

/** The stock agrees with the copies that are there. */
async function expectStockCounted(
  bookInfoId: number,
  [totalStock, availableStock]: readonly [number, number],
): Promise<void> {
  const { items } = await library.copies(bookInfoId);
  const counted = [
    items.filter(({ status }) => status !== 'WITHDRAWN').length,
    items.filter(({ status }) => status === 'AVAILABLE').length,
  ];
  const detail = await library.detail(bookInfoId);
  expect([detail.totalStock, detail.availableStock]).toEqual([totalStock, availableStock]);
  expect(counted).toEqual([totalStock, availableStock]);
}

async function openBorrowsOf(bookInfoId: number): Promise<Borrow[]> {
  return (
    await library.manage(
      'get',
      `/api/borrow-histories?bookInfoId=${bookInfoId}&returned=false&size=100`,
    )
  ).body.items as Borrow[];
}

describe('borrows', () => {
  it('of 200 clients for the only copy: one is 201, 199 are 409 OUT_OF_STOCK', async () => {
    const { bookInfoId } = await library.single();
    const responses = await times(200, () => library.borrow(library.newReader(), { bookInfoId }));
    expect(outcomesOf(responses)).toEqual({ 201: 1, '409 OUT_OF_STOCK': 199 });
    for (const response of responses.filter(({ status }) => status === 409))
      expectProblem(response, 409, 'OUT_OF_STOCK', { bookInfoId });
    expect(await openBorrowsOf(bookInfoId)).toEqual([
      responses.find(({ status }) => status === 201)?.body,
    ]);
    await expectStockCounted(bookInfoId, [1, 0]);
  });

  it('of 1,024 clients for one title are all carried out, because a crowd at one title is not an overload', async () => {
    const { bookInfoId } = await library.registered({ copies: 24 });
    const borrow = (token: string) =>
      library.call('post', '/api/borrows', {
        token,
        body: { bookInfoId },
        headers: { Prefer: 'wait=30' },
      });
    const responses = await times(1024, () => borrow(library.newReader().token));
    expect(outcomesOf(responses)).toEqual({ 201: 24, '409 OUT_OF_STOCK': 1000 });
    await expectStockCounted(bookInfoId, [24, 0]);
  });

  it('of one user 20 times: one is 201, 19 are 409 ALREADY_BORROWED with its id', async () => {
    const { bookInfoId } = await library.registered({ copies: 30 });
    const reader = library.newReader();
    const responses = await times(20, () => library.borrow(reader, { bookInfoId }));
    expect(outcomesOf(responses)).toEqual({ 201: 1, '409 ALREADY_BORROWED': 19 });
    const { borrowId } = responses.find(({ status }) => status === 201)!.body as Borrow;
    for (const response of responses.filter(({ status }) => status === 409))
      expectProblem(response, 409, 'ALREADY_BORROWED', { borrowId });
    await expectStockCounted(bookInfoId, [30, 29]);
  });

  it('of 50 clients for 20 copies: 20 are 201, each with a copy of its own', async () => {
    const { bookInfoId } = await library.registered({ copies: 20 });
    const responses = await times(50, () => library.borrow(library.newReader(), { bookInfoId }));
    expect(outcomesOf(responses)).toEqual({ 201: 20, '409 OUT_OF_STOCK': 30 });
    expect(new Set((await openBorrowsOf(bookInfoId)).map(({ bookId }) => bookId)).size).toBe(20);
    await expectStockCounted(bookInfoId, [20, 0]);
  });

  it('of 20 clients for one named copy: one is 201, 19 are 409 COPY_NOT_AVAILABLE', async () => {
    const { bookInfoId } = await library.registered({ copies: 3 });
    const [bookId] = await library.copyIds(bookInfoId);
    const responses = await times(20, () => library.borrow(library.newReader(), { bookId }));
    expect(outcomesOf(responses)).toEqual({ 201: 1, '409 COPY_NOT_AVAILABLE': 19 });
    await expectStockCounted(bookInfoId, [3, 2]);
  });
});

describe('a storm of borrows and returns', () => {
  it('of 100 clients leaves 0 <= available <= total at every moment, and copies that agree with the stock', async () => {
    const titles = await times(3, async () => (await library.registered({ copies: 4 })).bookInfoId);
    const outcomes: Record<string, number> = {};
    const note = (response: Awaited<ReturnType<Library['borrow']>>) => {
      for (const [outcome, count] of Object.entries(outcomesOf([response])))
        outcomes[outcome] = (outcomes[outcome] ?? 0) + count;
      return response;
    };
    let running = true;
    const watch = async () => {
      let looks = 0;
      while (running) {
        for (const bookInfoId of titles) {
          const { availableStock } = await library.detail(bookInfoId);
          expect(availableStock).toBeGreaterThanOrEqual(0);
          expect(availableStock).toBeLessThanOrEqual(4);
          looks += 1;
        }
      }
      return looks;
    };
    const client = async (index: number) => {
      const reader = library.newReader();
      for (let round = 0; round < 3; round += 1) {
        const bookInfoId = titles[(index + round) % titles.length];
        const { status } = note(await library.borrow(reader, { bookInfoId }));
        // Every tenth client keeps what it got.
        if (status === 201 && index % 10 !== 0)
          note(await library.giveBack(reader, { bookInfoId }));
      }
    };
    const watching = watch();
    await times(100, client).finally(() => {
      running = false;
    });
    expect(await watching).toBeGreaterThan(0);
    expect(Object.keys(outcomes).sort()).toEqual(['200', '201', '409 OUT_OF_STOCK']);
    let open = 0;
    for (const bookInfoId of titles) {
      const borrows = await openBorrowsOf(bookInfoId);
      open += borrows.length;
      await expectStockCounted(bookInfoId, [4, 4 - borrows.length]);
    }
    expect(open).toBe((outcomes['201'] ?? 0) - (outcomes['200'] ?? 0));
  });
});

describe('registrations', () => {
  it('of one new ISBN, 50 in any spelling: one is 201, 49 are 200, and their copies add up', async () => {
    const isbn = newIsbn13();
    const spellings = [isbn, isbn10Of(isbn), Array.from(isbn).join('-')];
    const responses = await times(50, (index) =>
      library.manage('post', '/api/book-infos', {
        title: `Title ${index}`,
        author: `Author ${index}`,
        isbn: spellings[index % 3],
        copies: index % 2,
      }),
    );
    expect(outcomesOf(responses)).toEqual({ 200: 49, 201: 1 });
    const made = responses.find(({ status }) => status === 201)!.body as BookInfo;
    for (const { body } of responses)
      expect(body).toMatchObject({
        bookInfoId: made.bookInfoId,
        title: made.title,
        author: made.author,
        version: 1,
      });
    await expectStockCounted(made.bookInfoId, [25, 25]);
    expect((await library.call('get', `/api/book-infos?isbn=${isbn}`)).body.totalItems).toBe(1);
  });

  it('of one new ISBN with onDuplicate=reject: one is 201, 19 are 409 ISBN_ALREADY_REGISTERED with its id', async () => {
    const isbn = newIsbn13();
    const responses = await times(20, () =>
      library.manage('post', '/api/book-infos?onDuplicate=reject', {
        title: 'x',
        author: 'y',
        isbn,
        copies: 1,
      }),
    );
    expect(outcomesOf(responses)).toEqual({ 201: 1, '409 ISBN_ALREADY_REGISTERED': 19 });
    const { bookInfoId } = responses.find(({ status }) => status === 201)!.body as BookInfo;
    for (const response of responses.filter(({ status }) => status === 409))
      expectProblem(response, 409, 'ISBN_ALREADY_REGISTERED', { bookInfoId });
    await expectStockCounted(bookInfoId, [1, 1]);
  });

  it('of different titles of one new author make one author', async () => {
    const author = `Author ${uniqueWord()}`;
    const made = await times(20, () => library.registered({ author }));
    expect(new Set(made.map(({ authorId }) => authorId)).size).toBe(1);
  });

  it('of an ISBN while its title is borrowed: every copy is counted, whoever was first', async () => {
    // Several titles, because two keys may be decided by one worker, where nothing can go wrong.
    const titles = await times(8, () => library.registered({ copies: 1 }));
    await Promise.all(
      titles.map(async ({ bookInfoId, isbn }) => {
        const [registrations, borrows] = await Promise.all([
          times(10, () =>
            library.manage('post', '/api/book-infos', { title: 'x', author: 'y', isbn, copies: 1 }),
          ),
          times(15, () => library.borrow(library.newReader(), { bookInfoId })),
        ]);
        expect(outcomesOf(registrations)).toEqual({ 200: 10 });
        const outcomes = outcomesOf(borrows);
        const lent = outcomes['201'] ?? 0;
        expect(outcomes).toEqual({
          201: lent,
          ...(lent < 15 && { '409 OUT_OF_STOCK': 15 - lent }),
        });
        expect(lent).toBeGreaterThanOrEqual(1);
        expect(lent).toBeLessThanOrEqual(11);
        expect(await openBorrowsOf(bookInfoId)).toHaveLength(lent);
        await expectStockCounted(bookInfoId, [11, 11 - lent]);
      }),
    );
  });

  it('of an ISBN while its title is deleted and registered again lose no copy', async () => {
    const { bookInfoId, isbn } = await library.registered();
    const [removed, ...registrations] = await Promise.all([
      library.manage('delete', `/api/book-infos/${bookInfoId}`),
      ...Array.from({ length: 10 }, () =>
        library.manage('post', '/api/book-infos', { title: 'x', author: 'y', isbn, copies: 1 }),
      ),
    ]);
    expect(removed.status).toBe(204);
    const later = registrations.filter(({ body }) => body.bookInfoId !== bookInfoId);
    // Those before the deletion went to the old title, and all after it to one new title.
    expect(
      outcomesOf(registrations.filter((response) => !later.includes(response))),
    ).not.toHaveProperty('201');
    if (later.length > 0) {
      expect(later.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(outcomesOf(later)).toEqual({
        201: 1,
        ...(later.length > 1 && { 200: later.length - 1 }),
      });
      await expectStockCounted(later[0]?.body.bookInfoId as number, [later.length, later.length]);
    }
    const { body } = await library.call('get', `/api/book-infos?isbn=${isbn}`);
    expect(body.totalItems).toBe(later.length > 0 ? 1 : 0);
  });
});

describe('conflicting changes', () => {
  it('of ten titles to one ISBN: one is 200, the others are 409 ISBN_ALREADY_REGISTERED with its id', async () => {
    const isbn = newIsbn13();
    const titles = await times(
      10,
      async () => (await library.registered({ isbn: null })).bookInfoId,
    );
    const responses = await Promise.all(
      titles.map((id) => library.manage('patch', `/api/book-infos/${id}`, { isbn })),
    );
    expect(outcomesOf(responses)).toEqual({ 200: 1, '409 ISBN_ALREADY_REGISTERED': 9 });
    const { bookInfoId } = responses.find(({ status }) => status === 200)!.body as BookInfo;
    for (const response of responses.filter(({ status }) => status === 409))
      expectProblem(response, 409, 'ISBN_ALREADY_REGISTERED', { bookInfoId });
  });

  it('a change to an ISBN and registrations of it leave one title that has it', async () => {
    const isbn = newIsbn13();
    const { bookInfoId } = await library.registered({ isbn: null });
    const [changed, ...registrations] = await Promise.all([
      library.manage('patch', `/api/book-infos/${bookInfoId}`, { isbn }),
      ...Array.from({ length: 10 }, () =>
        library.manage('post', '/api/book-infos', { title: 'x', author: 'y', isbn, copies: 1 }),
      ),
    ]);
    const winner = registrations[0]?.body.bookInfoId as number;
    if (changed.status === 200) expect(winner).toBe(bookInfoId);
    else expectProblem(changed, 409, 'ISBN_ALREADY_REGISTERED', { bookInfoId: winner });
    expect(outcomesOf(registrations)).toEqual(
      changed.status === 200 ? { 200: 10 } : { 200: 9, 201: 1 },
    );
    for (const { body } of registrations) expect(body.bookInfoId).toBe(winner);
    await expectStockCounted(winner, [10, 10]);
  });

  it('a deletion and a borrow: exactly one of them is made', async () => {
    const copies = await times(10, () => library.single());
    await Promise.all(
      copies.map(async ({ bookInfoId }) => {
        const [removed, borrowed] = await Promise.all([
          library.manage('delete', `/api/book-infos/${bookInfoId}`),
          library.borrow(library.newReader(), { bookInfoId }),
        ]);
        if (removed.status === 204) expectProblem(borrowed, 404, 'BOOK_INFO_NOT_FOUND');
        else {
          expectProblem(removed, 409, 'BOOK_INFO_ON_LOAN', {
            bookInfoId,
            borrowId: borrowed.body.borrowId,
          });
          expect(borrowed.status).toBe(201);
        }
      }),
    );
  });

  it('a return and the loss of the copy: the borrow is closed once, and the copy is lost', async () => {
    const copies = await times(10, () => library.single());
    await Promise.all(
      copies.map(async (copy) => {
        const reader = library.newReader();
        const { borrowId } = await library.borrowed(reader, copy);
        const [lost, returned] = await Promise.all([
          library.setCopyStatus(copy, 'LOST'),
          library.giveBack(reader, { borrowId }),
        ]);
        succeeded(lost, 200);
        const { status } = (
          await library.call('get', `/api/borrows/${borrowId}`, { token: reader.token })
        ).body as Borrow;
        if (returned.status === 200) expect(status).toBe('RETURNED');
        else {
          expectProblem(returned, 409, 'ALREADY_RETURNED', { borrowId });
          expect(status).toBe('LOST');
        }
        await expectStockCounted(copy.bookInfoId, [1, 0]);
      }),
    );
  });
});
