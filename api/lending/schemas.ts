import { BORROW_STATUSES, COPY_STATUSES, HOLD_STATUSES } from '../../shared/lending/commands';
import { WEEKDAYS, type CalendarView } from '../../shared/lending/calendar';
import type { LoanRule, LoanRulesView } from '../../shared/lending/loan-rules';
import type { BookInfoView, BorrowView, CopyView, HoldView } from '../../shared/lending/views';
import {
  arrayOf,
  count,
  day,
  flag,
  id,
  instant,
  nullable,
  object,
  oneOf,
  optional,
  page,
  text,
} from '../openapi/schema';
import { problem } from '../openapi/problems';
import type { PopularTitle } from './popular-titles';
import type { TitledCopy } from './queries';

/** What clients see of library lending, for the document. */

const dune: BookInfoView = {
  ...{
    bookInfoId: 42,
    title: 'Dune',
    author: 'Frank Herbert',
    authorId: 5,
    isbn: '9780441172719',
    publicationDate: '1965-08-01',
    bookImg: null,
  },
  ...{
    totalStock: 2,
    availableStock: 1,
    version: 3,
    createdAt: '2026-03-01T09:30:00.000Z',
    modifiedAt: '2026-03-02T10:00:00.000Z',
  },
};

const title = {
  bookInfoId: id,
  title: text,
  author: text,
  authorId: id,
  isbn: nullable(text),
  publicationDate: nullable(day),
  bookImg: nullable(text),
  totalStock: count,
  availableStock: count,
  version: id,
  createdAt: instant,
  modifiedAt: instant,
};

export const bookInfo = object<BookInfoView>('BookInfo', title, dune);
const popularTitle = object<PopularTitle>(
  'PopularTitle',
  { ...title, borrowCount: count },
  { ...dune, borrowCount: 17 },
);
export const popularTitles = page(popularTitle, 'PopularTitleList', { days: id });

export const copyMembers = {
  bookId: id,
  bookInfoId: id,
  available: flag,
  status: oneOf(COPY_STATUSES),
  kind: text,
  barcode: nullable(text),
};
export const shelved: CopyView = {
  bookId: 108,
  bookInfoId: 42,
  available: true,
  status: 'AVAILABLE',
  kind: 'book',
  barcode: 'LIB-000108',
};
export const copy = object<CopyView>('Book', copyMembers, shelved);
export const titledCopy = object<TitledCopy>(
  'TitledBook',
  { ...copyMembers, title: text },
  { ...shelved, title: 'Dune' },
);
const stock = { bookInfoId: id, totalStock: count, availableStock: count };
export const copies = page(copy, 'BookList', stock);

export interface AddedCopies {
  readonly bookInfoId: number;
  readonly addedCount: number;
  readonly totalStock: number;
  readonly availableStock: number;
  readonly items: readonly CopyView[];
}

export const addedCopies = object<AddedCopies>('AddedBooks', {
  ...stock,
  addedCount: id,
  items: arrayOf(copy),
});

export const borrowMembers = {
  borrowId: id,
  userId: nullable(id),
  username: nullable(text),
  bookInfoId: id,
  bookId: id,
  title: text,
  borrowedAt: instant,
  dueAt: instant,
  returnedAt: nullable(instant),
  renewalCount: count,
  overdue: flag,
  status: oneOf(BORROW_STATUSES),
};
export const borrowed: BorrowView = {
  ...{
    borrowId: 9,
    userId: 7,
    username: 'ada',
    bookInfoId: 42,
    bookId: 108,
    title: 'Dune',
    renewalCount: 0,
    overdue: false,
    status: 'BORROWED',
  },
  ...{
    borrowedAt: '2026-03-02T10:00:00.000Z',
    dueAt: '2026-03-16T10:00:00.000Z',
    returnedAt: null,
  },
};
export const borrow = object<BorrowView>('Borrow', borrowMembers, borrowed);

/** What stands in the way of a borrow; a blocker has the ids that its problem would have. */
interface BorrowCheck {
  readonly allowed: boolean;
  readonly blockers: readonly Blocker[];
}
interface Blocker {
  readonly code: string;
  readonly detail: string;
  readonly bookInfoId?: number;
  readonly borrowId?: number;
}
const blocker = optional<Blocker>(
  object<Required<Blocker>>('Blocker', { code: text, detail: text, bookInfoId: id, borrowId: id }),
  ['bookInfoId', 'borrowId'],
);
export const borrowCheck = object<BorrowCheck>(
  'BorrowCheck',
  { allowed: flag, blockers: arrayOf(blocker) },
  {
    allowed: false,
    blockers: [
      {
        code: 'ALREADY_BORROWED',
        detail: 'You have borrowed "Dune" already. Return or renew it.',
        borrowId: 31,
      },
    ],
  },
);

/** What one of many borrows or returns came to. */
interface BorrowResult {
  readonly status: 'queued' | 'succeeded' | 'failed';
  readonly httpStatus: number | null;
  readonly result: BorrowView | null;
  readonly problem: unknown;
  readonly commandId: string | null;
  readonly statusUrl: string | null;
}
const borrowResult = object<BorrowResult>(
  'BorrowResult',
  {
    status: oneOf(['queued', 'succeeded', 'failed']),
    httpStatus: nullable(id),
    result: nullable(borrow),
    problem: nullable<unknown>(problem),
    commandId: nullable(text),
    statusUrl: nullable(text),
  },
  {
    ...{ status: 'succeeded', httpStatus: 201, result: borrowed, problem: null },
    ...{ commandId: 'lg7Jx3…', statusUrl: '/api/commands/lg7Jx3…' },
  },
);
export const borrowResults = object<{ readonly items: readonly BorrowResult[] }>('BorrowResults', {
  items: arrayOf(borrowResult),
});

export const hold = object<HoldView>(
  'Hold',
  {
    holdId: id,
    userId: id,
    username: text,
    bookInfoId: id,
    title: text,
    status: oneOf(HOLD_STATUSES),
    position: nullable(id),
    bookId: nullable(id),
    placedAt: instant,
    readyAt: nullable(instant),
    expiresAt: nullable(instant),
    closedAt: nullable(instant),
  },
  {
    ...{
      holdId: 3,
      userId: 7,
      username: 'ada',
      bookInfoId: 42,
      title: 'Dune',
      status: 'WAITING',
      position: 1,
      bookId: null,
    },
    ...{ placedAt: '2026-03-02T10:00:00.000Z', readyAt: null, expiresAt: null, closedAt: null },
  },
);

const loanRule = object<LoanRule>(
  'LoanRule',
  {
    category: text,
    kind: text,
    loanDays: nullable(id),
    renewalsMax: nullable(count),
    maxOpenBorrows: nullable(count),
    holdsMax: nullable(count),
    blockOverdueDays: nullable(count),
  },
  {
    ...{ category: 'student', kind: '*', loanDays: 28, renewalsMax: null },
    ...{ maxOpenBorrows: null, holdsMax: 5, blockOverdueDays: 14 },
  },
);
export const loanRulesSchema = object<LoanRulesView>('LoanRules', {
  rules: arrayOf(loanRule),
  version: count,
  modifiedAt: nullable(instant),
});

export const calendarSchema = object<CalendarView>(
  'Calendar',
  {
    timeZone: nullable(text),
    closedWeekdays: arrayOf(oneOf(WEEKDAYS)),
    closedDates: arrayOf(day),
    version: count,
    modifiedAt: nullable(instant),
  },
  {
    ...{ timeZone: 'Asia/Seoul', closedWeekdays: ['MONDAY'], closedDates: ['2026-12-25'] },
    ...{ version: 1, modifiedAt: '2026-03-02T10:00:00.000Z' },
  },
);
