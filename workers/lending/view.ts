import type { HoldsView } from './hold-lines';
import type { Policies } from './policies';
import type { Borrow, Copy, Title } from './rows';

/** What decisions can read. */
export interface LendingView {
  /** Returns a title by id, even a deleted one. */
  title(id: number): Title | undefined;
  /** Returns the title that is registered under an ISBN and not deleted. */
  titleByIsbn(isbn: string): Title | undefined;
  copy(id: number): Copy | undefined;
  /** Returns the copy with a barcode that is not deleted. */
  copyByBarcode(barcode: string): Copy | undefined;
  /** Returns the copies of a title that have a barcode. Known when the title may be deleted. */
  labelledCopies(bookInfoId: number): Copy[];
  /**
   * Returns the available copy of the title with the lowest id. It is the same one however commands
   * fall into batches.
   */
  availableCopy(bookInfoId: number): Copy | undefined;
  /** Returns the ids of the open borrows of a title. Known when the title may be deleted. */
  borrowsOf(bookInfoId: number): ReadonlySet<number>;
  borrow(id: number): Borrow | undefined;
  openBorrow(userId: number, bookInfoId: number): Borrow | undefined;
  openBorrowOfCopy(bookId: number): Borrow | undefined;
  /**
   * Returns how many borrows of a kind the user has open, over all titles. Counted only when there
   * is a limit.
   */
  openBorrows(userId: number, kind?: string): number;
  /** Returns the open borrow of the user that is due first. Known only when a rule needs it. */
  firstDue(userId: number): { readonly borrowId: number; readonly dueAt: Date } | undefined;
  authorId(name: string): number | undefined;
  username(userId: number): string;
  /** Returns whether a reader who borrows or holds was erased. */
  isErased(userId: number): boolean;
  /** Returns whether the reader whom a command names exists. */
  isReader(userId: number): boolean;
  /** Returns the category of a reader. */
  categoryOf(userId: number): string;
  /** Returns the kind of a title's first copy, because a hold has no copy. */
  kindOfTitle(bookInfoId: number): string;
  readonly policies: Policies;
  readonly holds: HoldsView;
}
