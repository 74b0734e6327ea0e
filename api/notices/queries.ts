import { Op, type WhereOptions } from 'sequelize';
import { Notice } from '../../shared/notices/tables';
import { noticeView, type NoticeView } from '../../shared/notices/views';
import { limitsOf, type Page } from '../http/requests/paging';
import { countUpTo, withTotal, type Found } from '../reads/found';

/** What reads of notices ask of the database. */

export interface NoticeFilters extends Page {
  readonly userId: number;
  readonly unread?: boolean;
}

/** Notices of a user, the newest first. */
export async function findNotices(filters: NoticeFilters): Promise<Found<NoticeView>> {
  const { userId, unread } = filters;
  const where: WhereOptions = {
    userId,
    ...(unread !== undefined && { readAt: unread ? null : { [Op.ne]: null } }),
  };
  const rows = await Notice.findAll({
    where,
    order: [
      ['createdAt', 'DESC'],
      ['id', 'DESC'],
    ],
    ...limitsOf(filters),
  });
  return withTotal(filters, rows.map(noticeView), () => countUpTo(Notice, where));
}

export const countUnreadNotices = (userId: number): Promise<number> =>
  Notice.count({ where: { userId, readAt: null } });

export const hasNotice = async (userId: number, noticeId: number): Promise<boolean> =>
  (await Notice.count({ where: { id: noticeId, userId } })) > 0;
