import type { Actor } from '../../../../shared/command';
import type { OpenDays } from '../../../../shared/lending/calendar';
import {
  CALENDAR,
  LOAN_RULES,
  type LendingCommand,
  type LendingCommands,
  type Reminder,
  type SettableCopyStatus,
} from '../../../../shared/lending/commands';
import type { LoanRule } from '../../../../shared/lending/loan-rules';
import { randomDigits } from '../random-digits';

/** Commands as the API makes them. */

export const user = (userId: number): Actor => ({
  userId,
  username: `user-${userId}`,
  role: 'user',
  isAdmin: false,
});
export const admin = (userId = 1): Actor => ({
  userId,
  username: `user-${userId}`,
  role: 'user',
  isAdmin: true,
});

export interface CommandParts<Type extends keyof LendingCommands> {
  readonly type: Type;
  readonly payload: LendingCommands[Type];
  readonly actor?: Actor;
  /** The title's key by default. */
  readonly key?: string;
}

/** Returns a command with a new id. */
export function command<Type extends keyof LendingCommands>({
  type,
  payload,
  actor = admin(),
  key,
}: CommandParts<Type>): Extract<LendingCommand, { type: Type }> {
  const own = 'bookInfoId' in payload ? `book-info:${payload.bookInfoId}` : 'book-info-of:test';
  const now = Date.now();
  return {
    ...{
      commandId: randomDigits(40),
      type,
      key: key ?? own,
      actor,
      payload,
      requestId: `request-${randomDigits(8)}`,
    },
    ...{ createdAt: now, replyTo: 'replies.test', replyBy: now + 600_000, traceparent: null },
  } as Extract<LendingCommand, { type: Type }>;
}

export const borrow = (userId: number, bookInfoId: number, bookId: number | null = null) =>
  command({ type: 'lending.borrow-book', payload: { bookInfoId, bookId }, actor: user(userId) });

export const check = (userId: number, bookInfoId: number, bookId: number | null = null) =>
  command({ type: 'lending.check-borrow', payload: { bookInfoId, bookId }, actor: user(userId) });

/** An administrator lends to a reader. */
export const lend = (userId: number, bookInfoId: number) =>
  command({ type: 'lending.borrow-book', payload: { bookInfoId, bookId: null, userId } });

export const giveBack = (
  userId: number,
  bookInfoId: number,
  meant: { borrowId?: number; bookId?: number } = {},
) =>
  command({
    type: 'lending.return-book',
    payload: { bookInfoId, borrowId: null, bookId: null, ...meant },
    actor: user(userId),
  });

export const renew = (userId: number, bookInfoId: number, borrowId: number) =>
  command({ type: 'lending.renew-borrow', payload: { bookInfoId, borrowId }, actor: user(userId) });

export const placeHold = (userId: number, bookInfoId: number) =>
  command({ type: 'lending.place-hold', payload: { bookInfoId }, actor: user(userId) });
export const cancelHold = (userId: number, bookInfoId: number, holdId: number) =>
  command({ type: 'lending.cancel-hold', payload: { bookInfoId, holdId }, actor: user(userId) });
export const expireHold = (bookInfoId: number, holdId: number) =>
  command({ type: 'lending.expire-hold', payload: { bookInfoId, holdId } });

export const remind = (bookInfoId: number, borrowId: number, reminder: Reminder) =>
  command({ type: 'lending.remind-borrower', payload: { bookInfoId, borrowId, reminder } });

export function register(
  more: Partial<LendingCommands['lending.register-book-info']> = {},
  key?: string,
) {
  const payload = {
    title: 'Demian',
    author: 'Hermann Hesse',
    isbn: null,
    publicationDate: null,
    bookImg: null,
    copies: 0,
    onDuplicate: 'add' as const,
    ...more,
  };
  return command({
    type: 'lending.register-book-info',
    payload,
    key: key ?? (payload.isbn === null ? 'book-info-of:test' : `isbn:${payload.isbn}`),
  });
}

export const update = (
  bookInfoId: number,
  changes: LendingCommands['lending.update-book-info']['changes'],
  ifVersion: number | null = null,
) => command({ type: 'lending.update-book-info', payload: { bookInfoId, changes, ifVersion } });

export const deleteTitle = (bookInfoId: number) =>
  command({ type: 'lending.delete-book-info', payload: { bookInfoId } });
export const addCopies = (
  bookInfoId: number,
  count: number,
  barcodes?: readonly string[],
  kind?: string,
) =>
  command({
    type: 'lending.add-copies',
    payload: { bookInfoId, count, ...(barcodes && { barcodes }), ...(kind && { kind }) },
  });
export const deleteCopy = (bookInfoId: number, bookId: number) =>
  command({ type: 'lending.delete-copy', payload: { bookInfoId, bookId } });
export const changeCopy = (
  bookInfoId: number,
  bookId: number,
  changes: Pick<LendingCommands['lending.set-copy-status'], 'status' | 'kind' | 'barcode'>,
) => command({ type: 'lending.set-copy-status', payload: { bookInfoId, bookId, ...changes } });
export const setStatus = (bookInfoId: number, bookId: number, status: SettableCopyStatus) =>
  changeCopy(bookInfoId, bookId, { status });

/** Returns a loan rule with only the given members. */
const loanRule = (given: Partial<LoanRule>): LoanRule => ({
  ...{ category: '*', kind: '*', loanDays: null, renewalsMax: null },
  ...{ maxOpenBorrows: null, holdsMax: null, blockOverdueDays: null },
  ...given,
});
export const setLoanRules = (
  rules: readonly Partial<LoanRule>[],
  ifVersion: number | null = null,
) =>
  command({
    type: 'lending.set-loan-rules',
    key: LOAN_RULES,
    payload: { rules: rules.map(loanRule), ifVersion },
  });

/** Returns a calendar with the given members. Without them it is always open. */
export const setCalendar = (given: Partial<OpenDays>, ifVersion: number | null = null) =>
  command({
    type: 'lending.set-calendar',
    key: CALENDAR,
    payload: { timeZone: null, closedWeekdays: [], closedDates: [], ...given, ifVersion },
  });
