import { postKey, tagKey, type PostsCommand } from '../../shared/posts/commands';
import {
  carriedNames,
  carriedNamesSql,
  shownTags,
  type CarriedNameRow,
  type CarriedNames,
} from '../../shared/posts/shown-tags';
import { Post as PostTable, PostTag, Tag as TagTable } from '../../shared/posts/tables';
import { foldedTag } from '../../shared/posts/tag';
import type { EventCounts } from '../batch/service/event-counts';
import { groupBy } from '../batch/group';
import { gather } from '../batch/service/needs';
import type { Read } from '../batch/service/state-plan';
import { insert, instant, placeholders, updateById } from '../batch/sql/statements';
import type { Row, Statement } from '../batch/sql/transaction';
import { postsNeeds, Wanted } from './needs';
import { searchReads, searchWrites } from './search-store';
import type { LinkChange, Post, PostsState, Tag } from './state';
import { tagChanges } from './tag-changes';

/** Which rows a batch of post commands needs, and how its changes are written. */

const TAGS = `SELECT s.folded, s.renamed, t.id, t.name, t.post_count, t.event_count FROM tag s JOIN tag t ON t.id = COALESCE(s.merged_into, s.id)`;
/** The tag that a folded name leads to. */
const LEADS_TO = '(SELECT COALESCE(merged_into, id) FROM tag WHERE folded = ?)';
const MOVED = `SELECT COUNT(*) AS moved FROM post_tag p LEFT JOIN post_tag q ON q.post_id = p.post_id AND q.tag_id = ${LEADS_TO} WHERE p.tag_id = ${LEADS_TO} AND q.post_id IS NULL`;

const tagOf = (row: Row) => ({
  id: Number(row.id),
  name: row.name as string,
  postCount: Number(row.post_count),
  folded: row.folded as string,
  isFormer: Boolean(row.renamed),
});

/**
 * Builds posts from rows. A post's row comes once for each of its tags, in the order of the tags'
 * ids.
 */
function postsOf(rows: readonly Row[], names: ReadonlyMap<number, CarriedNames>): Post[] {
  return [...groupBy(rows, ({ id }) => Number(id))].map(([id, links]) => {
    const [row] = links as [Row, ...Row[]];
    return {
      id,
      userId: Number(row.user_id),
      title: row.title as string,
      content: row.content as string,
      tags: shownTags(JSON.parse(row.tags as string) as string[], names.get(id) ?? new Map()),
      createdAt: instant(row.created_at),
      tagIds: links.flatMap(({ tag_id: tagId }) => (tagId === null ? [] : [Number(tagId)])),
    };
  });
}

const applyTags: Read<PostsState>['apply'] = (rows, state) => {
  state.loadTags(rows.map(tagOf));
  for (const row of rows) state.events.load(tagKey(Number(row.id)), Number(row.event_count));
};

/** Locked, so that the posts of the tags are still the same when the tags change. */
function changedTags(names: readonly string[], lockRows: boolean): Read<PostsState> {
  const locked = lockRows ? ' FOR UPDATE' : '';
  const sql = `${TAGS} WHERE s.folded IN (${placeholders(names.length)}) ORDER BY t.id${locked}`;
  return { statement: { sql, values: names }, apply: applyTags };
}

/** Returns the reads of a change of tags. */
function changeReads(
  names: readonly string[],
  isMerge: boolean,
  lockRows: boolean,
): Read<PostsState>[] {
  const tags = changedTags(names, lockRows);
  if (!isMerge) return [tags];
  return [
    tags,
    {
      statement: { sql: MOVED, values: [...names].reverse() },
      apply: (rows, state) => {
        state.loadMoved(Number(rows[0]?.moved));
      },
    },
  ];
}

/** Reads posts, and the names of their tags. */
function readPosts(ids: readonly number[]): Read<PostsState>[] {
  const columns =
    'p.id, p.user_id, p.title, p.content, p.tags, p.created_at, p.event_count, l.tag_id, w.post_id AS found';
  const list = placeholders(ids.length);
  const sql = `SELECT ${columns} FROM post p LEFT JOIN post_text w ON w.post_id = p.id LEFT JOIN post_tag l ON l.post_id = p.id WHERE p.id IN (${list}) ORDER BY p.id, l.tag_id`;
  let names: ReadonlyMap<number, CarriedNames> = new Map();
  return [
    {
      statement: { sql: carriedNamesSql(list), values: [...ids, ...ids] },
      apply: (rows) => {
        names = carriedNames(rows as unknown as CarriedNameRow[]);
      },
    },
    {
      statement: { sql, values: ids },
      apply: (rows, state) => {
        state.loadPosts(postsOf(rows, names));
        for (const row of rows) {
          state.events.load(postKey(Number(row.id)), Number(row.event_count));
          if (row.found !== null) state.loadFound(Number(row.id));
        }
      },
    },
  ];
}

/** Returns the reads for a batch. A change of tags comes alone. */
export function postsReads(
  commands: readonly PostsCommand[],
  lockRows: boolean,
): Read<PostsState>[] {
  const { posts, tags, texts, changed, isMerge } = gather(postsNeeds, commands, new Wanted());
  if (changed) return changeReads(changed, isMerge, lockRows);
  const reads: Read<PostsState>[] = [];
  const [ids, folded] = [[...posts], [...tags]];
  if (ids.length > 0) reads.push(...readPosts(ids));
  reads.push(...searchReads(texts, lockRows));
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
  const { inserted, updated, deleted, gained, lost, tags, ...changed } = state.pending();
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
    ...tagChanges(changed, state.events),
    ...searchWrites(state, { inserted, updated, deleted }),
  ];
}
