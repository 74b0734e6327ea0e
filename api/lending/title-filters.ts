import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { folded } from '../../shared/fields';
import { isbn13Of } from '../../shared/lending/isbn';
import { isOnePart } from '../../shared/search/words';
import { contains } from '../reads/contains';
import { leadsTo } from '../reads/word-index';
import { TOTAL_MAX } from '../reads/found';
import { anyOf, havingText, type Filter } from './filter';

/** The filters of a search for titles. */

/** Absent filters let everything through; all given ones must hold. */
export interface TitleFilters {
  readonly title?: string;
  readonly author?: string;
  readonly isbn?: string;
  /** Title, author or ISBN. */
  readonly q?: string;
  /** `YYYY-MM-DD`, both ends included. A title without a date is in no range. */
  readonly publishedFrom?: string;
  readonly publishedTo?: string;
  readonly available?: boolean;
}

const TITLE = '`BookInfo`.`search_title`';
const AUTHOR_ID = '`BookInfo`.`book_bookAuthor`';
const AUTHOR_NAME =
  '(SELECT `search_name` FROM `author` WHERE `author`.`id` = `BookInfo`.`book_bookAuthor`)';
const ISBN_STORED = '`BookInfo`.`isbn`';

/** What a part of an ISBN can be made of. */
const IN_ISBN = /^[\dXx\s-]+$/;

/** Authors that a condition names one by one. */
const AUTHORS_NAMED_MAX = 1000;
/** Length of an ISBN-13, the longest that is stored. */
const ISBN_LENGTH_MAX = 13;
const DAY_MS = 24 * 3600 * 1000;

const NOTHING: Filter = { condition: 'FALSE', sources: [], exact: true };

async function titleFilter(database: Sequelize, text: string, enough: number): Promise<Filter> {
  const exact = isOnePart('title', text);
  // As many as a total is counted to, so that they need not be counted again.
  const part = await havingText(database, 'title', text, exact ? TOTAL_MAX + 1 : enough);
  const condition = contains(database, TITLE, folded(text));
  return part
    ? { condition, sources: [part.source], exact, found: part.found }
    : { condition, sources: null };
}

/**
 * Few authors are named by their ids. Of many, some title is soon found by looking at one after the
 * other.
 */
async function authorFilter(database: Sequelize, text: string): Promise<Filter> {
  const condition = contains(database, AUTHOR_NAME, folded(text));
  const part = await havingText(database, 'author', text, AUTHORS_NAMED_MAX + 1);
  if (!part || part.found > AUTHORS_NAMED_MAX) return { condition, sources: null };
  const likelySql = `SELECT a.id, ${contains(database, 'a.search_name', folded(text))} AS named FROM (${part.source}) f ${leadsTo(database)} author a ON a.id = f.id`;
  const likely = await database.query<{ id: number; named: number }>(likelySql, {
    type: QueryTypes.SELECT,
  });
  const ids = likely.flatMap((author) => (author.named ? [author.id] : []));
  if (ids.length === 0) return NOTHING;
  return {
    condition: `${AUTHOR_ID} IN (${ids.join(', ')})`,
    sources: [
      `SELECT id FROM book_info WHERE book_bookAuthor IN (${ids.join(', ')}) AND deleted_at IS NULL`,
    ],
    exact: true,
  };
}

/**
 * Spaces and hyphens do not count, and an ISBN-10 finds its ISBN-13, as which it is stored. Null
 * when nothing is left.
 */
async function isbnFilter(
  database: Sequelize,
  text: string,
  enough: number,
): Promise<Filter | null> {
  const compact = text.replace(/[\s-]/g, '').toUpperCase();
  if (compact === '') return null;
  // Nothing else can match, and a database may refuse to compare its ASCII column with other
  // letters.
  if (!/^[\dX]+$/.test(compact)) return NOTHING;
  // The unique index holds the ISBNs of the titles that are not deleted.
  const whole = (isbn: string) =>
    `SELECT id FROM book_info WHERE live_isbn = ${database.escape(isbn)}`;
  if (compact.length === ISBN_LENGTH_MAX)
    return {
      condition: `\`BookInfo\`.\`live_isbn\` = ${database.escape(compact)}`,
      sources: [whole(compact)],
    };
  const as13 = isbn13Of(compact);
  const given = contains(database, ISBN_STORED, compact);
  const part = await havingText(database, 'isbn', compact, enough);
  const sources = part === null ? null : [part.source, ...(as13 ? [whole(as13)] : [])];
  return {
    condition: as13 ? `(${given} OR ${ISBN_STORED} = ${database.escape(as13)})` : given,
    sources,
  };
}

/** Title or author. */
export async function textFilter(
  database: Sequelize,
  text: string,
  enough: number,
): Promise<Filter> {
  return anyOf([await titleFilter(database, text, enough), await authorFilter(database, text)]);
}

/** Title, author or ISBN. */
async function anyFilter(database: Sequelize, q: string, enough: number): Promise<Filter> {
  const text = await textFilter(database, q, enough);
  const isbn = IN_ISBN.test(q) ? await isbnFilter(database, q, enough) : null;
  return isbn ? anyOf([text, isbn]) : text;
}

/** Returns the first day after the range, or null at the end of the calendar. */
function dayAfter(day: string): string | null {
  return day === '9999-12-31'
    ? null
    : new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
}

/**
 * Both dialects compare an instant with a day, one by value and the other by text, and an index
 * serves both.
 */
function publishedFilter(
  database: Sequelize,
  { publishedFrom, publishedTo }: TitleFilters,
): Filter | null {
  if (publishedFrom === undefined && publishedTo === undefined) return null;
  const tooLate = publishedTo === undefined ? null : dayAfter(publishedTo);
  const from =
    publishedFrom === undefined
      ? 'publication_date IS NOT NULL'
      : `publication_date >= ${database.escape(publishedFrom)}`;
  const range =
    tooLate === null ? from : `${from} AND publication_date < ${database.escape(tooLate)}`;
  return {
    condition: range.replaceAll('publication_date', '`BookInfo`.publication_date'),
    sources: [`SELECT id FROM book_info WHERE ${range} AND deleted_at IS NULL`],
    exact: true,
  };
}

function availableFilter({ available }: TitleFilters): Filter | null {
  if (available === undefined) return null;
  const range = `available_stock ${available ? '> 0' : '= 0'}`;
  return {
    condition: `\`BookInfo\`.${range}`,
    sources: [`SELECT id FROM book_info WHERE ${range} AND deleted_at IS NULL`],
    exact: true,
  };
}

/** Returns the given filters. When `enough` ids have a part of a text, the next part is tried. */
export async function titleFilters(
  database: Sequelize,
  filters: TitleFilters,
  enough: number,
): Promise<Filter[]> {
  const { title, author, isbn, q } = filters;
  const found = [
    title === undefined ? null : await titleFilter(database, title, enough),
    author === undefined ? null : await authorFilter(database, author),
    isbn === undefined ? null : await isbnFilter(database, isbn, enough),
    q === undefined ? null : await anyFilter(database, q, enough),
    publishedFilter(database, filters),
    availableFilter(filters),
  ];
  return found.filter((filter) => filter !== null);
}
