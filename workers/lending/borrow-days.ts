import { BorrowDay, dayOf } from '../../shared/lending/tables';
import { insertAdding } from '../batch/sql/statements';
import type { Statement } from '../batch/sql/transaction';

/** Adds new borrows to how often each title was borrowed on each day. */
export function borrowDayWrites(
  borrows: readonly { readonly bookInfoId: number; readonly borrowedAt: Date }[],
): Statement[] {
  const days = new Map<string, { day: number; bookInfoId: number; borrows: number }>();
  for (const { bookInfoId, borrowedAt } of borrows) {
    const day = dayOf(borrowedAt);
    const counted = days.get(`${day}:${bookInfoId}`)?.borrows ?? 0;
    days.set(`${day}:${bookInfoId}`, { day, bookInfoId, borrows: counted + 1 });
  }
  return insertAdding(BorrowDay, ['day', 'bookInfoId'], 'borrows', [...days.values()]);
}
