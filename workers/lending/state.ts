import {
  bookInfoKey,
  type BookAttributes,
  type BorrowStatus,
  type CopyStatus,
} from '../../shared/lending/commands';
import { EventCounts } from '../batch/event-counts';
import { HoldLines, type Hold, type HoldsView } from './hold-lines';

/**
 * A title, its stock and who deleted it when. Rows are never changed; a change is a new row in the
 * state.
 */
export interface Title extends BookAttributes {
  readonly id: number;
  readonly authorId: number;
  readonly totalStock: number;
  readonly availableStock: number;
  readonly borrowCount: number;
  readonly version: number;
  readonly createdAt: Date;
  readonly modifiedAt: Date;
  readonly deletedAt: Date | null;
}

export interface Copy {
  readonly id: number;
  readonly bookInfoId: number;
  readonly status: CopyStatus;
  readonly deletedAt: Date | null;
}

export interface Borrow {
  readonly id: number;
  readonly userId: number;
  readonly username: string;
  readonly bookInfoId: number;
  readonly bookId: number;
  readonly title: string;
  readonly status: BorrowStatus;
  readonly borrowedAt: Date;
  readonly dueAt: Date;
  readonly returnedAt: Date | null;
  readonly renewalCount: number;
}

/** A user who borrows, holds, or lends to another. */
export interface Reader {
  readonly id: number;
  readonly username: string;
  readonly isErased: boolean;
}

/** Rows that a decision makes or replaces. */
export interface LendingChanges {
  readonly titles?: readonly Title[];
  readonly copies?: readonly Copy[];
  readonly borrows?: readonly Borrow[];
  readonly holds?: readonly Hold[];
  /** Authors that did not exist. */
  readonly authors?: readonly { readonly id: number; readonly name: string }[];
}

/** What a decision may look at. */
export interface LendingView {
  /** A title by id, also a deleted one. */
  title(id: number): Title | undefined;
  /** The title that is registered under an ISBN and not deleted. */
  titleByIsbn(isbn: string): Title | undefined;
  copy(id: number): Copy | undefined;
  /**
   * The copy of the title with the lowest id among those that can be borrowed, so that it is the
   * same one however commands fall into batches.
   */
  availableCopy(bookInfoId: number): Copy | undefined;
  /** Ids of the open borrows of a title; known where the title may be deleted. */
  borrowsOf(bookInfoId: number): ReadonlySet<number>;
  borrow(id: number): Borrow | undefined;
  openBorrow(userId: number, bookInfoId: number): Borrow | undefined;
  openBorrowOfCopy(bookId: number): Borrow | undefined;
  /** How many borrows the user has open, over all titles; counted only when there is a limit. */
  openBorrows(userId: number): number;
  authorId(name: string): number | undefined;
  username(userId: number): string;
  /** Whether a reader who borrows or holds was erased. */
  isErased(userId: number): boolean;
  /** Whether there is a reader whom a command names. */
  isReader(userId: number): boolean;
  readonly holds: HoldsView;
}

const isAvailable = (copy: Copy): boolean => copy.status === 'AVAILABLE' && copy.deletedAt === null;

/**
 * The aggregates of one batch in memory: loaded rows, changed by one decision after the other. It
 * remembers which rows are new and which are changed, because each is written once, in its last
 * form, however many commands touched it.
 */
export class LendingState implements LendingView {
  readonly holds = new HoldLines();
  readonly events = new EventCounts();
  /** Words whose endings are stored, as `search-store.ts` names them. */
  readonly knownWords = new Set<string>();
  private readonly titles = new Map<number, Title>();
  private readonly isbns = new Map<string, number>();
  private readonly copies = new Map<number, Copy>();
  private readonly available = new Map<number, Set<number>>();
  private readonly openOfTitle = new Map<number, Set<number>>();
  private readonly borrows = new Map<number, Borrow>();
  private readonly openByTitle = new Map<string, number>();
  private readonly openByCopy = new Map<number, number>();
  private readonly openByUser = new Map<number, number>();
  private readonly authors = new Map<string, number>();
  private readonly readers = new Map<number, Reader>();
  /** Rows as the database has them. */
  private readonly stored = {
    titles: new Map<number, Title>(),
    copies: new Map<number, Copy>(),
    borrows: new Map<number, Borrow>(),
  };
  private readonly touched = {
    titles: new Set<number>(),
    copies: new Set<number>(),
    borrows: new Set<number>(),
  };
  private readonly newAuthors: { id: number; name: string }[] = [];

  constructor(private readonly usernameOf: (userId: number) => string) {}

  load(rows: LendingChanges): void {
    for (const title of rows.titles ?? []) {
      this.stored.titles.set(title.id, title);
      this.putTitle(title);
    }
    for (const copy of rows.copies ?? []) {
      this.stored.copies.set(copy.id, copy);
      this.putCopy(copy);
    }
    for (const borrow of rows.borrows ?? []) {
      this.stored.borrows.set(borrow.id, borrow);
      this.putBorrow(borrow);
    }
    for (const { id, name } of rows.authors ?? []) this.authors.set(name, id);
    this.holds.load(rows.holds ?? []);
  }

  /** Counts that were loaded as counts; decisions adjust them from there. */
  loadCounts({ openByUser }: { openByUser: ReadonlyMap<number, number> }): void {
    for (const [userId, count] of openByUser) this.openByUser.set(userId, count);
  }

  loadReaders(readers: readonly Reader[]): void {
    for (const reader of readers) this.readers.set(reader.id, reader);
  }

  /** Open borrows of which no more is known than their ids and those of their titles. */
  loadOpen(borrows: readonly { readonly id: number; readonly bookInfoId: number }[]): void {
    for (const { id, bookInfoId } of borrows) this.borrowsOf(bookInfoId).add(id);
  }

  evolve(changes: LendingChanges): void {
    for (const { id, name } of changes.authors ?? []) {
      this.authors.set(name, id);
      this.newAuthors.push({ id, name });
    }
    for (const title of changes.titles ?? []) {
      const before = this.titles.get(title.id);
      if (before?.isbn) this.isbns.delete(before.isbn);
      this.putTitle(title);
      this.touched.titles.add(title.id);
    }
    for (const copy of changes.copies ?? []) {
      this.putCopy(copy);
      this.touched.copies.add(copy.id);
    }
    for (const borrow of changes.borrows ?? []) {
      const opened =
        Number(borrow.status === 'BORROWED') -
        Number(this.borrows.get(borrow.id)?.status === 'BORROWED');
      this.openByUser.set(borrow.userId, this.openBorrows(borrow.userId) + opened);
      if (borrow.status === 'BORROWED') this.borrowsOf(borrow.bookInfoId).add(borrow.id);
      else this.borrowsOf(borrow.bookInfoId).delete(borrow.id);
      this.putBorrow(borrow);
      this.touched.borrows.add(borrow.id);
    }
    this.holds.evolve(changes.holds ?? []);
  }

  /**
   * Rows to insert and rows to update, in their last form. Titles of which more than the stock has
   * changed come apart, for the stock is what changes all the time; `leaving` are those that
   * another title may get the ISBN of.
   */
  pending() {
    const titles = this.split('titles', this.titles);
    const described = titles.updated.filter((title) => {
      const before = this.stored.titles.get(title.id);
      return before?.version !== title.version || before.deletedAt !== title.deletedAt;
    });
    const apart = new Set(described);
    // Also those that were only told of: their events are counted.
    const stocked = [...this.stored.titles.keys()].flatMap((id) => {
      const title = this.titles.get(id);
      const isChanged = this.touched.titles.has(id) || this.events.hasChanged(bookInfoKey(id));
      return title && isChanged && !apart.has(title) ? [title] : [];
    });
    const leaving = described.filter((title) => this.leavesIsbn(title));
    return {
      authors: this.newAuthors,
      titles: { inserted: titles.inserted, leaving, described, stocked },
      copies: this.split('copies', this.copies),
      borrows: this.split('borrows', this.borrows),
      holds: this.holds.pending(),
    };
  }

  /** A title as the database has it. */
  storedTitle(id: number): Title | undefined {
    return this.stored.titles.get(id);
  }

  /** Ids of the titles that are new or changed. */
  touchedTitles(): number[] {
    return [...this.touched.titles];
  }

  title(id: number): Title | undefined {
    return this.titles.get(id);
  }

  titleByIsbn(isbn: string): Title | undefined {
    const id = this.isbns.get(isbn);
    return id === undefined ? undefined : this.titles.get(id);
  }

  copy(id: number): Copy | undefined {
    return this.copies.get(id);
  }

  availableCopy(bookInfoId: number): Copy | undefined {
    let lowest = Infinity;
    for (const id of this.available.get(bookInfoId) ?? []) if (id < lowest) lowest = id;
    return this.copies.get(lowest);
  }

  borrowsOf(bookInfoId: number): Set<number> {
    const known = this.openOfTitle.get(bookInfoId) ?? new Set();
    this.openOfTitle.set(bookInfoId, known);
    return known;
  }

  borrow(id: number): Borrow | undefined {
    return this.borrows.get(id);
  }

  openBorrow(userId: number, bookInfoId: number): Borrow | undefined {
    const id = this.openByTitle.get(`${userId}:${bookInfoId}`);
    return id === undefined ? undefined : this.borrows.get(id);
  }

  openBorrowOfCopy(bookId: number): Borrow | undefined {
    const id = this.openByCopy.get(bookId);
    return id === undefined ? undefined : this.borrows.get(id);
  }

  openBorrows(userId: number): number {
    return this.openByUser.get(userId) ?? 0;
  }

  authorId(name: string): number | undefined {
    return this.authors.get(name);
  }

  username(userId: number): string {
    return this.readers.get(userId)?.username ?? this.usernameOf(userId);
  }

  isErased(userId: number): boolean {
    return this.readers.get(userId)?.isErased === true;
  }

  isReader(userId: number): boolean {
    return this.readers.get(userId)?.isErased === false;
  }

  private leavesIsbn({ id, isbn, deletedAt }: Title): boolean {
    const before = this.stored.titles.get(id);
    return (
      before !== undefined &&
      before.isbn !== null &&
      before.deletedAt === null &&
      (before.isbn !== isbn || deletedAt !== null)
    );
  }

  private split<Row>(
    kind: 'titles' | 'copies' | 'borrows',
    rows: ReadonlyMap<number, Row>,
  ): { inserted: Row[]; updated: Row[] } {
    const inserted: Row[] = [];
    const updated: Row[] = [];
    for (const id of this.touched[kind]) {
      const row = rows.get(id);
      if (row) (this.stored[kind].has(id) ? updated : inserted).push(row);
    }
    return { inserted, updated };
  }

  private putTitle(title: Title): void {
    this.titles.set(title.id, title);
    if (title.isbn && !title.deletedAt) this.isbns.set(title.isbn, title.id);
  }

  private putCopy(copy: Copy): void {
    this.copies.set(copy.id, copy);
    const available = this.available.get(copy.bookInfoId) ?? new Set();
    if (isAvailable(copy)) available.add(copy.id);
    else available.delete(copy.id);
    this.available.set(copy.bookInfoId, available);
  }

  private putBorrow(borrow: Borrow): void {
    this.borrows.set(borrow.id, borrow);
    const byTitle = `${borrow.userId}:${borrow.bookInfoId}`;
    if (borrow.status === 'BORROWED') {
      this.openByTitle.set(byTitle, borrow.id);
      this.openByCopy.set(borrow.bookId, borrow.id);
    } else {
      if (this.openByTitle.get(byTitle) === borrow.id) this.openByTitle.delete(byTitle);
      if (this.openByCopy.get(borrow.bookId) === borrow.id) this.openByCopy.delete(borrow.bookId);
    }
  }
}
