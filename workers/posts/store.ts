import { postKey, type PostsCommand } from '../../shared/posts/commands';
import { Post as PostTable, PostTag, Tag as TagTable } from '../../shared/posts/tables';
import { foldedTag } from '../../shared/posts/tag';
import type { EventCounts } from '../batch/event-counts';
import { groupBy } from '../batch/group';
import { gather } from '../batch/needs';
import type { Read } from '../batch/state-plan';
import { insert, instant, placeholders, updateById } from '../batch/statements';
import type { Row, Statement } from '../batch/transaction';
import { postsNeeds, Wanted } from './needs';
import type { LinkChange, Merge, Post, PostsState, Tag } from './state';

/** Which rows a batch of post commands needs, and how its changes are written. */

const TAGS = `SELECT s.folded, t.id, t.name, t.post_count FROM tag s JOIN tag t ON t.id = COALESCE(s.merged_into, s.id)`;
/** The tag that a folded name leads to. */
const LEADS_TO = '(SELECT COALESCE(merged_into, id) FROM tag WHERE folded = ?)';
const MOVED = `SELECT COUNT(*) AS moved FROM post_tag p LEFT JOIN post_tag q ON q.post_id = p.post_id AND q.tag_id = ${LEADS_TO} WHERE p.tag_id = ${LEADS_TO} AND q.post_id IS NULL`;

const tagOf = (row: Row) => ({
  id: Number(row.id),
  name: row.name as string,
  postCount: Number(row.post_count),
  folded: row.folded as string,
});

/** A post's row comes once for each of its tags, in the order of the tags' ids. */
function postsOf(rows: readonly Row[]): Post[] {
  return [...groupBy(rows, ({ id }) => Number(id))].map(([id, links]) => {
    const [row] = links as [Row, ...Row[]];
    return {
      id,
      userId: Number(row.user_id),
      title: row.title as string,
      content: row.content as string,
      tags: JSON.parse(row.tags as string) as string[],
      createdAt: instant(row.created_at),
      tagIds: links.flatMap(({ tag_id: tagId }) => (tagId === null ? [] : [Number(tagId)])),
    };
  });
}

const applyTags: Read<PostsState>['apply'] = (rows, state) => {
  state.loadTags(rows.map(tagOf));
};

/** Locked, so that the number of posts that move is still the same when they do. */
function mergeReads(name: string, into: string, lockRows: boolean): Read<PostsState>[] {
  const tags = `${TAGS} WHERE s.folded IN (?, ?) ORDER BY t.id${lockRows ? ' FOR UPDATE' : ''}`;
  return [
    { statement: { sql: tags, values: [name, into] }, apply: applyTags },
    {
      statement: { sql: MOVED, values: [into, name] },
      apply: (rows, state) => {
        state.loadMoved(Number(rows[0]?.moved));
      },
    },
  ];
}

/** The reads for a batch. A merge comes alone. */
export function postsReads(
  commands: readonly PostsCommand[],
  lockRows: boolean,
): Read<PostsState>[] {
  const { posts, tags, merge } = gather(postsNeeds, commands, new Wanted());
  if (merge) return mergeReads(...merge, lockRows);
  const reads: Read<PostsState>[] = [];
  const [ids, folded] = [[...posts], [...tags]];
  if (ids.length > 0) {
    const columns =
      'p.id, p.user_id, p.title, p.content, p.tags, p.created_at, p.event_count, l.tag_id';
    const sql = `SELECT ${columns} FROM post p LEFT JOIN post_tag l ON l.post_id = p.id WHERE p.id IN (${placeholders(ids.length)}) ORDER BY p.id, l.tag_id`;
    reads.push({
      statement: { sql, values: ids },
      apply: (rows, state) => {
        state.loadPosts(postsOf(rows));
        for (const row of rows) state.events.load(postKey(Number(row.id)), Number(row.event_count));
      },
    });
  }
  if (folded.length > 0)
    reads.push({
      statement: {
        sql: `${TAGS} WHERE s.folded IN (${placeholders(folded.length)})`,
        values: folded,
      },
      apply: applyTags,
    });
  return reads;
}

const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/**
 * In the order of the unique key: two batches that make the same tags then wait for each other in
 * one direction only.
 */
function newTags(tags: readonly Tag[]): Statement[] {
  const rows = tags.map(({ id, name }) => ({ id, name, folded: foldedTag(name), postCount: 0 }));
  return insert(
    TagTable,
    rows.sort((a, b) => byText(a.folded, b.folded)),
  );
}

function timesOf(changes: readonly LinkChange[]): Map<number, number> {
  const times = new Map<number, number>();
  for (const id of changes.flatMap(({ tagIds }) => tagIds)) times.set(id, (times.get(id) ?? 0) + 1);
  return times;
}

function counted(
  sign: '+' | '-',
  tagIds: readonly number[],
  by: ReadonlyMap<number, number>,
): Statement[] {
  if (tagIds.length === 0) return [];
  const cases = tagIds.map(() => 'WHEN ? THEN ?').join(' ');
  return [
    {
      sql: `UPDATE tag SET post_count = post_count ${sign} CASE id ${cases} END WHERE id IN (${placeholders(tagIds.length)})`,
      values: [...tagIds.flatMap((id) => [id, by.get(id) ?? 0]), ...tagIds],
    },
  ];
}

/**
 * Counts by what came and by what went, not by the difference: a tag that was merged since it was
 * read then breaks its check in either case, and the batch is decided again. The first statement
 * locks all rows, in the order of ids.
 */
function counts(gained: readonly LinkChange[], lost: readonly LinkChange[]): Statement[] {
  const [more, less] = [timesOf(gained), timesOf(lost)];
  const all = [...new Set([...more.keys(), ...less.keys()])].sort((a, b) => a - b);
  return [
    ...counted('+', all, more),
    ...counted(
      '-',
      all.filter((id) => less.has(id)),
      less,
    ),
  ];
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

const postRow = ({ id, userId, title, content, tags, createdAt }: Post, events: EventCounts) => ({
  id,
  userId,
  title,
  content,
  tags: JSON.stringify(tags),
  createdAt,
  eventCount: events.of(postKey(id)),
});

/**
 * Writes of the evolved state. The counts of tags come before anything that depends on their locks.
 */
export function postsWrites(state: PostsState): Statement[] {
  const { inserted, updated, deleted, gained, lost, tags, merges } = state.pending();
  const rowOf = (post: Post) => postRow(post, state.events);
  const links = gained.flatMap(({ post, tagIds }) =>
    tagIds.map((tagId) => ({
      postId: post.id,
      tagId,
      userId: post.userId,
      createdAt: post.createdAt,
    })),
  );
  return [
    ...newTags(tags),
    ...counts(gained, lost),
    ...insert(PostTable, inserted.map(rowOf)),
    ...updateById(PostTable, ['title', 'content', 'tags', 'eventCount'], updated.map(rowOf)),
    ...lost.map(({ post, tagIds }) => ({
      sql: `DELETE FROM post_tag WHERE post_id = ? AND tag_id IN (${placeholders(tagIds.length)})`,
      values: [post.id, ...tagIds],
    })),
    ...insert(PostTag, links),
    ...(deleted.length > 0
      ? [
          {
            sql: `DELETE FROM post WHERE id IN (${placeholders(deleted.length)})`,
            values: deleted.map(({ id }) => id),
          },
        ]
      : []),
    ...merges.flatMap(merged),
  ];
}
