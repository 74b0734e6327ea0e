import {
  addCopies,
  borrow,
  changeCopy,
  deleteCopy,
  deleteTitle,
  giveBack,
  register,
  update,
} from '../../support/models/lending/commands';
import {
  everyCommandOfTitle1,
  ISBN,
  later,
  Library,
  libraryWith,
  libraryWithLoan,
  NOW,
} from '../../support/models/lending/library';

describe('registering', () => {
  it('makes the title with its copies, and says that something was made', () => {
    const library = new Library();
    const decision = library.decide(register({ isbn: ISBN, copies: 2 }));
    expect(decision).toMatchObject({
      kind: 'done',
      created: true,
      result: {
        bookInfoId: 100,
        isbn: ISBN,
        authorId: 100,
        totalStock: 2,
        availableStock: 2,
        version: 1,
      },
    });
    expect(decision).toHaveProperty('events', [
      expect.objectContaining({ type: 'lending.book-info.created', aggregateId: 'book-info:100' }),
      expect.objectContaining({
        type: 'lending.copies.added',
        data: { bookInfoId: 100, bookIds: [100, 101], totalStock: 2, availableStock: 2 },
      }),
    ]);
    expect(library.done(borrow(1, 100))).toMatchObject({ bookId: 100 });
  });

  it('forwards a register whose ISBN is owned to the queue of the owner, and changes nothing', () => {
    const library = libraryWith(1);
    expect(library.decide(register({ isbn: ISBN, copies: 2 }))).toEqual({
      kind: 'forward',
      key: 'book-info:1',
    });
    expect(library.stock(1)).toEqual([1, 1]);
  });

  it('adds copies to the owner once it is there, and leaves its attributes', () => {
    const library = libraryWith(1);
    const decision = library.decide(
      register({ isbn: ISBN, title: 'Another', author: 'Else', copies: 2 }, 'book-info:1'),
    );
    expect(decision).toMatchObject({
      kind: 'done',
      created: false,
      result: {
        bookInfoId: 1,
        title: 'Demian',
        author: 'Hermann Hesse',
        totalStock: 3,
        availableStock: 3,
        version: 1,
      },
    });
  });

  it('forwards by ISBN again when the owner has lost the ISBN', () => {
    const library = libraryWith(0);
    library.done(update(1, { isbn: null }));
    expect(library.decide(register({ isbn: ISBN }, 'book-info:1'))).toEqual({
      kind: 'forward',
      key: `isbn:${ISBN}`,
    });
    library.done(register({ isbn: ISBN }));
    expect(library.decide(register({ isbn: ISBN }, 'book-info:1'))).toEqual({
      kind: 'forward',
      key: 'book-info:100',
    });
  });

  it('refuses an owned ISBN when that was asked for, wherever the command is', () => {
    for (const key of [undefined, 'book-info:1']) {
      const library = libraryWith(1);
      expect(
        library.inTheWay(register({ isbn: ISBN, copies: 1, onDuplicate: 'reject' }, key)),
      ).toEqual({ bookInfoId: 1 });
      expect(library.refusal(register({ isbn: ISBN, copies: 1, onDuplicate: 'reject' }, key))).toBe(
        'ISBN_ALREADY_REGISTERED',
      );
      expect(library.stock(1)).toEqual([1, 1]);
    }
  });

  it('sees the title that was registered earlier in the batch', () => {
    const library = new Library();
    library.done(register({ isbn: ISBN }));
    expect(library.refusal(register({ isbn: ISBN, onDuplicate: 'reject' }))).toBe(
      'ISBN_ALREADY_REGISTERED',
    );
  });

  it('creates a new title each time when there is no ISBN, and its author once', () => {
    const library = new Library();
    const first = library.done(register({ author: 'Ann' }));
    const second = library.done(register({ author: 'Ann' }));
    expect([first.bookInfoId, second.bookInfoId]).toEqual([100, 101]);
    expect(second.authorId).toBe(first.authorId);
  });

  it('gives the ISBN of a deleted title to the next one', () => {
    const library = libraryWith(1);
    library.done(deleteTitle(1));
    expect(library.decide(register({ isbn: ISBN }))).toMatchObject({ kind: 'done', created: true });
  });

  it('tells no event of copies when there are none', () => {
    expect(new Library().decide(register({ copies: 0 }))).toHaveProperty('events.length', 1);
    expect(
      libraryWith(1).decide(register({ isbn: ISBN, copies: 0 }, 'book-info:1')),
    ).toHaveProperty('events', []);
  });
});

describe('updating a title', () => {
  it('changes what is named and raises the version', () => {
    const library = libraryWith(1);
    library.now = later(1);
    expect(library.done(update(1, { title: 'New', bookImg: 'https://img.test/1' }))).toMatchObject({
      ...{
        title: 'New',
        bookImg: 'https://img.test/1',
        author: 'Hermann Hesse',
        isbn: ISBN,
        publicationDate: '1919-01-01',
        version: 2,
      },
      ...{ createdAt: NOW.toISOString(), modifiedAt: later(1).toISOString() },
    });
  });

  it('keeps both of two updates of different fields, and clears what is set to null', () => {
    const library = libraryWith(1);
    library.done(update(1, { title: 'New' }));
    expect(library.done(update(1, { publicationDate: null }))).toMatchObject({
      title: 'New',
      publicationDate: null,
      version: 3,
    });
  });

  it('leaves version and events alone when nothing changes', () => {
    expect(libraryWith(1).decide(update(1, { title: 'Demian', isbn: ISBN }))).toMatchObject({
      kind: 'done',
      result: { version: 1 },
      events: [],
    });
  });

  it('is refused for an outdated version, and a borrow does not outdate it', () => {
    const library = libraryWith(1);
    library.done(borrow(1, 1));
    library.done(update(1, { title: 'New' }, 1));
    expect(library.refusal(update(1, { title: 'Newer' }, 1))).toBe('VERSION_MISMATCH');
    expect(library.state.title(1)?.title).toBe('New');
  });

  it('is refused for an ISBN that another title has, and is done for its own', () => {
    const library = libraryWith(1);
    library.done(register({ isbn: '9791190090018' }));
    expect(library.inTheWay(update(1, { isbn: '9791190090018' }))).toEqual({ bookInfoId: 100 });
    expect(library.refusal(update(1, { isbn: '9791190090018' }))).toBe('ISBN_ALREADY_REGISTERED');
    expect(library.done(update(1, { isbn: ISBN }))).toMatchObject({ isbn: ISBN });
  });

  it('lets two titles swap their ISBNs in one batch', () => {
    const library = libraryWith(0);
    library.done(register({ isbn: '9791190090018' }));
    library.done(update(1, { isbn: null }));
    library.done(update(100, { isbn: ISBN }));
    library.done(update(1, { isbn: '9791190090018' }));
    expect(library.state.titleByIsbn(ISBN)?.id).toBe(100);
    expect(library.state.titleByIsbn('9791190090018')?.id).toBe(1);
  });

  it('finds the author of a name, or makes it', () => {
    const library = libraryWith(1);
    expect(library.done(update(1, { author: 'Somebody' }))).toMatchObject({
      author: 'Somebody',
      authorId: 100,
    });
    expect(library.done(update(1, { author: 'Hermann Hesse' }))).toMatchObject({ authorId: 7 });
  });
});

describe('deleting a title', () => {
  it('is refused while a copy is on loan, also one that was lent in the batch', () => {
    const library = libraryWith(2);
    library.done(borrow(1, 1));
    expect(library.inTheWay(deleteTitle(1))).toEqual({
      bookInfoId: 1,
      borrowId: expect.any(Number),
    });
    expect(library.refusal(deleteTitle(1))).toBe('BOOK_INFO_ON_LOAN');
    library.done(giveBack(1, 1));
    expect(library.decide(deleteTitle(1))).toMatchObject({
      kind: 'done',
      created: false,
      result: null,
    });
  });

  it('is refused for loans that were there before the batch', () => {
    expect(libraryWithLoan(1).refusal(deleteTitle(1))).toBe('BOOK_INFO_ON_LOAN');
  });

  it.each(everyCommandOfTitle1)('makes $type come too late', (given) => {
    const library = libraryWith(1);
    library.done(deleteTitle(1));
    expect(library.refusal(given)).toBe('BOOK_INFO_NOT_FOUND');
  });
});

describe('barcodes', () => {
  it('are given to new copies in order, and shown', () => {
    const library = libraryWith(0);
    expect(library.done(addCopies(1, 2, ['A', 'B']))).toMatchObject({
      items: [
        { bookId: 100, barcode: 'A' },
        { bookId: 101, barcode: 'B' },
      ],
    });
  });

  it('are on one copy at most, and the refusal names that', () => {
    const library = libraryWith(1);
    library.done(addCopies(1, 1, ['A']));
    for (const given of [addCopies(1, 2, ['B', 'A']), changeCopy(1, 1, { barcode: 'A' })]) {
      expect(library.refusal(given)).toBe('BARCODE_TAKEN');
      expect(library.inTheWay(given)).toEqual({ bookId: 100, bookInfoId: 1 });
    }
    expect(library.stock(1)).toEqual([2, 2]);
  });

  it('can be given again once the copy has another or none, or is deleted, or its title is', () => {
    const library = libraryWith(3);
    const other = library.done(register({ copies: 0 })).bookInfoId as number;
    const label = (bookId: number, barcode: string | null) =>
      library.done(changeCopy(1, bookId, { barcode }));
    expect(label(1, 'A')).toMatchObject({ bookId: 1, barcode: 'A' });
    label(1, 'B');
    label(2, 'A');
    label(2, null);
    label(3, 'A');
    library.done(deleteCopy(1, 3));
    label(2, 'A');
    library.done(deleteTitle(1));
    expect(library.done(addCopies(other, 2, ['A', 'B']))).toMatchObject({ addedCount: 2 });
  });

  it('change together with the status, and on a copy on loan, which stays on loan', () => {
    const library = libraryWithLoan(9);
    expect(library.done(changeCopy(1, 1, { barcode: 'A' }))).toMatchObject({ status: 'ON_LOAN' });
    library.done(giveBack(9, 1));
    expect(library.done(changeCopy(1, 1, { barcode: 'B', status: 'DAMAGED' }))).toMatchObject({
      barcode: 'B',
      status: 'DAMAGED',
    });
  });

  it('make an event when they change, and none when they stay', () => {
    const library = libraryWith(1);
    const told = (barcode: string) => library.decide(changeCopy(1, 1, { barcode }));
    expect(told('A')).toHaveProperty('events', [
      expect.objectContaining({
        type: 'lending.copies.changed',
        data: expect.objectContaining({ bookId: 1, barcode: 'A', deleted: false }) as object,
      }),
    ]);
    expect(told('A')).toHaveProperty('events', []);
  });
});
