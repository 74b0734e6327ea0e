import { Op } from 'sequelize';
import { Post } from '../../shared/posts/tables';
import { behind, inPages, type ExportPart } from '../export/part';
import { post } from './schemas';
import { shownPosts, type StoredPost } from '../../shared/posts/shown-posts';

/** Posts that are read at a time: they may be long. */
const POSTS_AT_A_TIME = 20;

/** Rows of a person's posts behind the last one. */
const rowsOf = (userId: number, limit: number, last: StoredPost | undefined) =>
  Post.findAll({
    where: { [Op.and]: [{ userId }, behind('createdAt', last)] },
    order: ['createdAt', 'id'],
    limit,
    raw: true,
  }) as Promise<StoredPost[]>;

/** What posts there are of a person. */
export const postsExport: readonly ExportPart[] = [
  {
    name: 'posts',
    schema: post,
    rows: async function* (userId) {
      const pages = inPages(
        (limit, last: StoredPost | undefined) => rowsOf(userId, limit, last),
        (row) => row,
        POSTS_AT_A_TIME,
      );
      for await (const row of pages) yield* await shownPosts([row as StoredPost]);
    },
  },
];
