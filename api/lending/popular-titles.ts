import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { BookInfo, dayOf } from '../../shared/lending/tables';
import type { BookInfoView } from '../../shared/lending/views';
import { titleAttributes, titleView, withAuthor, type StoredTitle } from './rows';

/** What was borrowed most, from the counters that the workers keep. */

export type PopularTitle = BookInfoView & { readonly borrowCount: number };

/** How many times as many titles are read when some of the most borrowed are deleted. */
const MORE = 4;

interface Counted {
  readonly bookInfoId: number;
  readonly borrowCount: number;
}

async function mostBorrowed(reads: Sequelize, since: number, limit: number): Promise<Counted[]> {
  const counted =
    'SELECT book_info_id AS bookInfoId, SUM(borrows) AS borrowCount FROM borrow_day WHERE day >= :since GROUP BY book_info_id ORDER BY borrowCount DESC, bookInfoId LIMIT :limit';
  // A sum is a decimal, which the driver hands over as text.
  const rows = await reads.query<{ bookInfoId: number; borrowCount: string | number }>(counted, {
    type: QueryTypes.SELECT,
    replacements: { since, limit },
  });
  return rows.map(({ bookInfoId, borrowCount }) => ({
    bookInfoId,
    borrowCount: Number(borrowCount),
  }));
}

/**
 * Returns the `size` titles borrowed most often since the beginning of the day (UTC) that was
 * `days` days before `now`; equal ones by their id. They are counted in `reads`, and shown as they
 * are now.
 */
export async function popularTitles(
  reads: Sequelize,
  days: number,
  size: number,
  now: Date,
): Promise<PopularTitle[]> {
  for (let limit = 2 * size; ; limit *= MORE) {
    const counted = await mostBorrowed(reads, dayOf(now) - days, limit);
    const ids = counted.map(({ bookInfoId }) => bookInfoId);
    const rows = await BookInfo.findAll({
      attributes: titleAttributes,
      include: withAuthor,
      where: { id: ids, deletedAt: null },
      raw: true,
    });
    const views = new Map(
      (rows as unknown as StoredTitle[]).map((row) => [row.id, titleView(row)]),
    );
    if (views.size < size && counted.length === limit) continue;
    const popular = counted.flatMap(({ bookInfoId, borrowCount }) => {
      const view = views.get(bookInfoId);
      return view ? [{ ...view, borrowCount }] : [];
    });
    return popular.slice(0, size);
  }
}
