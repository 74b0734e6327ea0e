import { tagKey } from '../../shared/posts/commands';
import { foldedTag } from '../../shared/posts/tag';
import type { EventCounts } from '../batch/service/event-counts';
import type { Statement } from '../batch/sql/transaction';
import type { Merge, Rename, Tag } from './state';

/** How merges, renames and deletions of tags are written. None of them touches a post's row. */

interface TagChanges {
  readonly merges: readonly Merge[];
  readonly renames: readonly Rename[];
  readonly deletedTags: readonly Tag[];
}

function merged({ sourceId, targetId, movedPosts }: Merge): Statement[] {
  const links = `SELECT p.post_id, ?, p.user_id, p.created_at FROM post_tag p LEFT JOIN post_tag q ON q.post_id = p.post_id AND q.tag_id = ? WHERE p.tag_id = ? AND q.post_id IS NULL`;
  return [
    { sql: 'UPDATE tag SET merged_into = ? WHERE merged_into = ?', values: [targetId, sourceId] },
    {
      sql: 'UPDATE tag SET merged_into = ?, post_count = 0 WHERE id = ?',
      values: [targetId, sourceId],
    },
    {
      sql: 'UPDATE tag SET post_count = post_count + ? WHERE id = ?',
      values: [movedPosts, targetId],
    },
    {
      sql: `INSERT INTO post_tag (post_id, tag_id, user_id, created_at) ${links}`,
      values: [targetId, targetId, sourceId],
    },
    { sql: 'DELETE FROM post_tag WHERE tag_id = ?', values: [sourceId] },
  ];
}

/** Notes names of a tag as those of which posts no longer show what their authors wrote. */
const former = (which: string, values: readonly unknown[]): Statement => ({
  sql: `INSERT INTO tag_former_name (folded) SELECT t.folded FROM tag t LEFT JOIN tag_former_name f ON f.folded = t.folded WHERE (${which}) AND f.folded IS NULL`,
  values,
});

/**
 * Renames a tag. Its posts stay as they are. The former name leads to the tag. A name that already
 * led there stops being separate when the tag takes it.
 */
function renamed({ tag, name, formerId }: Rename, events: EventCounts): Statement[] {
  const folded = foldedTag(name);
  const given = {
    sql: 'UPDATE tag SET name = ?, folded = ?, event_count = ? WHERE id = ?',
    values: [name, folded, events.of(tagKey(tag.id)), tag.id],
  };
  if (formerId === null) return [given];
  return [
    former('t.id = ?', [tag.id]),
    { sql: 'DELETE FROM tag WHERE folded = ? AND merged_into = ?', values: [folded, tag.id] },
    given,
    {
      sql: 'INSERT INTO tag (id, name, folded, merged_into, renamed) VALUES (?, ?, ?, ?, 1)',
      values: [formerId, tag.name, foldedTag(tag.name), tag.id],
    },
  ];
}

/**
 * Deletes a tag. A post that is being given the tag then fails on its foreign key, and is decided
 * again.
 */
function removed({ id }: Tag): Statement[] {
  return [
    former('t.id = ? OR t.merged_into = ?', [id, id]),
    { sql: 'DELETE FROM post_tag WHERE tag_id = ?', values: [id] },
    { sql: 'DELETE FROM tag WHERE merged_into = ?', values: [id] },
    { sql: 'DELETE FROM tag WHERE id = ?', values: [id] },
  ];
}

export const tagChanges = (
  { merges, renames, deletedTags }: TagChanges,
  events: EventCounts,
): Statement[] => [
  ...merges.flatMap(merged),
  ...renames.flatMap((rename) => renamed(rename, events)),
  ...deletedTags.flatMap(removed),
];
