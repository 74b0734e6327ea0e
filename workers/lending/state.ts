import { CALENDAR, LOAN_RULES } from '../../shared/lending/commands';
import { DEFAULT_CATEGORY } from '../../shared/lending/loan-rules';
import { EventCounts } from '../batch/service/event-counts';
import { Borrows } from './borrows';
import { Copies } from './copies';
import { HoldLines } from './hold-lines';
import { afterChanges, changedOnes, NO_POLICIES, type Policies } from './policies';
import type { Borrow, Copy, LendingChanges, OpenCount, Reader, Title } from './rows';
import { Titles } from './titles';
import type { LendingView } from './view';

/**
 * The aggregates of one batch in memory: loaded rows, changed by one decision after the other. It
 * remembers which rows are new and which are changed.
 */
export class LendingState implements LendingView {
  readonly holds = new HoldLines();
  readonly events = new EventCounts();
  /** Words whose endings are stored, as `search-store.ts` names them. */
  readonly knownWords = new Set<string>();
  private readonly titles = new Titles();
  private readonly copies = new Copies();
  private readonly borrows = new Borrows();
  private readonly authors = new Map<string, number>();
  private readonly readers = new Map<number, Reader>();
  private readonly categories = new Map<number, string>();
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
    for (const title of rows.titles ?? []) this.titles.load(title);
    for (const copy of rows.copies ?? []) this.copies.load(copy);
    for (const borrow of rows.borrows ?? []) this.borrows.load(borrow);
    for (const { id, name } of rows.authors ?? []) this.authors.set(name, id);
    this.holds.load(rows.holds ?? []);
  }

  /** Loads counts of open borrows, which decisions then adjust. */
  loadCounts(counts: readonly OpenCount[]): void {
    for (const { userId, kind, open } of counts) this.borrows.openOfUsers.add(userId, kind, open);
  }

  /** Loads the open borrows that are due first for each user. */
  loadDue(borrows: readonly Pick<Borrow, 'id' | 'userId' | 'dueAt'>[]): void {
    for (const borrow of borrows) this.borrows.openOfUsers.due(borrow);
  }

  loadReaders(readers: readonly Reader[]): void {
    for (const reader of readers) this.readers.set(reader.id, reader);
    this.loadCategories(readers);
  }

  loadCategories(readers: readonly Pick<Reader, 'id' | 'category'>[]): void {
    for (const { id, category } of readers) this.categories.set(id, category);
  }

  /** Loads open borrows of which only their ids and titles are known. */
  loadOpen(borrows: readonly { readonly id: number; readonly bookInfoId: number }[]): void {
    for (const { id, bookInfoId } of borrows) this.borrows.openOf(bookInfoId).add(id);
  }

  evolve(changes: LendingChanges): void {
    for (const { id, name } of changes.authors ?? []) {
      this.authors.set(name, id);
      this.newAuthors.push({ id, name });
    }
    for (const title of changes.titles ?? []) this.titles.put(title);
    for (const copy of changes.copies ?? []) {
      this.borrows.recount(copy.id, this.copies.kindOf(copy.id), copy.kind);
      this.copies.put(copy);
    }
    for (const borrow of changes.borrows ?? [])
      this.borrows.put(borrow, this.copies.kindOf(borrow.bookId));
    this.holds.evolve(changes.holds ?? []);
    this.counting = afterChanges(this.counting, changes);
  }

  /** Returns rows to insert and rows to update, in their last form. */
  pending() {
    return {
      authors: this.newAuthors,
      titles: this.titles.pending(this.events),
      copies: this.copies.pending(),
      borrows: this.borrows.pending(),
      holds: this.holds.pending(),
      policies: this.changedPolicies(),
    };
  }

  /** Returns a title as it is stored. */
  storedTitle(id: number): Title | undefined {
    return this.titles.stored(id);
  }

  /** Ids of the titles that are new or changed. */
  changedTitles(): number[] {
    return this.titles.changedIds();
  }

  title(id: number): Title | undefined {
    return this.titles.get(id);
  }

  titleByIsbn(isbn: string): Title | undefined {
    return this.titles.withIsbn(isbn);
  }

  copy(id: number): Copy | undefined {
    return this.copies.get(id);
  }

  copyByBarcode(barcode: string): Copy | undefined {
    return this.copies.withBarcode(barcode);
  }

  labelledCopies(bookInfoId: number): Copy[] {
    return this.copies.labelledOf(bookInfoId);
  }

  availableCopy(bookInfoId: number): Copy | undefined {
    return this.copies.firstAvailableOf(bookInfoId);
  }

  borrowsOf(bookInfoId: number): ReadonlySet<number> {
    return this.borrows.openOf(bookInfoId);
  }

  borrow(id: number): Borrow | undefined {
    return this.borrows.get(id);
  }

  openBorrow(userId: number, bookInfoId: number): Borrow | undefined {
    return this.borrows.openOfUser(userId, bookInfoId);
  }

  openBorrowOfCopy(bookId: number): Borrow | undefined {
    return this.borrows.openOfCopy(bookId);
  }

  openBorrows(userId: number, kind?: string): number {
    return this.borrows.openOfUsers.count(userId, kind);
  }

  firstDue(userId: number): { readonly borrowId: number; readonly dueAt: Date } | undefined {
    return this.borrows.openOfUsers.firstDue(userId);
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
    return this.copies.kindOfTitle(bookInfoId);
  }

  get policies(): Policies {
    return this.counting;
  }

  /** Returns the policies that the batch has changed. */
  changedPolicies(): Partial<Policies> {
    return changedOnes(this.policiesBefore, this.counting);
  }
}
