import type { BookAttributes, LendingCommand } from '../../shared/lending/commands';
import { titleOfKey } from '../../shared/lending/commands';
import type { AllIdsOf, IdsOf, NeedsOf } from '../batch/service/needs';

/** What each lending command needs: new ids, and rows for its decision. */

type BorrowType = 'lending.borrow-book' | 'lending.check-borrow';

/** Adds up numbers by id. */
class Totals extends Map<number, number> {
  add(id: number, count: number): void {
    this.set(id, (this.get(id) ?? 0) + count);
  }
}

/** A user and a title, each pair once. */
class Pairs extends Map<string, { readonly userId: number; readonly bookInfoId: number }> {
  add(userId: number, bookInfoId: number): void {
    this.set(`${userId}:${bookInfoId}`, { userId, bookInfoId });
  }
}

/** What a batch of lending commands reads. */
export class Wanted {
  readonly titles = new Set<number>();
  readonly isbns = new Set<string>();
  readonly authors = new Set<string>();
  readonly copies = new Set<number>();
  readonly barcodes = new Set<string>();
  /** Titles whose copies with barcodes are read. */
  readonly labelledOfTitles = new Set<number>();
  /** How many available copies of a title the batch can use at most. */
  readonly available = new Totals();
  /** Titles whose open borrows are read. */
  readonly openOfTitles = new Set<number>();
  readonly borrows = new Set<number>();
  readonly openOfCopies = new Set<number>();
  /** Open borrows. */
  readonly openOfUsers = new Pairs();
  /** Users whose borrows may be limited. */
  readonly borrowers = new Set<number>();
  /** Users whose holds may be limited. */
  readonly holders = new Set<number>();
  /** How many borrows the batch may end or renew. */
  ending = 0;
  /** For how many copies of a title the kind of the first one is needed. */
  readonly firstCopies = new Totals();
  /** Users who borrow or place holds. */
  readonly readers = new Set<number>();
  readonly holds = new Set<number>();
  /** Holds for which these copies are set aside. */
  readonly holdsOfCopies = new Set<number>();
  readonly holdsOfTitles = new Set<number>();
  readonly holdsOfUsers = new Pairs();
  /** How many readers of each line are read. */
  readonly lines = new Totals();
  /** Titles whose lines get new holds. */
  readonly tails = new Set<number>();
  /** Texts whose words may be new. */
  readonly texts: { readonly title?: string; readonly author?: string }[] = [];

  title(id: number): void {
    this.titles.add(id);
    this.available.add(id, 1);
  }

  copy(id: number): void {
    this.copies.add(id);
    this.openOfCopies.add(id);
  }

  attributes({ isbn, author, title }: Partial<BookAttributes>): void {
    if (isbn) this.isbns.add(isbn);
    if (author !== undefined) this.authors.add(author);
    this.texts.push({
      ...(title !== undefined && { title }),
      ...(author !== undefined && { author }),
    });
  }
}

function readsOfBorrow(
  { payload, actor }: Extract<LendingCommand, { type: BorrowType }>,
  wanted: Wanted,
): void {
  const { bookInfoId, bookId, userId: named } = payload;
  wanted.title(bookInfoId);
  if (bookId !== null) wanted.copy(bookId);
  if (actor.userId === null) return;
  wanted.readers.add(actor.userId);
  const userId = named ?? actor.userId;
  wanted.openOfUsers.add(userId, bookInfoId);
  wanted.holdsOfUsers.add(userId, bookInfoId);
  wanted.borrowers.add(userId);
  wanted.readers.add(userId);
}

export const lendingNeeds = {
  'lending.register-book-info': {
    ids: { author: 1, 'book-info': 1, book: ({ copies }) => copies },
    reads({ key, payload }, wanted) {
      wanted.attributes(payload);
      // Copies may be added to an existing title, and go to its waiting readers.
      const bookInfoId = titleOfKey(key);
      if (bookInfoId !== null && payload.copies > 0) wanted.lines.add(bookInfoId, payload.copies);
    },
  },
  'lending.update-book-info': {
    ids: { author: 1 },
    reads({ payload }, wanted) {
      wanted.title(payload.bookInfoId);
      wanted.attributes(payload.changes);
    },
  },
  'lending.delete-book-info': {
    ids: {},
    reads({ payload }, wanted) {
      wanted.title(payload.bookInfoId);
      wanted.openOfTitles.add(payload.bookInfoId);
      wanted.labelledOfTitles.add(payload.bookInfoId);
      wanted.holdsOfTitles.add(payload.bookInfoId);
    },
  },
  'lending.add-copies': {
    ids: { book: ({ count }) => count },
    reads({ payload }, wanted) {
      wanted.title(payload.bookInfoId);
      wanted.lines.add(payload.bookInfoId, payload.count);
      for (const barcode of payload.barcodes ?? []) wanted.barcodes.add(barcode);
    },
  },
  'lending.set-copy-status': {
    ids: {},
    reads({ payload }, wanted) {
      wanted.title(payload.bookInfoId);
      wanted.copy(payload.bookId);
      if (payload.barcode) wanted.barcodes.add(payload.barcode);
      wanted.holdsOfCopies.add(payload.bookId);
      wanted.lines.add(payload.bookInfoId, 1);
      wanted.ending += 1;
    },
  },
  'lending.delete-copy': {
    ids: {},
    reads({ payload }, wanted) {
      wanted.title(payload.bookInfoId);
      wanted.copy(payload.bookId);
      wanted.holdsOfCopies.add(payload.bookId);
      wanted.firstCopies.add(payload.bookInfoId, 1);
    },
  },
  'lending.borrow-book': { ids: { borrow: 1 }, reads: readsOfBorrow },
  'lending.check-borrow': { ids: {}, reads: readsOfBorrow },
  'lending.return-book': {
    ids: {},
    reads({ payload: { bookInfoId, bookId, borrowId }, actor: { userId } }, wanted) {
      wanted.ending += 1;
      wanted.title(bookInfoId);
      if (bookId !== null) wanted.copy(bookId);
      if (borrowId !== null) wanted.borrows.add(borrowId);
      wanted.lines.add(bookInfoId, 1);
      if (userId !== null) wanted.openOfUsers.add(userId, bookInfoId);
    },
  },
  'lending.renew-borrow': {
    ids: {},
    reads({ payload: { bookInfoId, borrowId } }, wanted) {
      wanted.ending += 1;
      wanted.title(bookInfoId);
      wanted.borrows.add(borrowId);
      // Serves nobody, but needs to know whether somebody waits.
      wanted.lines.add(bookInfoId, 1);
    },
  },
  'lending.place-hold': {
    ids: { hold: 1 },
    reads({ payload: { bookInfoId }, actor: { userId } }, wanted) {
      wanted.title(bookInfoId);
      wanted.tails.add(bookInfoId);
      wanted.firstCopies.add(bookInfoId, 1);
      if (userId === null) return;
      wanted.openOfUsers.add(userId, bookInfoId);
      wanted.holdsOfUsers.add(userId, bookInfoId);
      wanted.holders.add(userId);
      wanted.readers.add(userId);
    },
  },
  'lending.cancel-hold': {
    ids: {},
    reads({ payload: { bookInfoId, holdId } }, wanted) {
      wanted.title(bookInfoId);
      wanted.holds.add(holdId);
      wanted.lines.add(bookInfoId, 1);
    },
  },
  'lending.expire-hold': {
    ids: {},
    reads({ payload: { bookInfoId, holdId } }, wanted) {
      wanted.title(bookInfoId);
      wanted.holds.add(holdId);
      wanted.lines.add(bookInfoId, 1);
    },
  },
  'lending.remind-borrower': {
    ids: {},
    reads({ payload: { bookInfoId, borrowId } }, wanted) {
      wanted.title(bookInfoId);
      wanted.borrows.add(borrowId);
    },
  },
  // Every batch reads the policies.
  'lending.set-loan-rules': {
    ids: {},
    // The loan rules decide what the other commands of a batch read.
    alone: true,
    reads: () => undefined,
  },
  'lending.set-calendar': { ids: {}, reads: () => undefined },
} satisfies NeedsOf<LendingCommand, Wanted>;

/** The ids that a command may take. */
export type LendingIds<Type extends LendingCommand['type']> = IdsOf<typeof lendingNeeds, Type>;
export type AnyLendingId = AllIdsOf<typeof lendingNeeds>;
