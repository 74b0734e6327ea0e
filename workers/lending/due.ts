import { col, Op, where } from 'sequelize';
import { bookInfoKey } from '../../shared/lending/commands';
import { BookHold } from '../../shared/lending/tables';
import type { DueCommand } from '../batch/decision';

/** The holds whose copies were not fetched in time, the longest overdue first. */
export async function dueHolds(now: Date, limit: number): Promise<DueCommand[]> {
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
