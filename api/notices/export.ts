import { Op } from 'sequelize';
import { Notice } from '../../shared/notices/tables';
import { noticeView } from '../../shared/notices/views';
import { behind, inPages, type ExportPart } from '../export/part';
import { notice } from './schemas';

/** What a person was notified of. */
export const noticesExport: readonly ExportPart[] = [
  {
    name: 'notices',
    schema: notice,
    rows: (userId) =>
      inPages(
        (limit, last: Notice | undefined) =>
          Notice.findAll({
            where: { [Op.and]: [{ userId }, behind('createdAt', last)] },
            order: ['createdAt', 'id'],
            limit,
          }),
        noticeView,
      ),
  },
];
