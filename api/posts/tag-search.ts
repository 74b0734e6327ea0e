import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { limitsOf, type Page } from '../http/requests/paging';
import { withTotal, type Found } from '../reads/found';

/**
 * Finds posts by tags, the newest first. `post_tag` is read in the order of an index that begins
 * with the tag, so that a page ends as soon as it is full, whatever the number of posts:
 * - all tags: the rarest drives, the others are looked up post by post
 * - any tag: each tag gives its own newest posts, and the newest of these are the page
 */

/** Tags by their ids; a tag that was merged stands for its target. */
export interface TagSearch extends Page {
  /** None is repeated; the rarest comes first. */
  readonly tagIds: readonly number[];
  readonly match: 'all' | 'any';
  readonly excludedIds: readonly number[];
  readonly userId?: number;
}

/** Returns a comma-separated list; ids are numbers, which need no escaping. */
const list = (ids: readonly number[]): string => ids.join(', ');

/**
 * FROM and WHERE of the posts with one of `tagIds`, and of these only such as the filters let
 * through.
 */
function filtered(
  tagIds: readonly number[],
  others: readonly number[],
  { excludedIds, userId }: TagSearch,
  sqlite: boolean,
): string {
  // Both words mean: in this order. An optimizer that began at a popular tag would have to read and
  // sort all of it.
  const join = sqlite ? 'CROSS JOIN' : 'STRAIGHT_JOIN';
  const also = others.map(
    (id, index) =>
      ` ${join} post_tag t${index} ON t${index}.post_id = d.post_id AND t${index}.tag_id = ${id}`,
  );
  const excluded =
    excludedIds.length > 0
      ? ` LEFT JOIN post_tag x ON x.post_id = d.post_id AND x.tag_id IN (${list(excludedIds)})`
      : '';
  const conditions = [
    tagIds.length === 1 ? `d.tag_id = ${list(tagIds)}` : `d.tag_id IN (${list(tagIds)})`,
    ...(userId === undefined ? [] : [`d.user_id = ${userId}`]),
    ...(excluded ? ['x.post_id IS NULL'] : []),
  ];
  return `FROM post_tag d${also.join('')}${excluded} WHERE ${conditions.join(' AND ')}`;
}

const NEWEST = (table: string): string =>
  `ORDER BY ${table}.created_at DESC, ${table}.post_id DESC`;

/** Returns the statements of a search: one for the ids of a page, one for the number of all. */
export function tagSearchSql(search: TagSearch, sqlite: boolean): { page: string; count: string } {
  const { tagIds, match } = search;
  const { limit, offset } = limitsOf(search);
  const [rarest, ...others] = tagIds as [number, ...number[]];
  if (match === 'all' || others.length === 0) {
    const found = filtered([rarest], others, search, sqlite);
    return {
      page: `SELECT d.post_id ${found} ${NEWEST('d')} LIMIT ${limit} OFFSET ${offset}`,
      count: `SELECT COUNT(*) AS total ${found}`,
    };
  }
  const enough = Math.min(offset + limit, Number.MAX_SAFE_INTEGER);
  const ofEach = tagIds.map(
    (id, index) =>
      `SELECT * FROM (SELECT d.post_id, d.created_at ${filtered([id], [], search, sqlite)} ${NEWEST('d')} LIMIT ${enough}) s${index}`,
  );
  return {
    page: `SELECT u.post_id FROM (${ofEach.join(' UNION ')}) u ${NEWEST('u')} LIMIT ${limit} OFFSET ${offset}`,
    count: `SELECT COUNT(DISTINCT d.post_id) AS total ${filtered(tagIds, [], search, sqlite)}`,
  };
}

/** Ids of the posts of a page, in order. */
export async function searchByTags(database: Sequelize, search: TagSearch): Promise<Found<number>> {
  const { page, count } = tagSearchSql(search, database.getDialect() === 'sqlite');
  const rows = await database.query<{ post_id: number }>(page, { type: QueryTypes.SELECT });
  const ids = Array.from(rows, ({ post_id: id }) => id);
  return withTotal(search, ids, async () => {
    const [row] = await database.query<{ total: number }>(count, { type: QueryTypes.SELECT });
    return { totalItems: row?.total ?? 0 };
  });
}
