import type { Sequelize } from 'sequelize-typescript';
import { folded } from '../../shared/fields';
import { endOfRange } from '../../shared/search/words';
import type { Cursor } from '../http/requests/cursor';
import type { Sort } from '../http/requests/query-rules';
import type { TitleFilters } from './title-filters';

/**
 * In which orders titles are listed, which index has each, and what comes after a page. An order is
 * made of parts that follow one another, each of which is read by an index.
 */

const TITLE_SORTS = [
  'title',
  'publicationDate',
  'createdAt',
  'availableStock',
  'popularity',
] as const;
type ColumnSort = (typeof TITLE_SORTS)[number];
export type TitleSort = ColumnSort | 'relevance';

/** What `sort` may say. The least relevant first is of no use to anybody. */
export const TITLE_ORDERS = [
  'relevance',
  ...TITLE_SORTS.flatMap((field) => [field, `-${field}`] as const),
] as const;

export const NEWEST_FIRST: Sort<TitleSort> = { field: 'createdAt', descending: true };
export const MOST_RELEVANT_FIRST: Sort<TitleSort> = { field: 'relevance', descending: false };

interface Order {
  readonly column: string;
  /** The index whose order it is; equal ones are in the order of their ids. */
  readonly index: string;
  readonly instant?: true;
  readonly nullable?: true;
}

/** Titles go by their folded form; those without a date come first, or last when descending. */
const ORDERS: Readonly<Record<ColumnSort, Order>> = {
  title: { column: 'search_title', index: 'book_info_by_title' },
  publicationDate: {
    column: 'publication_date',
    index: 'book_info_by_publication',
    instant: true,
    nullable: true,
  },
  createdAt: { column: 'created_at', index: 'book_info_by_creation', instant: true },
  availableStock: { column: 'available_stock', index: 'book_info_by_stock' },
  popularity: { column: 'borrow_count', index: 'book_info_by_popularity' },
};

const INSTANT = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,6})?)(?: \+00:00)?$/;
/** Rank and number of borrows. */
const RELEVANCE = /^([1-3]) (\d{1,15})$/;

function isInstant(value: Cursor['value']): boolean {
  const [, day = '', time = ''] = INSTANT.exec(String(value)) ?? [];
  const parsed = new Date(`${day}T${time}Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(day);
}

/** Returns whether the cursor belongs to a search with this sort. */
export function isCursorOf(
  { field, descending }: Sort<TitleSort>,
  { sort, value }: Cursor,
): boolean {
  if (sort.field !== field || sort.descending !== descending) return false;
  if (field === 'relevance') return typeof value === 'string' && RELEVANCE.test(value);
  if (value === null) return ORDERS[field].nullable === true;
  if (ORDERS[field].instant) return isInstant(value);
  return typeof value === (field === 'title' ? 'string' : 'number');
}

/** Some of the titles that a search finds, and their order. */
export interface Part {
  readonly condition: string;
  /** What a cursor keeps of the title that a page ends with. */
  readonly value: string;
  readonly order: string;
}

/** Returns how titles are read in the order of a field. */
export function inOrder(database: Sequelize, { field }: Sort<TitleSort>): string {
  const { index } = ORDERS[field === 'relevance' ? 'popularity' : field];
  const hint =
    database.getDialect() === 'sqlite' ? `INDEXED BY ${index}` : `FORCE INDEX (${index})`;
  return `book_info \`BookInfo\` ${hint}`;
}

/** Returns the parts of an order behind the cursor. Each is a range of the order's index. */
export function partsOfColumn(
  database: Sequelize,
  field: ColumnSort,
  descending: boolean,
  after: Cursor | undefined,
): Part[] {
  const { column: name, instant } = ORDERS[field];
  const column = `\`BookInfo\`.\`${name}\``;
  const direction = descending ? 'DESC' : 'ASC';
  const value = instant ? `CAST(${column} AS CHAR)` : column;
  const order = `${column} ${direction}, \`BookInfo\`.id ${direction}`;
  return conditionsAfter(database, field, descending, after).map((condition) => ({
    condition,
    value,
    order,
  }));
}

function conditionsAfter(
  database: Sequelize,
  field: ColumnSort,
  descending: boolean,
  after: Cursor | undefined,
): string[] {
  if (!after) return ['TRUE'];
  const { nullable } = ORDERS[field];
  const column = `\`BookInfo\`.\`${ORDERS[field].column}\``;
  const beyond = descending ? '<' : '>';
  const id = `\`BookInfo\`.id ${beyond} ${after.id}`;
  if (after.value === null)
    return [`${column} IS NULL AND ${id}`, ...(descending ? [] : [`${column} IS NOT NULL`])];
  const value = database.escape(after.value);
  const rest = `${column} ${beyond}= ${value} AND (${column} ${beyond} ${value} OR ${id})`;
  return nullable && descending ? [rest, `${column} IS NULL`] : [rest];
}

export type Rank = 1 | 2 | 3;

/** Titles of one rank, the most borrowed first. */
export interface RankPart extends Part {
  /** A range of the index of titles in which they all are; null for the last rank. */
  readonly range: string | null;
}

/** Returns the text that decides relevance. Without one, all titles have the last rank. */
export const relevantText = ({ q, title }: TitleFilters): string | undefined => q ?? title;

/**
 * Returns the ranks of relevance: titles that are the text, titles that begin with it, and the
 * rest; those from the cursor on. Each is the most borrowed first, then the newest.
 */
export function partsOfRelevance(
  database: Sequelize,
  text: string | undefined,
  after: Cursor | undefined,
): RankPart[] {
  const [, rank = '1', borrows = '0'] = RELEVANCE.exec(String(after?.value)) ?? [];
  return ranges(database, text).flatMap(({ rank: of, range, condition }) => {
    if (of < Number(rank)) return [];
    const later =
      after && of === Number(rank)
        ? ` AND \`BookInfo\`.borrow_count <= ${borrows} AND (\`BookInfo\`.borrow_count < ${borrows} OR \`BookInfo\`.id < ${after.id})`
        : '';
    return {
      range,
      condition: condition + later,
      value: joined(database, `'${of} '`, '`BookInfo`.borrow_count'),
      order: '`BookInfo`.borrow_count DESC, `BookInfo`.id DESC',
    };
  });
}

const joined = (database: Sequelize, first: string, second: string): string =>
  database.getDialect() === 'sqlite' ? `${first} || ${second}` : `CONCAT(${first}, ${second})`;

function ranges(
  database: Sequelize,
  text: string | undefined,
): { rank: Rank; range: string | null; condition: string }[] {
  if (text === undefined) return [{ rank: 3, range: null, condition: 'TRUE' }];
  const [from, end] = [folded(text), endOfRange(folded(text))];
  const column = '`BookInfo`.search_title';
  const begins = (of: string) =>
    `${of} >= ${database.escape(from)}${end === null ? '' : ` AND ${of} < ${database.escape(end)}`}`;
  const same = (of: string) => `${of} = ${database.escape(from)}`;
  return [
    { rank: 1, range: same('search_title'), condition: same(column) },
    {
      rank: 2,
      range: begins('search_title'),
      condition: `${begins(column)} AND NOT ${same(column)}`,
    },
    { rank: 3, range: null, condition: `NOT (${begins(column)})` },
  ];
}

/** Ids of the titles in a range of the index of titles. */
export function inRange(database: Sequelize, range: string): string {
  const hint =
    database.getDialect() === 'sqlite'
      ? 'INDEXED BY book_info_by_title'
      : 'FORCE INDEX (book_info_by_title)';
  return `SELECT id FROM book_info ${hint} WHERE ${range} AND deleted_at IS NULL`;
}
