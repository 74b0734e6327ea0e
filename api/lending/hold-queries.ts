import { literal, Op, type FindAttributeOptions, type WhereOptions } from 'sequelize';
import type { HoldStatus } from '../../shared/lending/commands';
import { BookHold } from '../../shared/lending/tables';
import { holdView, type HoldView } from '../../shared/lending/views';
import { limitsOf, type Page } from '../http/requests/paging';
import { countUpTo, withTotal, type Found } from '../reads/found';
import { optionalDate, type StoredInstant } from '../reads/stored';
import { ofReader, withReader } from './rows';

/** What reads of holds ask of the database. */

export interface StoredHold {
  readonly id: number;
  readonly userId: number;
  readonly username: string;
  readonly bookInfoId: number;
  readonly title: string;
  readonly status: HoldStatus;
  /** How many wait up to this one; 0 when it does not wait. */
  readonly place: number;
  readonly bookId: number | null;
  readonly placedAt: StoredInstant;
  readonly readyAt: StoredInstant | null;
  readonly expiresAt: StoredInstant | null;
  readonly closedAt: StoredInstant | null;
}

const PLACE =
  '(SELECT COUNT(*) FROM book_hold w WHERE w.book_info_id = `BookHold`.`book_info_id` AND w.waiting_no <= `BookHold`.`waiting_no`)';

/** To be read together with `withReader`. */
export const holdAttributes: FindAttributeOptions = [
  'id',
  'bookId',
  'status',
  'placedAt',
  'readyAt',
  'expiresAt',
  'closedAt',
  [literal(PLACE), 'place'],
  ...ofReader,
];

/** Returns a hold as clients see it. */
export function shownHold(row: StoredHold): HoldView {
  const { placedAt, readyAt, expiresAt, closedAt, place } = row;
  const dates = {
    placedAt: new Date(placedAt),
    readyAt: optionalDate(readyAt),
    expiresAt: optionalDate(expiresAt),
    closedAt: optionalDate(closedAt),
  };
  return holdView({ ...row, ...dates, position: row.status === 'WAITING' ? place : null });
}

export async function findHold(holdId: number): Promise<HoldView | null> {
  const row = await BookHold.findOne({
    attributes: holdAttributes,
    include: withReader,
    where: { id: holdId },
    raw: true,
  });
  return row && shownHold(row as unknown as StoredHold);
}

export interface HoldFilters extends Page {
  readonly userId?: number;
  readonly bookInfoId?: number;
  readonly status?: HoldStatus;
  /** Waiting or ready. */
  readonly open?: boolean;
}

/** Holds, the newest first. */
export async function findHolds(filters: HoldFilters): Promise<Found<HoldView>> {
  const { userId, bookInfoId, status, open } = filters;
  const conditions: WhereOptions[] = [];
  if (userId !== undefined) conditions.push({ userId });
  if (bookInfoId !== undefined) conditions.push({ bookInfoId });
  if (status !== undefined) conditions.push({ status });
  if (open !== undefined) conditions.push({ closedAt: open ? null : { [Op.ne]: null } });
  const where = { [Op.and]: conditions };
  const rows = await BookHold.findAll({
    attributes: holdAttributes,
    include: withReader,
    where,
    order: [
      ['placedAt', 'DESC'],
      ['id', 'DESC'],
    ],
    ...limitsOf(filters),
    raw: true,
  });
  return withTotal(filters, (rows as unknown as StoredHold[]).map(shownHold), () =>
    countUpTo(BookHold, where),
  );
}

export async function countOpenHolds(userId: number): Promise<number> {
  return BookHold.count({ where: { userId, status: ['WAITING', 'READY'] } });
}

/** Returns the title and the reader of a hold, for commands about it. */
export async function findHoldRoute(
  holdId: number,
): Promise<{ bookInfoId: number; userId: number } | null> {
  return BookHold.findOne({
    attributes: ['bookInfoId', 'userId'],
    where: { id: holdId },
    raw: true,
  });
}
