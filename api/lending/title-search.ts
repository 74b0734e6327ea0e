import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { BookInfo } from '../../shared/lending/tables';
import type { BookInfoView } from '../../shared/lending/views';
import type { Cursor } from '../http/cursor';
import { limitsOf, type Page } from '../http/paging';
import type { Sort } from '../http/query-rules';
import { TOTAL_MAX, type Found } from '../reads/found';
import { titleAttributes, titleView, withAuthor, type StoredTitle } from './rows';
import {
  countSources,
  leadsTo,
  titleFilters,
  together,
  type Filter,
  type TitleFilters,
} from './title-filters';

/**
 * The search for titles, made to cost the same however many there are. The filter that finds the
 * fewest leads: the titles that it finds are looked at and sorted. When each of them finds many,
 * the titles are gone through in the order that was asked for, until the page is full, which is
 * soon. Either way an index is used from its beginning, or from where the page before ended.
 */

export const TITLE_SORTS = [
  'title',
  'publicationDate',
  'createdAt',
  'availableStock',
  'popularity',
] as const;
export type TitleSort = (typeof TITLE_SORTS)[number];

interface Order {
  readonly column: string;
  /** The index whose order it is; equal ones are in the order of their ids. */
  readonly index: string;
  readonly instant?: true;
  readonly nullable?: true;
}

/** Titles go by their folded form; those without a date come first, or last when descending. */
const ORDERS: Readonly<Record<TitleSort, Order>> = {
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

export interface TitleSearch extends TitleFilters, Page {
  readonly sort: Sort<TitleSort>;
  /** Where the page before this one ended; without it `page` is counted from the beginning. */
  readonly after?: Cursor;
}

const INSTANT = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,6})?)(?: \+00:00)?$/;

function isInstant(value: Cursor['value']): boolean {
  const [, day = '', time = ''] = INSTANT.exec(String(value)) ?? [];
  const parsed = new Date(`${day}T${time}Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(day);
}

/** Whether the cursor is one of a search that is sorted so. */
export function isCursorOf(
  { field, descending }: TitleSearch['sort'],
  { sort, value }: Cursor,
): boolean {
  if (sort.field !== field || sort.descending !== descending) return false;
  if (value === null) return ORDERS[field].nullable === true;
  if (ORDERS[field].instant) return isInstant(value);
  return typeof value === (field === 'title' ? 'string' : 'number');
}

/** Most titles that are all looked at and sorted. */
const CANDIDATES_MAX = 2000;
/** Most titles that are looked at to count those for which several conditions hold. */
const LOOKED_AT_MAX = 5000;

/** Where titles are taken from, and how many there are. */
interface Plan {
  readonly from: string;
  readonly where: string;
  readonly totalItems: number;
  /** There may be more. */
  readonly atLeast: boolean;
}

const LIVE = 'SELECT id FROM book_info WHERE deleted_at IS NULL';

/** The filter that finds the fewest, and how many it finds, counted up to `max`. */
async function leading(
  database: Sequelize,
  filters: readonly Filter[],
  max: number,
): Promise<{ sources: readonly string[]; found: number }> {
  let best: { sources: readonly string[]; found: number } | null = null;
  for (const { sources, found: counted } of filters) {
    if (!sources) continue;
    const found = counted ?? (await countSources(database, sources, max));
    if (!best || found < best.found) best = { sources, found };
  }
  return best ?? { sources: [LIVE], found: await countSources(database, [LIVE], max) };
}

async function planOf(database: Sequelize, search: TitleSearch): Promise<Plan> {
  const filters = await titleFilters(database, search, LOOKED_AT_MAX + 1);
  const [first, ...others] = filters;
  // What one query finds needs no look at the titles to be counted.
  const exact = others.length === 0 && (!first || first.exact === true);
  const lead = await leading(database, filters, exact ? TOTAL_MAX + 1 : LOOKED_AT_MAX + 1);
  const where = [
    '`BookInfo`.`deleted_at` IS NULL',
    ...filters.map(({ condition }) => condition),
  ].join(' AND ');
  const joined = `(${together(lead.sources, LOOKED_AT_MAX + 1)}) c ${leadsTo(database)} book_info \`BookInfo\` ON \`BookInfo\`.id = c.id`;
  const { looked, found } = exact
    ? { looked: lead.found, found: lead.found }
    : await lookAt(database, joined, where);
  const atLeast = looked > (exact ? TOTAL_MAX : LOOKED_AT_MAX);
  const sorted = lead.found <= CANDIDATES_MAX || (!exact && !atLeast && found <= CANDIDATES_MAX);
  return {
    from: sorted && first ? joined : inOrder(database, search.sort),
    where,
    totalItems: Math.min(found, TOTAL_MAX),
    atLeast,
  };
}

async function lookAt(
  database: Sequelize,
  titles: string,
  where: string,
): Promise<{ looked: number; found: number }> {
  const [row] = await database.query<{ looked: number; found: number }>(
    `SELECT COUNT(*) AS looked, COUNT(CASE WHEN ${where} THEN 1 END) AS found FROM ${titles}`,
    { type: QueryTypes.SELECT },
  );
  return { looked: Number(row?.looked), found: Number(row?.found) };
}

function inOrder(database: Sequelize, { field }: TitleSearch['sort']): string {
  const hint =
    database.getDialect() === 'sqlite'
      ? `INDEXED BY ${ORDERS[field].index}`
      : `FORCE INDEX (${ORDERS[field].index})`;
  return `book_info \`BookInfo\` ${hint}`;
}

/** What comes after the cursor, in parts that follow one another; each is a range of the index. */
function partsAfter(
  database: Sequelize,
  { field, descending }: TitleSearch['sort'],
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

interface Position {
  readonly id: number;
  readonly value: string | number | null;
}

/** The ids of a page, and of one title more when there is one. */
async function positionsOf(
  database: Sequelize,
  plan: Plan,
  search: TitleSearch,
): Promise<Position[]> {
  const { sort, after } = search;
  const { column, instant } = ORDERS[sort.field];
  const direction = sort.descending ? 'DESC' : 'ASC';
  const { limit, offset } = limitsOf(search);
  const value = instant ? `CAST(\`BookInfo\`.${column} AS CHAR)` : `\`BookInfo\`.${column}`;
  const positions: Position[] = [];
  for (const part of partsAfter(database, sort, after)) {
    const order = `ORDER BY \`BookInfo\`.${column} ${direction}, \`BookInfo\`.id ${direction} LIMIT ${limit + 1 - positions.length} OFFSET ${after ? 0 : offset}`;
    const sql = `SELECT \`BookInfo\`.id AS id, ${value} AS value FROM ${plan.from} WHERE ${plan.where} AND ${part} ${order}`;
    positions.push(...(await database.query<Position>(sql, { type: QueryTypes.SELECT })));
    if (positions.length > limit) break;
  }
  return positions;
}

export async function searchTitles(
  database: Sequelize,
  search: TitleSearch,
): Promise<Found<BookInfoView>> {
  const plan = await planOf(database, search);
  const positions = await positionsOf(database, plan, search);
  const ids = positions.slice(0, search.size).map(({ id }) => id);
  const rows = await BookInfo.findAll({
    attributes: titleAttributes,
    include: withAuthor,
    where: { id: ids, deletedAt: null },
    raw: true,
  });
  const views = new Map((rows as unknown as StoredTitle[]).map((row) => [row.id, titleView(row)]));
  const last = positions.length > search.size ? positions[search.size - 1] : undefined;
  return {
    items: ids.flatMap((id) => views.get(id) ?? []),
    totalItems: plan.totalItems,
    ...(plan.atLeast && { atLeast: true }),
    ...(last ? { after: { sort: search.sort, value: last.value, id: last.id } } : { ended: true }),
  };
}
