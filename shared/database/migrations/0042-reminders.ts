import type { QueryInterface } from 'sequelize';
import { addColumns, addIndexes, dialectOf } from './dialect';

/**
 * Adds the last reminder of a borrow, and its due date. Programs of the former release renew
 * without touching these, and a reminder of another due date does not count.
 * `untold` finds the reminders that may be due: 0 for none yet, 1 for due soon.
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
