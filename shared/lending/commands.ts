import type { CommandOf } from '../command';
import type { OpenDays } from './calendar';
import type { LoanRule } from './loan-rules';

/** The commands of library lending, and the refusals of lending. */

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
 * The statuses that an administrator can set. Only a borrow sets ON_LOAN, and only a hold ON_HOLD.
 */
export const SETTABLE_COPY_STATUSES = ['AVAILABLE', 'LOST', 'DAMAGED', 'WITHDRAWN'] as const;
export type SettableCopyStatus = (typeof SETTABLE_COPY_STATUSES)[number];

export const BORROW_STATUSES = ['BORROWED', 'RETURNED', 'LOST'] as const;
export type BorrowStatus = (typeof BORROW_STATUSES)[number];

/** The reminders of a borrow, each sent once for each due date. */
export const REMINDERS = ['due-soon', 'overdue'] as const;
export type Reminder = (typeof REMINDERS)[number];

/** WAITING in line, READY for pick-up, then borrowed, not picked up in time, or cancelled. */
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

/** What administrators set about lending as a whole. Each is an aggregate of its own. */
export const LOAN_RULES = 'loan-rules';
export const CALENDAR = 'calendar';
export type PolicyName = typeof LOAN_RULES | typeof CALENDAR;

/** What an administrator enters about a title. */
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
   * `ifVersion`: the version of the attributes that the change was made against, or null for any.
   */
  'lending.update-book-info': {
    readonly bookInfoId: number;
    readonly changes: Partial<BookAttributes>;
    readonly ifVersion: number | null;
  };
  /** `ifVersion`: as for an update. */
  'lending.delete-book-info': { readonly bookInfoId: number; readonly ifVersion?: number };
  /**
   * `barcodes`: one for each copy, or absent. `kind`: the kind of the copies, books when absent.
   */
  'lending.add-copies': {
    readonly bookInfoId: number;
    readonly count: number;
    readonly barcodes?: readonly string[];
    readonly kind?: string;
  };
  /** Changes status, kind or barcode. A barcode of null removes it. */
  'lending.set-copy-status': {
    readonly bookInfoId: number;
    readonly bookId: number;
    readonly status?: SettableCopyStatus;
    readonly kind?: string;
    readonly barcode?: string | null;
  };
  'lending.delete-copy': { readonly bookInfoId: number; readonly bookId: number };
  /**
   * `bookId`: this copy only, or null for any. `userId`: the reader to whom an administrator lends,
   * or absent for the sender.
   */
  'lending.borrow-book': {
    readonly bookInfoId: number;
    readonly bookId: number | null;
    readonly userId?: number;
  };
  /** Answers whether this borrow would succeed now, and changes nothing. */
  'lending.check-borrow': LendingCommands['lending.borrow-book'];
  /** Closes the named borrow, or the caller's open borrow of the copy or title. */
  'lending.return-book': {
    readonly bookInfoId: number;
    readonly borrowId: number | null;
    readonly bookId: number | null;
  };
  'lending.renew-borrow': { readonly bookInfoId: number; readonly borrowId: number };
  'lending.place-hold': { readonly bookInfoId: number };
  'lending.cancel-hold': { readonly bookInfoId: number; readonly holdId: number };
  /** Replaces all rules. `ifVersion`: the version that they replace, or null for any. */
  'lending.set-loan-rules': {
    readonly rules: readonly LoanRule[];
    readonly ifVersion: number | null;
  };
  /** Replaces the open days, with `ifVersion` as for the loan rules. */
  'lending.set-calendar': OpenDays & { readonly ifVersion: number | null };
  /** Sent by the workers themselves when a copy was not picked up in time. */
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
  interface ServiceRefusals {
    readonly lending: LendingRefusal;
  }
}

/** Every refusal of lending, as the client sees it. */
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
 * Returns an aggregate key. A title without an id yet is known by its ISBN, or by the command that
 * makes it.
 */
export const bookInfoKey = (bookInfoId: number): string => `book-info:${bookInfoId}`;
/** Returns the title that a key names, or null when it names another thing. */
export function titleOfKey(key: string): number | null {
  const [, digits] = /^book-info:([1-9][0-9]{0,15})$/.exec(key) ?? [];
  return digits === undefined ? null : Number(digits);
}
export const isbnKey = (value: string): string => `isbn:${value}`;
