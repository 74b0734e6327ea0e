import type { QueryInterface } from 'sequelize';
import { addColumns, addIndexes, dialectOf } from './dialect';

/**
 * Which reminder a borrow has had, and for which due date. Programs of the release before renew
 * without touching these; a reminder of another due date counts for nothing. `untold` finds what
 * the clock may have to remind of: 0 nothing yet, 1 that it is due soon.
 */
export async function up(query: QueryInterface): Promise<void> {
  const { ascii, instant } = dialectOf(query);
  await addColumns(query, 'book_user', {
    reminder: `${ascii(8)} NULL CHECK (reminder IN ('due-soon', 'overdue'))`,
    reminder_due_at: `${instant} NULL`,
  });
  await addColumns(query, 'book_user', {
    untold: `INTEGER GENERATED ALWAYS AS (CASE WHEN status <> 'BORROWED' THEN NULL WHEN reminder IS NULL OR reminder_due_at <> due_at THEN 0 WHEN reminder = 'due-soon' THEN 1 END) VIRTUAL`,
  });
  await addIndexes(query, 'book_user', { book_user_untold: 'untold, due_at' });
}
