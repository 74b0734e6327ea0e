import type { Lender, LendingEvents } from '../../shared/lending/events';
import {
  arrayOf,
  count,
  flag,
  id,
  nullable,
  object,
  optional,
  text,
  type SchemasOf,
} from '../openapi/schema';
import { borrow, borrowed, borrowMembers, hold } from './borrow-schemas';
import { calendarSchema, loanRulesSchema } from './policy-schemas';
import { bookInfo, copyMembers, shelved } from './title-schemas';

/** The data of the events of library lending. */

const stock = { totalStock: count, availableStock: count };

const lender = object<Lender>(
  'Lender',
  { userId: id, username: nullable(text) },
  { userId: 1, username: 'mina' },
);
type Lent = LendingEvents['lending.borrow.created'];
const lent = optional<Lent>(
  object<Required<Lent>>(
    'BorrowCreated',
    { ...borrowMembers, lentBy: lender },
    { ...borrowed, lentBy: { userId: 1, username: 'mina' } },
  ),
  ['lentBy'],
);

export const lendingEventSchemas: SchemasOf<LendingEvents> = {
  'lending.book-info.created': bookInfo,
  'lending.book-info.updated': bookInfo,
  'lending.book-info.deleted': object('BookInfoDeleted', { bookInfoId: id }, { bookInfoId: 42 }),
  'lending.copies.added': object(
    'CopiesAdded',
    { bookInfoId: id, bookIds: arrayOf(id), ...stock },
    { bookInfoId: 42, bookIds: [108, 109], totalStock: 2, availableStock: 2 },
  ),
  'lending.copies.changed': object(
    'CopyChanged',
    { ...copyMembers, deleted: flag, ...stock },
    {
      ...{ ...shelved, available: false, status: 'LOST' },
      ...{ deleted: false, totalStock: 2, availableStock: 1 },
    },
  ),
  'lending.borrow.created': lent,
  'lending.borrow.renewed': borrow,
  'lending.borrow.returned': borrow,
  'lending.borrow.lost': borrow,
  'lending.borrow.due-soon': borrow,
  'lending.borrow.overdue': borrow,
  'lending.hold.placed': hold,
  'lending.hold.ready': hold,
  'lending.hold.requeued': hold,
  'lending.hold.fulfilled': hold,
  'lending.hold.expired': hold,
  'lending.hold.cancelled': hold,
  'lending.loan-rules.changed': loanRulesSchema,
  'lending.calendar.changed': calendarSchema,
};
