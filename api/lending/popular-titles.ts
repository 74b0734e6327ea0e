import { col, fn, literal, Op } from 'sequelize';
import { BookInfo, BorrowDay, dayOf } from '../../shared/lending/tables';
import type { BookInfoView } from '../../shared/lending/views';
import { titleAttributes, titleView, withAuthor, type StoredTitle } from './rows';

/** What was borrowed most, from the counters that the workers keep. */

export type PopularTitle = BookInfoView & { readonly borrowCount: number };

/** How many more of the most borrowed are looked at when some of them turn out to be deleted, as a factor. */
const MORE = 4;

async function mostBorrowed(since: number, limit: number): Promise<{ bookInfoId: number; borrowCount: number }[]> {
  const rows = await BorrowDay.findAll({
    attributes: ['bookInfoId', [fn('SUM', col('borrows')), 'borrowCount']],
    where: { day: { [Op.gte]: since } },
    group: ['book_info_id'],
    order: [
      [literal('borrowCount'), 'DESC'],
      ['bookInfoId', 'ASC'],
    ],
    limit,
    raw: true,
  });
  // A sum is a decimal, which the driver hands over as text.
  return (rows as unknown as { bookInfoId: number; borrowCount: string | number }[]).map(({ bookInfoId, borrowCount }) => ({ bookInfoId, borrowCount: Number(borrowCount) }));
}

/** The `size` titles borrowed most often since the beginning of the day (UTC) that was `days` days before `now`; equal ones by their id. */
export async function popularTitles(days: number, size: number, now: Date): Promise<PopularTitle[]> {
  for (let limit = 2 * size; ; limit *= MORE) {
    const counted = await mostBorrowed(dayOf(now) - days, limit);
    const ids = counted.map(({ bookInfoId }) => bookInfoId);
    const rows = await BookInfo.findAll({ attributes: titleAttributes, include: withAuthor, where: { id: ids, deletedAt: null }, raw: true });
    const views = new Map((rows as unknown as StoredTitle[]).map((row) => [row.id, titleView(row)]));
    if (views.size < size && counted.length === limit) continue;
    const popular = counted.flatMap(({ bookInfoId, borrowCount }) => {
      const view = views.get(bookInfoId);
      return view ? [{ ...view, borrowCount }] : [];
    });
    return popular.slice(0, size);
  }
}
