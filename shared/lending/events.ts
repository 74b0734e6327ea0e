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

/** The domain events of library lending: what each carries. Clients name them: never rename one. */
export interface LendingEvents {
  'lending.book-info.created': BookInfoView;
  'lending.book-info.updated': BookInfoView;
  'lending.book-info.deleted': { readonly bookInfoId: number };
  'lending.copies.added': Stock & {
    readonly bookInfoId: number;
    readonly bookIds: readonly number[];
  };
  'lending.copies.changed': Stock & CopyView & { readonly deleted: boolean };
  /** `lentBy`: the administrator who lent it to the reader; absent when the reader borrowed it. */
  'lending.borrow.created': BorrowView & { readonly lentBy?: Lender };
  'lending.borrow.renewed': BorrowView;
  'lending.borrow.returned': BorrowView;
  'lending.borrow.lost': BorrowView;
  /** Once for each due date, as the next; never of what came back. */
  'lending.borrow.due-soon': BorrowView;
  'lending.borrow.overdue': BorrowView;
  'lending.hold.placed': HoldView;
  'lending.hold.ready': HoldView;
  /** The copy set aside was lost. */
  'lending.hold.requeued': HoldView;
  /** It was borrowed. */
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
