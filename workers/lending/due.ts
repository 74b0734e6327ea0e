import { col, Op, where } from 'sequelize';
import { bookInfoKey, type Reminder } from '../../shared/lending/commands';
import { BookHold, BookUser } from '../../shared/lending/tables';
import type { DueCommand, FindDue } from '../batch/service/decision';
import { DAY_MS, type LendingRules } from './decided';

/** Finds what is due, the longest overdue first. */

/** Finds holds whose copies were not picked up in time. */
async function dueHolds(now: Date, limit: number): Promise<DueCommand[]> {
  const rows = await BookHold.findAll({
    attributes: ['id', 'bookInfoId'],
    where: where(col('ready_until'), { [Op.lte]: now }),
    order: [col('ready_until')],
    limit,
    raw: true,
  });
  return rows.map(({ id, bookInfoId }) => ({
    type: 'lending.expire-hold',
    key: bookInfoKey(bookInfoId),
    payload: { bookInfoId, holdId: id },
  }));
}

/** The reminders that may be due, as in `untold`: 0 for none sent yet, 1 for due soon sent. */
type Untold = 0 | 1;

async function dueReminders(
  reminder: Reminder,
  untold: Untold,
  dueAt: ReturnType<typeof where>,
  limit: number,
): Promise<DueCommand[]> {
  const rows = await BookUser.findAll({
    attributes: ['id', 'bookInfoId'],
    where: { [Op.and]: [where(col('untold'), untold), dueAt] },
    order: ['dueAt'],
    limit,
    raw: true,
  });
  return rows.map(({ id, bookInfoId }) => ({
    type: 'lending.remind-borrower',
    key: bookInfoKey(bookInfoId),
    payload: { bookInfoId, borrowId: id, reminder },
  }));
}

export function lendingDue({ dueSoonDays }: LendingRules): FindDue[] {
  const overdue =
    (untold: Untold): FindDue =>
    (now, limit) =>
      dueReminders('overdue', untold, where(col('due_at'), { [Op.lt]: now }), limit);
  const soon: FindDue = (now, limit) => {
    const until = new Date(now.getTime() + dueSoonDays * DAY_MS);
    const dueAt = where(col('due_at'), { [Op.between]: [now, until] });
    return dueReminders('due-soon', 0, dueAt, limit);
  };
  return [dueHolds, overdue(0), overdue(1), ...(dueSoonDays > 0 ? [soon] : [])];
}
