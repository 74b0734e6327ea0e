import { Op } from 'sequelize';
import { shownPosts } from '../../../shared/posts/shown-posts';
import { Post } from '../../../shared/posts/tables';
import { exportCommand } from './export-command';

interface PostRow {
  readonly title: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly userId: number;
}

export const exportPosts = exportCommand<PostRow>({
  things: 'posts',
  notes: [
    'Columns: title, content, tags and userId, as import-posts takes them. The date of a post is not written:',
    'an imported post gets the date of its import.',
  ],
  columns: ['title', 'content', 'tags', 'userId'],
  count: () => Post.count(),
  async read(after, limit) {
    const stored = await Post.findAll({
      where: { id: { [Op.gt]: after } },
      order: [['id', 'ASC']],
      limit,
      raw: true,
    });
    const posts = await shownPosts(stored);
    return {
      rows: posts.map(({ title, content, tags, userId }) => ({ title, content, tags, userId })),
      last: stored.at(-1)?.id ?? null,
    };
  },
});
