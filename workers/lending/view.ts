import type { HoldsView } from './hold-lines';
import type { Policies } from './policies';
import type { Borrow, Copy, Title } from './rows';

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
