import { col, Op, where } from 'sequelize';
import { bookInfoKey, type Reminder } from '../../shared/lending/commands';
import { BookHold, BookUser } from '../../shared/lending/tables';
import type { DueCommand, FindDue } from '../batch/service/decision';
import { DAY_MS, type LendingRules } from './decided';

/** What time has made due; the longest overdue first. */

/** Holds whose copies were not fetched in time. */
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

/** Nothing was told of the present due date yet, or that it is due soon, as `untold` has it. */
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
