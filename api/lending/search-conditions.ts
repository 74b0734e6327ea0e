import { literal, Op, type WhereOptions } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { folded } from '../../shared/fields';
import { isbn13Of } from '../../shared/lending/isbn';
import { Author } from '../../shared/lending/tables';
import { contains } from '../reads/contains';

/** What a search for titles may ask. Absent filters let everything through; all given ones must hold. */
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
/** A subquery and no join, because the optimizer would start a join at the author and then sort all titles. */
const AUTHOR_NAME = '(SELECT `search_name` FROM `author` WHERE `author`.`id` = `BookInfo`.`book_bookAuthor`)';
const ISBN_STORED = '`BookInfo`.`isbn`';
const PUBLISHED = '`BookInfo`.`publication_date`';
const AVAILABLE = '`BookInfo`.`available_stock`';

/** What a part of an ISBN can be made of. */
const IN_ISBN = /^[\dXx\s-]+$/;

/** Authors that a condition names one by one, which lets it use the index of titles by author. */
const AUTHORS_NAMED_MAX = 1000;
/** Length of an ISBN-13, the longest that is stored. */
const ISBN_LENGTH_MAX = 13;

const DAY_MS = 24 * 3600 * 1000;

/** The ISBN filter. Spaces and hyphens do not count, and an ISBN-10 finds its ISBN-13, as which it is stored. */
function isbnContains(database: Sequelize, text: string): string | null {
  const compact = text.replace(/[\s-]/g, '').toUpperCase();
  if (compact === '') return null;
  // Nothing else can match, and a database may refuse to compare its ASCII column with other letters.
  if (!/^[\dX]+$/.test(compact)) return 'FALSE';
  // The unique index holds the ISBNs of the titles that are not deleted.
  if (compact.length === ISBN_LENGTH_MAX) return `\`BookInfo\`.\`live_isbn\` = ${database.escape(compact)}`;
  const as13 = isbn13Of(compact);
  const given = contains(database, ISBN_STORED, compact);
  return as13 ? `(${given} OR ${ISBN_STORED} = ${database.escape(as13)})` : given;
}

/** The first day that is too late, null at the end of the calendar. */
function dayAfter(day: string): string | null {
  return day === '9999-12-31' ? null : new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
}

/** Few authors are named by their ids; of many, some title is soon found by looking at one after the other. */
async function authorContains(database: Sequelize, text: string): Promise<string> {
  const found = await Author.findAll({
    attributes: ['id'],
    where: literal(contains(database, '`search_name`', text)),
    limit: AUTHORS_NAMED_MAX + 1,
    raw: true,
  });
  if (found.length > AUTHORS_NAMED_MAX) return contains(database, AUTHOR_NAME, text);
  return found.length === 0 ? 'FALSE' : `${AUTHOR_ID} IN (${found.map(({ id }) => id).join(', ')})`;
}

/** Title, author or ISBN. */
async function anyContains(database: Sequelize, q: string): Promise<string> {
  const byAuthor = await authorContains(database, folded(q));
  const parts = [contains(database, TITLE, folded(q)), byAuthor, IN_ISBN.test(q) ? isbnContains(database, q) : null];
  return `(${parts.filter((part) => part !== null).join(' OR ')})`;
}

/** The WHERE of a search, over `BookInfo`. */
export async function searchConditions(database: Sequelize, filters: TitleFilters): Promise<WhereOptions> {
  const { title, author, isbn, q, publishedFrom, publishedTo, available } = filters;
  const conditions: (string | null)[] = [];
  if (title !== undefined) conditions.push(contains(database, TITLE, folded(title)));
  if (author !== undefined) conditions.push(await authorContains(database, folded(author)));
  if (isbn !== undefined) conditions.push(isbnContains(database, isbn));
  if (q !== undefined) conditions.push(await anyContains(database, q));
  // Both dialects compare an instant with a day, one by value and the other by text, and an index serves both.
  if (publishedFrom !== undefined) conditions.push(`${PUBLISHED} >= ${database.escape(publishedFrom)}`);
  const tooLate = publishedTo === undefined ? null : dayAfter(publishedTo);
  if (publishedTo !== undefined) conditions.push(tooLate ? `${PUBLISHED} < ${database.escape(tooLate)}` : `${PUBLISHED} IS NOT NULL`);
  if (available !== undefined) conditions.push(`${AVAILABLE} ${available ? '> 0' : '= 0'}`);
  const literals = conditions.filter((condition) => condition !== null).map((condition) => literal(condition));
  return { deletedAt: null, [Op.and]: literals };
}
