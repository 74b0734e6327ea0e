import { bookInfoKey, CALENDAR, LOAN_RULES } from '../../shared/lending/commands';
import { DEFAULT_CATEGORY, DEFAULT_KIND } from '../../shared/lending/loan-rules';
import { EventCounts } from '../batch/service/event-counts';
import { HoldLines, type HoldsView } from './hold-lines';
import { OpenBorrows } from './open-borrows';
import { afterChanges, changedOnes, NO_POLICIES, type Policies } from './policies';
import type { Borrow, Copy, LendingChanges, OpenCount, Reader, Title } from './rows';

export type { Borrow, Copy, LendingChanges, Reader, Title } from './rows';

/** What a decision may look at. */
export interface LendingView {
  /** A title by id, also a deleted one. */
  title(id: number): Title | undefined;
  /** The title that is registered under an ISBN and not deleted. */
  titleByIsbn(isbn: string): Title | undefined;
  copy(id: number): Copy | undefined;
  /** The copy with a barcode that is not deleted. */
  copyByBarcode(barcode: string): Copy | undefined;
  /** The copies of a title that have a barcode; known where the title may be deleted. */
  labelledCopies(bookInfoId: number): Copy[];
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
  /**
   * How many borrows of a kind the user has open, over all titles; counted only when there is a
   * limit.
   */
  openBorrows(userId: number, kind?: string): number;
  /** The open borrow of the user that is due first; known only when a rule asks for it. */
  firstDue(userId: number): { readonly borrowId: number; readonly dueAt: Date } | undefined;
  authorId(name: string): number | undefined;
  username(userId: number): string;
  /** Whether a reader who borrows or holds was erased. */
  isErased(userId: number): boolean;
  /** Whether there is a reader whom a command names. */
  isReader(userId: number): boolean;
  /** The category of a reader. */
  categoryOf(userId: number): string;
  /** The kind of the first copy of a title, for a hold is of no copy. */
  kindOfTitle(bookInfoId: number): string;
  readonly policies: Policies;
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
  private readonly barcodes = new Map<string, number>();
  private readonly openOfTitle = new Map<number, Set<number>>();
  private readonly borrows = new Map<number, Borrow>();
  private readonly openByTitle = new Map<string, number>();
  private readonly openByCopy = new Map<number, number>();
  private readonly openByUser = new OpenBorrows();
  private readonly authors = new Map<string, number>();
  private readonly readers = new Map<number, Reader>();
  private readonly categories = new Map<number, string>();
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
  private counting: Policies;

  constructor(
    private readonly usernameOf: (userId: number) => string,
    private readonly policiesBefore = NO_POLICIES,
  ) {
    this.counting = policiesBefore;
    this.events.load(LOAN_RULES, policiesBefore.loanRules.row.version);
    this.events.load(CALENDAR, policiesBefore.calendar.row.version);
  }

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
  loadCounts(counts: readonly OpenCount[]): void {
    for (const { userId, kind, open } of counts) this.openByUser.add(userId, kind, open);
  }

  /** When open borrows are due, those of each user that are due first. */
  loadDue(borrows: readonly Pick<Borrow, 'id' | 'userId' | 'dueAt'>[]): void {
    for (const borrow of borrows) this.openByUser.due(borrow);
  }

  loadReaders(readers: readonly Reader[]): void {
    for (const reader of readers) this.readers.set(reader.id, reader);
    this.loadCategories(readers);
  }

  loadCategories(readers: readonly Pick<Reader, 'id' | 'category'>[]): void {
    for (const { id, category } of readers) this.categories.set(id, category);
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
      this.recount(copy);
      this.putCopy(copy);
      this.touched.copies.add(copy.id);
    }
    for (const borrow of changes.borrows ?? []) {
      const opened =
        Number(borrow.status === 'BORROWED') -
        Number(this.borrows.get(borrow.id)?.status === 'BORROWED');
      this.openByUser.add(borrow.userId, this.kindOf(borrow.bookId), opened);
      this.openByUser.due(borrow);
      if (borrow.status === 'BORROWED') this.borrowsOf(borrow.bookInfoId).add(borrow.id);
      else this.borrowsOf(borrow.bookInfoId).delete(borrow.id);
      this.putBorrow(borrow);
      this.touched.borrows.add(borrow.id);
    }
    this.holds.evolve(changes.holds ?? []);
    this.counting = afterChanges(this.counting, changes);
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
    const copies = this.split('copies', this.copies);
    const relabelled = copies.updated.filter(
      ({ id, barcode }) => this.stored.copies.get(id)?.barcode !== barcode,
    );
    const renamed = copies.updated.filter(
      ({ id, kind }) => this.stored.copies.get(id)?.kind !== kind,
    );
    const borrows = this.split('borrows', this.borrows);
    const reminded = borrows.updated.filter(({ id, reminder, dueAt }) => {
      const before = this.stored.borrows.get(id);
      return reminder !== before?.reminder || (reminder !== null && dueAt !== before.dueAt);
    });
    return {
      authors: this.newAuthors,
      titles: { inserted: titles.inserted, leaving, described, stocked },
      copies: { ...copies, relabelled, renamed },
      borrows: { ...borrows, reminded },
      holds: this.holds.pending(),
      policies: this.changedPolicies(),
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

  copyByBarcode(barcode: string): Copy | undefined {
    const id = this.barcodes.get(barcode);
    return id === undefined ? undefined : this.copies.get(id);
  }

  labelledCopies(bookInfoId: number): Copy[] {
    return [...this.barcodes.values()]
      .flatMap((id) => this.copies.get(id) ?? [])
      .filter((copy) => copy.bookInfoId === bookInfoId);
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

  openBorrows(userId: number, kind?: string): number {
    return this.openByUser.count(userId, kind);
  }

  firstDue(userId: number): { readonly borrowId: number; readonly dueAt: Date } | undefined {
    return this.openByUser.firstDue(userId);
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

  categoryOf(userId: number): string {
    return this.categories.get(userId) ?? DEFAULT_CATEGORY;
  }

  kindOfTitle(bookInfoId: number): string {
    let first: Copy | undefined;
    for (const copy of this.copies.values())
      if (copy.bookInfoId === bookInfoId && !copy.deletedAt && copy.id < (first?.id ?? Infinity))
        first = copy;
    return first?.kind ?? DEFAULT_KIND;
  }

  get policies(): Policies {
    return this.counting;
  }

  /** Those that the batch has changed. */
  changedPolicies(): Partial<Policies> {
    return changedOnes(this.policiesBefore, this.counting);
  }

  private kindOf(bookId: number): string {
    return this.copies.get(bookId)?.kind ?? DEFAULT_KIND;
  }

  /** A copy on loan that becomes another kind counts as that. */
  private recount({ id, kind }: Copy): void {
    const borrow = this.openBorrowOfCopy(id);
    if (!borrow || this.kindOf(id) === kind) return;
    this.openByUser.add(borrow.userId, this.kindOf(id), -1);
    this.openByUser.add(borrow.userId, kind, 1);
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
    const before = this.copies.get(copy.id)?.barcode ?? null;
    if (before !== null && this.barcodes.get(before) === copy.id) this.barcodes.delete(before);
    if (copy.barcode !== null && copy.deletedAt === null) this.barcodes.set(copy.barcode, copy.id);
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
