import { Op, type WhereOptions } from 'sequelize';
import { BookUser } from '../../shared/lending/tables';
import type { BorrowView } from '../../shared/lending/views';
import { limitsOf, type Page } from '../http/requests/paging';
import { countUpTo, withTotal, type Found } from '../reads/found';
import { borrowAttributes, loanView, withReader, type StoredBorrow } from './rows';

/** Reads borrows from the database. `now` decides what is overdue. */

export interface BorrowFilters extends Page {
  readonly userId?: number;
  readonly bookInfoId?: number;
  /** Closed, by return or by loss; false for open. */
  readonly returned?: boolean;
  readonly overdue?: boolean;
}

export async function findBorrow(borrowId: number, now: Date): Promise<BorrowView | null> {
  const row = await BookUser.findOne({
    attributes: borrowAttributes,
    include: withReader,
    where: { id: borrowId },
    raw: true,
  });
  return row && loanView(row as unknown as StoredBorrow, now);
}

function conditionsOf(
  { userId, bookInfoId, returned, overdue }: BorrowFilters,
  now: Date,
): WhereOptions {
  const conditions: WhereOptions[] = [];
  if (userId !== undefined) conditions.push({ userId });
  if (bookInfoId !== undefined) conditions.push({ bookInfoId });
  if (returned !== undefined)
    conditions.push({ status: returned ? { [Op.ne]: 'BORROWED' } : 'BORROWED' });
  if (overdue === true) conditions.push({ status: 'BORROWED', dueAt: { [Op.lt]: now } });
  if (overdue === false)
    conditions.push({
      [Op.or]: [{ status: { [Op.ne]: 'BORROWED' } }, { dueAt: { [Op.gte]: now } }],
    });
  return { [Op.and]: conditions };
}

/** Borrows, the newest first. */
export async function findBorrows(filters: BorrowFilters, now: Date): Promise<Found<BorrowView>> {
  const where = conditionsOf(filters, now);
  const rows = await BookUser.findAll({
    attributes: borrowAttributes,
    include: withReader,
    where,
    order: [
      ['borrowedAt', 'DESC'],
      ['id', 'DESC'],
    ],
    ...limitsOf(filters),
    raw: true,
  });
  const items = (rows as unknown as StoredBorrow[]).map((row) => loanView(row, now));
  return withTotal(filters, items, () => countUpTo(BookUser, where));
}

export async function countOpenBorrows(userId: number): Promise<number> {
  return BookUser.count({ where: { userId, status: 'BORROWED' } });
}

/** Returns the title and the reader of a borrow, for commands about it. */
export async function findBorrowRoute(
  borrowId: number,
): Promise<{ bookInfoId: number; bookId: number; userId: number | null } | null> {
  return BookUser.findOne({
    attributes: ['bookInfoId', 'bookId', 'userId'],
    where: { id: borrowId },
    raw: true,
  });
}
