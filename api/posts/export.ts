import { Op } from 'sequelize';
import { Post } from '../../shared/posts/tables';
import { behind, inPages, type ExportPart } from '../export/part';
import { shownPost, type StoredPost } from './queries';
import { post } from './schemas';

/** Posts that are read at a time: they may be long. */
const POSTS_AT_A_TIME = 20;

/** What posts there are of a person. */
export const postsExport: readonly ExportPart[] = [
  {
    name: 'posts',
    schema: post,
    rows: (userId) =>
      inPages(
        (limit, last: StoredPost | undefined) =>
          Post.findAll({
            where: { [Op.and]: [{ userId }, behind('createdAt', last)] },
            order: ['createdAt', 'id'],
            limit,
            raw: true,
          }) as Promise<StoredPost[]>,
        shownPost,
        POSTS_AT_A_TIME,
      ),
  },
];
