import type { CommandOf } from '../command';
import type { OpenDays } from './calendar';
import type { LoanRule } from './loan-rules';

/** The commands of library lending: what each carries, and what lending refuses. */

/** ON_HOLD: set aside for a reader who waited for it. */
export const COPY_STATUSES = [
  'AVAILABLE',
  'ON_LOAN',
  'ON_HOLD',
  'LOST',
  'DAMAGED',
  'WITHDRAWN',
] as const;
export type CopyStatus = (typeof COPY_STATUSES)[number];
/**
 * The statuses that an administrator can give to a copy; ON_LOAN comes from a borrow and ON_HOLD
 * from a hold only.
 */
export const SETTABLE_COPY_STATUSES = ['AVAILABLE', 'LOST', 'DAMAGED', 'WITHDRAWN'] as const;
export type SettableCopyStatus = (typeof SETTABLE_COPY_STATUSES)[number];

export const BORROW_STATUSES = ['BORROWED', 'RETURNED', 'LOST'] as const;
export type BorrowStatus = (typeof BORROW_STATUSES)[number];

/** What a borrower is reminded of, once for each due date. */
export const REMINDERS = ['due-soon', 'overdue'] as const;
export type Reminder = (typeof REMINDERS)[number];

/** WAITING in line, READY to be fetched, and the ends: borrowed, not fetched in time, given up. */
export const HOLD_STATUSES = ['WAITING', 'READY', 'FULFILLED', 'EXPIRED', 'CANCELLED'] as const;
export type HoldStatus = (typeof HOLD_STATUSES)[number];

/** Most readers that can wait for one title. */
export const WAITING_MAX = 1000;
/** Most copies that one command may add. */
export const COPIES_ADDED_MAX = 1000;
/** Most characters of a barcode. */
export const BARCODE_LENGTH = 64;
/** How often one borrow can be renewed, unless a loan rule says otherwise. */
export const RENEWALS_MAX = 2;

/** What administrators set about lending as a whole; each is an aggregate of its own. */
export const LOAN_RULES = 'loan-rules';
export const CALENDAR = 'calendar';
export type PolicyName = typeof LOAN_RULES | typeof CALENDAR;

/** What an administrator says about a title. */
export interface BookAttributes {
  readonly title: string;
  readonly author: string;
  readonly isbn: string | null;
  /** `YYYY-MM-DD` */
  readonly publicationDate: string | null;
  readonly bookImg: string | null;
}

export interface LendingCommands {
  'lending.register-book-info': BookAttributes & {
    readonly copies: number;
    readonly onDuplicate: 'add' | 'reject';
  };
  /**
   * `ifVersion`: the attributes' version that the change was made against, null for whatever it is.
   */
  'lending.update-book-info': {
    readonly bookInfoId: number;
    readonly changes: Partial<BookAttributes>;
    readonly ifVersion: number | null;
  };
  /** `ifVersion`: as of an update, where one is named. */
  'lending.delete-book-info': { readonly bookInfoId: number; readonly ifVersion?: number };
  /**
   * `barcodes`: one for each of the copies; without them the copies have none. `kind`: what they
   * are; books without it.
   */
  'lending.add-copies': {
    readonly bookInfoId: number;
    readonly count: number;
    readonly barcodes?: readonly string[];
    readonly kind?: string;
  };
  /** Changes the status, the kind, the barcode, or several; a barcode of null takes it off. */
  'lending.set-copy-status': {
    readonly bookInfoId: number;
    readonly bookId: number;
    readonly status?: SettableCopyStatus;
    readonly kind?: string;
    readonly barcode?: string | null;
  };
  'lending.delete-copy': { readonly bookInfoId: number; readonly bookId: number };
  /**
   * `bookId`: this copy and no other; null for any. `userId`: the reader whom an administrator
   * lends to; the sender without it.
   */
  'lending.borrow-book': {
    readonly bookInfoId: number;
    readonly bookId: number | null;
    readonly userId?: number;
  };
  /** Says what stands in the way of such a borrow now, and changes nothing. */
  'lending.check-borrow': LendingCommands['lending.borrow-book'];
  /** Closes the borrow named, or the caller's open one of the copy, or of the title. */
  'lending.return-book': {
    readonly bookInfoId: number;
    readonly borrowId: number | null;
    readonly bookId: number | null;
  };
  'lending.renew-borrow': { readonly bookInfoId: number; readonly borrowId: number };
  'lending.place-hold': { readonly bookInfoId: number };
  'lending.cancel-hold': { readonly bookInfoId: number; readonly holdId: number };
  /** All rules anew. `ifVersion`: the version that they replace, null for whatever it is. */
  'lending.set-loan-rules': {
    readonly rules: readonly LoanRule[];
    readonly ifVersion: number | null;
  };
  /** The open days anew, as the loan rules. */
  'lending.set-calendar': OpenDays & { readonly ifVersion: number | null };
  /** Sent by the workers themselves when a copy set aside was not fetched in time. */
  'lending.expire-hold': { readonly bookInfoId: number; readonly holdId: number };
  /** Sent by the workers themselves when a borrow is due soon, or overdue. */
  'lending.remind-borrower': {
    readonly bookInfoId: number;
    readonly borrowId: number;
    readonly reminder: Reminder;
  };
}

export type LendingCommand = CommandOf<LendingCommands>;

declare module '../command' {
  interface CommandPayloads extends LendingCommands {}
}

/** Everything that lending refuses, as the client sees it. */
export type LendingRefusal =
  | 'BOOK_INFO_NOT_FOUND'
  | 'BOOK_NOT_FOUND'
  | 'BORROW_NOT_FOUND'
  | 'VERSION_MISMATCH'
  | 'ISBN_ALREADY_REGISTERED'
  | 'BOOK_INFO_ON_LOAN'
  | 'COPY_ON_LOAN'
  | 'BARCODE_TAKEN'
  | 'ALREADY_BORROWED'
  | 'OUT_OF_STOCK'
  | 'COPY_NOT_AVAILABLE'
  | 'LOAN_LIMIT_REACHED'
  | 'ALREADY_RETURNED'
  | 'RENEWAL_LIMIT_REACHED'
  | 'HELD_BY_OTHERS'
  | 'COPY_ON_HOLD'
  | 'HOLD_NOT_FOUND'
  | 'ALREADY_HELD'
  | 'STOCK_AVAILABLE'
  | 'HOLD_LINE_FULL'
  | 'HOLD_LIMIT_REACHED'
  | 'OVERDUE_BLOCKED'
  | 'USER_NOT_FOUND'
  | 'TOKEN_REVOKED';

/**
 * Aggregate keys. A title that has no id yet is known by its ISBN, or by the command that makes it.
 */
export const bookInfoKey = (bookInfoId: number): string => `book-info:${bookInfoId}`;
/** The title that a key names, null when it names another thing. */
export function titleOfKey(key: string): number | null {
  const [, digits] = /^book-info:([1-9][0-9]{0,15})$/.exec(key) ?? [];
  return digits === undefined ? null : Number(digits);
}
export const isbnKey = (value: string): string => `isbn:${value}`;
