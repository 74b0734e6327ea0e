import { BORROW_STATUSES, HOLD_STATUSES } from '../../shared/lending/commands';
import type { BorrowView, HoldView } from '../../shared/lending/views';
import { problem } from '../openapi/problems';
import {
  arrayOf,
  count,
  flag,
  id,
  instant,
  nullable,
  object,
  oneOf,
  optional,
  text,
} from '../openapi/schema';

/** Borrows and holds as clients see them, for the document. */

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
    ...{ commandId: '01a2101d07ee…', statusUrl: '/api/commands/01a2101d07ee…' },
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
