import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { Tag } from '../../shared/posts/tables';
import { tagView, type TagView } from '../../shared/posts/views';

/**
 * Which tags stand beside a tag. They are counted in its newest posts, so that it costs the same
 * however many posts the tag has.
 */

const POSTS_COUNTED = 1000;

export interface RelatedTag extends TagView {
  /** How many of the newest posts have both tags. */
  readonly together: number;
}

/** Returns the statement that counts the tags that occur with a tag. */
export function relatedTagsSql(tagId: number, size: number, sqlite: boolean): string {
  const hint = sqlite ? 'INDEXED BY post_tag_newest' : 'FORCE INDEX (post_tag_newest)';
  const newest = `SELECT post_id FROM post_tag ${hint} WHERE tag_id = ${tagId} ORDER BY created_at DESC, post_id DESC LIMIT ${POSTS_COUNTED}`;
  // In this order: posts first, then their tags by the primary key.
  const join = sqlite ? 'CROSS JOIN' : 'STRAIGHT_JOIN';
  return `SELECT o.tag_id, COUNT(*) AS together FROM (${newest}) n ${join} post_tag o ON o.post_id = n.post_id WHERE o.tag_id <> ${tagId} GROUP BY o.tag_id ORDER BY together DESC, o.tag_id LIMIT ${size}`;
}

/** Returns tags, the most frequent first, then the oldest. */
export async function findRelatedTags(
  database: Sequelize,
  tagId: number,
  { size }: { readonly size: number },
): Promise<RelatedTag[]> {
  const sql = relatedTagsSql(tagId, size, database.getDialect() === 'sqlite');
  const counts = await database.query<{ tag_id: number; together: number }>(sql, {
    type: QueryTypes.SELECT,
  });
  const ids = Array.from(counts, ({ tag_id: id }) => id);
  const tags = new Map(
    (ids.length > 0 ? await Tag.findAll({ where: { id: ids }, raw: true }) : []).map((tag) => [
      tag.id,
      tag,
    ]),
  );
  return counts.flatMap(({ tag_id: id, together }) => {
    const tag = tags.get(id);
    return tag ? [{ ...tagView(tag), together }] : [];
  });
}
