import {
  addCopies,
  admin,
  borrow,
  check,
  command,
  deleteCopy,
  deleteTitle,
  giveBack,
  lend,
  register,
  renew,
  setStatus,
  update,
} from '../../support/models/lending/commands';
import { later, libraryWith, libraryWithLoan, NOW } from '../../support/models/lending/library';

describe('borrowing', () => {
  it('lends the available copy with the lowest id for the days of a loan', () => {
    const library = libraryWith(3, { rules: { loanDays: 7 } });
    library.done(borrow(1, 1, 1));
    expect(library.done(borrow(2, 1))).toEqual({
      ...{
        borrowId: 101,
        userId: 2,
        username: 'user-2',
        bookInfoId: 1,
        bookId: 2,
        title: 'Demian',
        status: 'BORROWED',
        overdue: false,
        renewalCount: 0,
      },
      ...{ borrowedAt: NOW.toISOString(), dueAt: later(7).toISOString(), returnedAt: null },
    });
    expect(library.stock(1)).toEqual([1, 3]);
  });

  it('is created, and published as one event of the title', () => {
    const decision = libraryWith(1).decide(borrow(1, 1));
    expect(decision).toMatchObject({ kind: 'done', created: true });
    expect(decision).toHaveProperty('events', [
      {
        type: 'lending.borrow.created',
        aggregateId: 'book-info:1',
        data: expect.objectContaining({ borrowId: 100 }),
      },
    ]);
  });

  it('lends to the reader whom an administrator names, by the rules for that reader', () => {
    const library = libraryWith(3, { rules: { maxOpenBorrows: 1 } });
    library.state.loadReaders([{ id: 7, username: 'ada', category: 'general', isErased: false }]);
    library.done(borrow(1, 1));
    expect(library.done(lend(7, 1))).toMatchObject({ userId: 7, username: 'ada' });
    expect(library.refusal(lend(7, 1))).toBe('ALREADY_BORROWED');
  });

  it('is refused to a reader who is unknown or was erased', () => {
    const library = libraryWith(1);
    library.state.loadReaders([
      { id: 8, username: 'deleted-8', category: 'general', isErased: true },
    ]);
    expect(library.refusal(lend(7, 1))).toBe('USER_NOT_FOUND');
    expect(library.refusal(lend(8, 1))).toBe('USER_NOT_FOUND');
  });

  it('rejects the second of two borrows in one batch when one copy is left', () => {
    const library = libraryWith(1);
    library.done(borrow(1, 1));
    expect(library.inTheWay(borrow(2, 1))).toEqual({ bookInfoId: 1 });
    expect(library.refusal(borrow(2, 1))).toBe('OUT_OF_STOCK');
    expect(library.stock(1)).toEqual([0, 1]);
  });

  it('rejects a second borrow of the title by the same user, before it looks at the stock', () => {
    const library = libraryWith(1);
    library.done(borrow(1, 1));
    expect(library.refusal(borrow(1, 1))).toBe('ALREADY_BORROWED');
    expect(library.inTheWay(borrow(1, 1))).toEqual({ borrowId: 100 });
  });

  it('names missing things before other refusals', () => {
    const library = libraryWithLoan(1);
    expect(library.refusal(borrow(1, 1, 99))).toBe('BOOK_NOT_FOUND');
    expect(library.refusal(borrow(1, 1, 1))).toBe('ALREADY_BORROWED');
  });

  it('lends the copy that is asked for and no other', () => {
    const library = libraryWith(3);
    expect(library.done(borrow(1, 1, 3))).toMatchObject({ bookId: 3 });
    expect(library.refusal(borrow(2, 1, 3))).toBe('COPY_NOT_AVAILABLE');
    expect(library.refusal(borrow(2, 1, 4))).toBe('BOOK_NOT_FOUND');
  });

  it.each(['LOST', 'DAMAGED', 'WITHDRAWN'] as const)(
    'does not lend a copy that is %s',
    (status) => {
      const library = libraryWith(1);
      library.done(setStatus(1, 1, status));
      expect(library.refusal(borrow(1, 1))).toBe('OUT_OF_STOCK');
      expect(library.refusal(borrow(1, 1, 1))).toBe('COPY_NOT_AVAILABLE');
    },
  );

  it('does not lend a copy of another title, nor a deleted one', () => {
    const library = libraryWith(2);
    const { bookInfoId } = library.done(register({ copies: 1 })) as { bookInfoId: number };
    library.done(deleteCopy(1, 2));
    expect(library.refusal(borrow(1, bookInfoId, 1))).toBe('BOOK_NOT_FOUND');
    expect(library.refusal(borrow(1, 1, 2))).toBe('BOOK_NOT_FOUND');
  });

  it('lends at most as many titles to a user as the limit says, and counts a return in the batch', () => {
    const library = libraryWith(2, { rules: { maxOpenBorrows: 1 } });
    const { bookInfoId } = library.done(register({ copies: 1 })) as { bookInfoId: number };
    library.done(borrow(1, bookInfoId));
    expect(library.refusal(borrow(1, 1))).toBe('LOAN_LIMIT_REACHED');
    library.done(borrow(2, 1));
    library.done(giveBack(1, bookInfoId));
    expect(library.done(borrow(1, 1))).toMatchObject({ userId: 1 });
  });

  it('names the reason in the order copy, then limit', () => {
    const library = libraryWith(0, { rules: { maxOpenBorrows: 1 } });
    const { bookInfoId } = library.done(register({ copies: 1 })) as { bookInfoId: number };
    library.done(borrow(1, bookInfoId));
    expect(library.refusal(borrow(1, 1))).toBe('OUT_OF_STOCK');
  });

  it('lists every refusal, beginning with its own, and changes nothing', () => {
    const library = libraryWith(1, { rules: { maxOpenBorrows: 1 } });
    expect(library.done(check(1, 1))).toEqual({ allowed: true, blockers: [] });
    library.done(borrow(1, 1));
    const [again, other] = [library.done(check(1, 1)), library.done(check(2, 1))];
    expect(again).toEqual({
      allowed: false,
      blockers: [
        expect.objectContaining({ code: 'ALREADY_BORROWED', borrowId: 100 }),
        expect.objectContaining({ code: 'OUT_OF_STOCK', bookInfoId: 1 }),
        expect.objectContaining({ code: 'LOAN_LIMIT_REACHED' }),
      ],
    });
    expect(other).toMatchObject({ allowed: false, blockers: [{ code: 'OUT_OF_STOCK' }] });
    expect(library.done(check(2, 1, 9))).toMatchObject({ blockers: [{ code: 'BOOK_NOT_FOUND' }] });
    expect(library.done(check(2, 5))).toMatchObject({
      blockers: [{ code: 'BOOK_INFO_NOT_FOUND' }],
    });
    expect(library.stock(1)).toEqual([0, 1]);
  });

  it('throws for a command without a user, which the API never sends', () => {
    const nobody = command({
      type: 'lending.borrow-book',
      payload: { bookInfoId: 1, bookId: null },
      actor: { userId: null, username: null, role: 'user', isAdmin: false },
    });
    expect(() => libraryWith(1).decide(nobody)).toThrow('no user');
  });

  it('throws when the stock counts a copy that is not there, so that nothing is decided on broken rows', () => {
    expect(() =>
      libraryWith(0, { title: { totalStock: 1, availableStock: 1 } }).decide(borrow(1, 1)),
    ).toThrow('has none');
  });
});

describe('returning', () => {
  it('frees the copy and the stock, and tells when', () => {
    const library = libraryWithLoan(1);
    library.now = later(3);
    expect(library.done(giveBack(1, 1))).toMatchObject({
      borrowId: 50,
      status: 'RETURNED',
      returnedAt: later(3).toISOString(),
      overdue: false,
    });
    expect(library.stock(1)).toEqual([1, 1]);
  });

  it('a return in the batch frees the copy for the next borrow', () => {
    const library = libraryWithLoan(1);
    expect(library.refusal(borrow(2, 1))).toBe('OUT_OF_STOCK');
    library.done(giveBack(1, 1));
    expect(library.done(borrow(2, 1))).toMatchObject({ bookId: 1, userId: 2 });
    expect(library.refusal(borrow(1, 1))).toBe('OUT_OF_STOCK');
  });

  it('lets the same user borrow the title again', () => {
    const library = libraryWithLoan(1);
    library.done(giveBack(1, 1));
    expect(library.done(borrow(1, 1))).toMatchObject({ borrowId: 100 });
  });

  it.each([
    ['borrow', { borrowId: 50 }],
    ['copy', { bookId: 1 }],
    ['title', {}],
  ])('finds the borrow by its %s', (_by, meant) => {
    expect(libraryWithLoan(1).done(giveBack(1, 1, meant))).toMatchObject({ borrowId: 50 });
  });

  it('is refused for a borrow of somebody else, as if there were none', () => {
    for (const meant of [{ borrowId: 50 }, { bookId: 1 }, {}])
      expect(libraryWithLoan(1).refusal(giveBack(2, 1, meant))).toBe('BORROW_NOT_FOUND');
  });

  it('is done for anyone by an administrator who names the borrow or the copy', () => {
    for (const meant of [
      { borrowId: 50, bookId: null },
      { borrowId: null, bookId: 1 },
    ]) {
      const given = command({
        type: 'lending.return-book',
        payload: { bookInfoId: 1, ...meant },
        actor: admin(9),
      });
      expect(libraryWithLoan(1).done(given)).toMatchObject({ borrowId: 50, userId: 1 });
    }
  });

  it('is refused for a borrow of another title', () => {
    const library = libraryWithLoan(1);
    library.done(register());
    expect(library.refusal(giveBack(1, 100, { borrowId: 50 }))).toBe('BORROW_NOT_FOUND');
    expect(library.refusal(giveBack(1, 100, { bookId: 1 }))).toBe('BORROW_NOT_FOUND');
  });

  it('distinguishes a closed borrow from an unknown one', () => {
    const library = libraryWithLoan(1);
    library.done(giveBack(1, 1));
    expect(library.refusal(giveBack(1, 1, { borrowId: 50 }))).toBe('ALREADY_RETURNED');
    expect(library.inTheWay(giveBack(1, 1, { borrowId: 50 }))).toEqual({ borrowId: 50 });
    expect(library.refusal(giveBack(1, 1))).toBe('BORROW_NOT_FOUND');
    expect(library.refusal(giveBack(1, 1, { bookId: 1 }))).toBe('BORROW_NOT_FOUND');
  });

  it('shows the title under the name that an update earlier in the batch gave it', () => {
    const library = libraryWithLoan(1);
    library.done(update(1, { title: 'Demian, revised' }));
    expect(library.done(giveBack(1, 1))).toMatchObject({ title: 'Demian, revised' });
  });
});

describe('renewing', () => {
  it('adds the days of a loan to the due date, so that renewing early costs nothing', () => {
    const library = libraryWithLoan(1);
    library.now = later(2);
    expect(library.done(renew(1, 1, 50))).toMatchObject({
      dueAt: later(28).toISOString(),
      renewalCount: 1,
    });
  });

  it('counts from today when the borrow is overdue, and then it is overdue no more', () => {
    const library = libraryWithLoan(1);
    library.now = later(20);
    expect(library.done(renew(1, 1, 50))).toMatchObject({
      dueAt: later(34).toISOString(),
      overdue: false,
    });
  });

  it('is refused after two times', () => {
    const library = libraryWithLoan(1);
    library.done(renew(1, 1, 50));
    library.done(renew(1, 1, 50));
    expect(library.refusal(renew(1, 1, 50))).toBe('RENEWAL_LIMIT_REACHED');
  });

  it("is refused for a closed borrow, and for one that is not the caller's", () => {
    expect(
      libraryWithLoan(1, { status: 'RETURNED', returnedAt: NOW }).refusal(renew(1, 1, 50)),
    ).toBe('ALREADY_RETURNED');
    expect(libraryWithLoan(1, { status: 'LOST' }).refusal(renew(1, 1, 50))).toBe(
      'ALREADY_RETURNED',
    );
    expect(libraryWithLoan(1).refusal(renew(2, 1, 50))).toBe('BORROW_NOT_FOUND');
    expect(libraryWithLoan(1).refusal(renew(1, 1, 51))).toBe('BORROW_NOT_FOUND');
    expect(libraryWithLoan(1).refusal(renew(1, 2, 50))).toBe('BORROW_NOT_FOUND');
  });

  it('is done for anyone by an administrator', () => {
    const given = command({
      type: 'lending.renew-borrow',
      payload: { bookInfoId: 1, borrowId: 50 },
      actor: admin(9),
    });
    expect(libraryWithLoan(1).done(given)).toMatchObject({ userId: 1, renewalCount: 1 });
  });
});

describe('copies', () => {
  it('are added, available and in the stock', () => {
    const library = libraryWith(1);
    const result = library.done(addCopies(1, 2));
    const item = (bookId: number) => ({
      bookId,
      bookInfoId: 1,
      available: true,
      status: 'AVAILABLE',
      kind: 'book',
      barcode: null,
    });
    expect(result).toEqual({
      bookInfoId: 1,
      addedCount: 2,
      totalStock: 3,
      availableStock: 3,
      items: [item(100), item(101)],
    });
  });

  it.each([
    ['LOST', [0, 1]],
    ['DAMAGED', [0, 1]],
    ['WITHDRAWN', [0, 0]],
    ['AVAILABLE', [1, 1]],
  ] as const)('that are %s leave a stock of %j', (status, stock) => {
    const library = libraryWith(1);
    expect(library.done(setStatus(1, 1, status))).toEqual({
      bookId: 1,
      bookInfoId: 1,
      available: status === 'AVAILABLE',
      status,
      kind: 'book',
      barcode: null,
    });
    expect(library.stock(1)).toEqual(stock);
    library.done(setStatus(1, 1, 'AVAILABLE'));
    expect(library.stock(1)).toEqual([1, 1]);
  });

  it('tell no event when their status stays', () => {
    expect(libraryWith(1).decide(setStatus(1, 1, 'AVAILABLE'))).toHaveProperty('events', []);
  });

  it('on loan can be lost, which closes the borrow, and nothing else', () => {
    const library = libraryWithLoan(1);
    for (const status of ['AVAILABLE', 'DAMAGED', 'WITHDRAWN'] as const)
      expect(library.refusal(setStatus(1, 1, status))).toBe('COPY_ON_LOAN');
    expect(library.inTheWay(setStatus(1, 1, 'DAMAGED'))).toEqual({ borrowId: 50 });
    expect(library.decide(setStatus(1, 1, 'LOST'))).toHaveProperty('events', [
      expect.objectContaining({ type: 'lending.copies.changed' }),
      expect.objectContaining({
        type: 'lending.borrow.lost',
        data: expect.objectContaining({ borrowId: 50, status: 'LOST', returnedAt: null }),
      }),
    ]);
    expect(library.stock(1)).toEqual([0, 1]);
    expect(library.refusal(giveBack(1, 1, { borrowId: 50 }))).toBe('ALREADY_RETURNED');
    expect(library.done(deleteTitle(1))).toBeNull();
  });

  it('that are lost and found can be lent again, also to the one who lost them', () => {
    const library = libraryWithLoan(1);
    library.done(setStatus(1, 1, 'LOST'));
    library.done(setStatus(1, 1, 'AVAILABLE'));
    expect(library.done(borrow(1, 1))).toMatchObject({ bookId: 1 });
  });

  it('on loan cannot be deleted', () => {
    const library = libraryWithLoan(1);
    expect(library.inTheWay(deleteCopy(1, 1))).toEqual({ borrowId: 50 });
    expect(library.refusal(deleteCopy(1, 1))).toBe('COPY_ON_LOAN');
  });

  it.each(['AVAILABLE', 'LOST', 'DAMAGED', 'WITHDRAWN'] as const)(
    'that are %s leave the stock when they are deleted, and are gone',
    (status) => {
      const library = libraryWith(2);
      library.done(setStatus(1, 1, status));
      expect(library.done(deleteCopy(1, 1))).toBeNull();
      expect(library.stock(1)).toEqual([1, 1]);
      expect(library.refusal(deleteCopy(1, 1))).toBe('BOOK_NOT_FOUND');
      expect(library.refusal(setStatus(1, 1, 'AVAILABLE'))).toBe('BOOK_NOT_FOUND');
    },
  );

  it('of another title are not found', () => {
    const library = libraryWith(1);
    library.done(register());
    expect(library.refusal(setStatus(100, 1, 'LOST'))).toBe('BOOK_NOT_FOUND');
    expect(library.refusal(deleteCopy(100, 1))).toBe('BOOK_NOT_FOUND');
  });
});

describe('a refusal', () => {
  it('changes nothing', () => {
    const library = libraryWithLoan(1);
    const refused = [
      borrow(2, 1),
      borrow(1, 1),
      giveBack(2, 1),
      renew(2, 1, 50),
      deleteTitle(1),
      deleteCopy(1, 1),
      setStatus(1, 1, 'DAMAGED'),
      addCopies(2, 1),
      update(1, { title: 'New' }, 9),
    ];
    for (const given of refused) expect(library.decide(given)).toHaveProperty('kind', 'refused');
    const { authors, titles, copies, borrows } = library.state.pending();
    expect(
      [
        authors,
        titles.inserted,
        titles.described,
        titles.stocked,
        copies.inserted,
        copies.updated,
        borrows.inserted,
        borrows.updated,
      ].flat(),
    ).toEqual([]);
  });
});
