import { BORROW_STATUSES, HOLD_STATUSES } from '../../shared/lending/commands';
import type { BorrowView, HoldView } from '../../shared/lending/views';
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
