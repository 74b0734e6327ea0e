import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { isOnePart, partsOf, runsOf } from '../../shared/search/words';
import { limitsOf, type Page, type Totals } from '../http/requests/paging';
import { contains } from '../reads/contains';
import { TOTAL_MAX, type Found } from '../reads/found';
import { havingPart, leadsTo } from '../reads/word-index';

/**
 * The search for posts by their words, made to cost the same however many posts there are. When a
 * word is rare, the posts that have it are all looked at. When each word is common, posts are gone
 * through from the newest on, until the page is full, which is soon.
 */

export interface PostRange {
  readonly userId?: number;
  /** `YYYY-MM-DD`, both ends included. */
  readonly from?: string;
  readonly to?: string;
}

export interface PostSearch extends PostRange, Page {
  readonly q: string;
}

/** Most posts that are all read. */
const CANDIDATES_MAX = 2000;
/** Most posts that are read for a count. */
const LOOKED_AT_MAX = 5000;
/** Words that are tried for a rare one, the longest first. */
const WORDS_TRIED_MAX = 3;

const DAY_MS = 24 * 3600 * 1000;

/** Returns the first day after the range, or null at the end of the calendar. */
export const dayAfter = (day: string): string | null =>
  day === '9999-12-31'
    ? null
    : new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);

/** Both dialects compare an instant with a day, one by value and the other by text. */
function inRange(database: Sequelize, { userId, from, to }: PostRange): string {
  const tooLate = to === undefined ? null : dayAfter(to);
  return [
    'TRUE',
    ...(userId === undefined ? [] : [`p.user_id = ${userId}`]),
    ...(from === undefined ? [] : [`p.created_at >= ${database.escape(from)}`]),
    ...(tooLate === null ? [] : [`p.created_at < ${database.escape(tooLate)}`]),
  ].join(' AND ');
}

/** Returns the condition that the post has each of the words. */
const hasWords = (database: Sequelize, q: string): string =>
  [...new Set(runsOf('post', q))].map((run) => contains(database, 't.words', run)).join(' AND ');

const NEWEST = 'ORDER BY p.created_at DESC, p.id DESC';

/** Posts in the order of an index, of one author or all. */
function inOrder(database: Sequelize, { userId }: PostRange): string {
  const index = userId === undefined ? 'post_created_at' : 'post_user';
  return database.getDialect() === 'sqlite'
    ? `post p INDEXED BY ${index}`
    : `post p FORCE INDEX (${index})`;
}

async function count(database: Sequelize, ids: string): Promise<number> {
  const [row] = await database.query<{ found: number }>(
    `SELECT COUNT(*) AS found FROM (${ids}) c`,
    { type: QueryTypes.SELECT },
  );
  return Number(row?.found);
}

/**
 * Returns the ids of the posts that have a rare word of the text; null when each word is common.
 */
async function rareWord(database: Sequelize, q: string): Promise<string | null> {
  for (const part of partsOf('post', q).slice(0, WORDS_TRIED_MAX)) {
    const ids = havingPart(database, 'post', part);
    if ((await count(database, `${ids} LIMIT ${CANDIDATES_MAX + 1}`)) <= CANDIDATES_MAX) return ids;
  }
  return null;
}

/**
 * Returns the statements of a search. `rare`: the result of `rareWord`. Without one, the page is a
 * part.
 */
function postSearchSql(database: Sequelize, search: PostSearch, rare: string | null): string {
  const first =
    rare === null
      ? inOrder(database, search)
      : `(${rare}) c ${leadsTo(database)} post p ON p.id = c.id`;
  const where = `${inRange(database, search)} AND ${hasWords(database, search.q)}`;
  const { limit, offset } = limitsOf(search);
  const part = rare === null ? ` LIMIT ${limit} OFFSET ${offset}` : '';
  return `SELECT p.id FROM ${first} ${leadsTo(database)} post_text t ON t.post_id = p.id WHERE ${where} ${NEWEST}${part}`;
}

/**
 * Counts what common words find: exactly when one part of the index says it, else among the newest.
 */
async function totals(database: Sequelize, search: PostSearch): Promise<Totals> {
  const { q, userId, from, to } = search;
  if (isOnePart('post', q) && [userId, from, to].every((filter) => filter === undefined)) {
    const [part = ''] = partsOf('post', q);
    const found = await count(
      database,
      `${havingPart(database, 'post', part)} LIMIT ${TOTAL_MAX + 1}`,
    );
    return found > TOTAL_MAX ? { totalItems: TOTAL_MAX, atLeast: true } : { totalItems: found };
  }
  const newest = `SELECT p.id FROM ${inOrder(database, search)} WHERE ${inRange(database, search)} ${NEWEST} LIMIT ${LOOKED_AT_MAX + 1}`;
  const [row] = await database.query<{ looked: number; found: number }>(
    `SELECT COUNT(*) AS looked, COUNT(CASE WHEN ${hasWords(database, q)} THEN 1 END) AS found FROM (${newest}) n ${leadsTo(database)} post_text t ON t.post_id = n.id`,
    { type: QueryTypes.SELECT },
  );
  const totalItems = Number(row?.found);
  return Number(row?.looked) > LOOKED_AT_MAX ? { totalItems, atLeast: true } : { totalItems };
}

/** Returns the ids of a page, the newest post first. */
export async function searchPosts(database: Sequelize, search: PostSearch): Promise<Found<number>> {
  const rare = await rareWord(database, search.q);
  const rows = await database.query<{ id: number }>(postSearchSql(database, search, rare), {
    type: QueryTypes.SELECT,
  });
  const ids = Array.from(rows, ({ id }) => id);
  const { limit, offset } = limitsOf(search);
  if (rare !== null) return { items: ids.slice(offset, offset + limit), totalItems: ids.length };
  const found = await totals(database, search);
  const shown = offset + ids.length;
  return {
    items: ids,
    ...found,
    ...(ids.length > 0 && found.totalItems < shown && { totalItems: shown }),
    ...(ids.length < limit && { ended: true }),
  };
}
