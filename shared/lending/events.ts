import type { CalendarView } from './calendar';
import type { LoanRulesView } from './loan-rules';
import type { BookInfoView, BorrowView, CopyView, HoldView } from './views';

interface Stock {
  readonly totalStock: number;
  readonly availableStock: number;
}

export interface Lender {
  readonly userId: number;
  readonly username: string | null;
}

/** The domain events of library lending and their data. Clients name them, so never rename one. */
export interface LendingEvents {
  'lending.book-info.created': BookInfoView;
  'lending.book-info.updated': BookInfoView;
  'lending.book-info.deleted': { readonly bookInfoId: number };
  'lending.copies.added': Stock & {
    readonly bookInfoId: number;
    readonly bookIds: readonly number[];
  };
  'lending.copies.changed': Stock & CopyView & { readonly deleted: boolean };
  /** `lentBy`: the administrator who lent it. Absent when the reader borrowed it. */
  'lending.borrow.created': BorrowView & { readonly lentBy?: Lender };
  'lending.borrow.renewed': BorrowView;
  'lending.borrow.returned': BorrowView;
  'lending.borrow.lost': BorrowView;
  /** Sent once for each due date, as is the next one. Never sent for a returned copy. */
  'lending.borrow.due-soon': BorrowView;
  'lending.borrow.overdue': BorrowView;
  'lending.hold.placed': HoldView;
  'lending.hold.ready': HoldView;
  /** The copy that was set aside is lost. */
  'lending.hold.requeued': HoldView;
  /** The reader has borrowed the copy. */
  'lending.hold.fulfilled': HoldView;
  'lending.hold.expired': HoldView;
  'lending.hold.cancelled': HoldView;
  'lending.loan-rules.changed': LoanRulesView;
  'lending.calendar.changed': CalendarView;
}

/** Their types, so that the list of them is complete. */
export const lendingEvents: Readonly<Record<keyof LendingEvents, true>> = {
  'lending.book-info.created': true,
  'lending.book-info.updated': true,
  'lending.book-info.deleted': true,
  'lending.copies.added': true,
  'lending.copies.changed': true,
  'lending.borrow.created': true,
  'lending.borrow.renewed': true,
  'lending.borrow.returned': true,
  'lending.borrow.lost': true,
  'lending.borrow.due-soon': true,
  'lending.borrow.overdue': true,
  'lending.hold.placed': true,
  'lending.hold.ready': true,
  'lending.hold.requeued': true,
  'lending.hold.fulfilled': true,
  'lending.hold.expired': true,
  'lending.hold.cancelled': true,
  'lending.loan-rules.changed': true,
  'lending.calendar.changed': true,
};
