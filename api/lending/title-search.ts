import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { BookInfo } from '../../shared/lending/tables';
import type { BookInfoView } from '../../shared/lending/views';
import type { Cursor } from '../http/requests/cursor';
import { limitsOf, type Page } from '../http/requests/paging';
import type { Sort } from '../http/requests/query-rules';
import { TOTAL_MAX, type Found } from '../reads/found';
import { leadsTo } from '../reads/word-index';
import { titleAttributes, titleView, withAuthor, type StoredTitle } from './rows';
import { countSources, together, type Filter } from './filter';
import { titleFilters, type TitleFilters } from './title-filters';
import {
  inOrder,
  inRange,
  partsOfColumn,
  partsOfRelevance,
  relevantText,
  type Part,
  type TitleSort,
} from './title-orders';
import { wordFilters } from './title-words';

/**
 * The search for titles, made to cost the same however many there are. The filter that finds the
 * fewest leads: the titles that it finds are looked at and sorted. When each of them finds many,
 * the titles are gone through in the order that was asked for, until the page is full, which is
 * soon. Either way an index is used from its beginning, or from where the page before ended.
 */

export interface TitleSearch extends TitleFilters, Page {
  readonly sort: Sort<TitleSort>;
  /** Where the page before this one ended; without it `page` is counted from the beginning. */
  readonly after?: Cursor;
}

/** Most titles that are all read and sorted. */
const CANDIDATES_MAX = 2000;
/** Most titles that are read to count those for which several conditions hold. */
const LOOKED_AT_MAX = 5000;

/** Where titles are taken from, and how many there are. */
interface Plan {
  readonly from: string;
  /** They are all read and sorted. */
  readonly sorted: boolean;
  readonly where: string;
  readonly totalItems: number;
  /** There may be more. */
  readonly atLeast: boolean;
}

const LIVE = 'SELECT id FROM book_info WHERE deleted_at IS NULL';

/** Returns the filter that finds the fewest, and how many it finds, counted up to `max`. */
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

async function planOf(
  database: Sequelize,
  search: TitleSearch,
  filters: readonly Filter[],
): Promise<Plan> {
  const [first, ...others] = filters;
  // What one query finds needs no look at the titles to be counted.
  const exact = others.length === 0 && (!first || first.exact === true);
  const lead = await leading(database, filters, exact ? TOTAL_MAX + 1 : LOOKED_AT_MAX + 1);
  const where = [
    '`BookInfo`.`deleted_at` IS NULL',
    ...filters.map(({ condition }) => condition),
  ].join(' AND ');
  const joined = joinedTo(database, together(lead.sources, LOOKED_AT_MAX + 1));
  const { looked, found } = exact
    ? { looked: lead.found, found: lead.found }
    : await lookAt(database, joined, where);
  const atLeast = looked > (exact ? TOTAL_MAX : LOOKED_AT_MAX);
  const sorted = lead.found <= CANDIDATES_MAX || (!exact && !atLeast && found <= CANDIDATES_MAX);
  return {
    from: sorted && first ? joined : inOrder(database, search.sort),
    sorted: sorted && first !== undefined,
    where,
    totalItems: Math.min(found, TOTAL_MAX),
    atLeast,
  };
}

/** Returns the titles whose ids a query finds. */
const joinedTo = (database: Sequelize, ids: string): string =>
  `(${ids}) c ${leadsTo(database)} book_info \`BookInfo\` ON \`BookInfo\`.id = c.id`;

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

/** Titles, whose conditions hold, in an order of their own. */
interface Run extends Part {
  readonly from: string;
}

/**
 * What is read one after the other. The titles of a rank of relevance are taken from the index of
 * titles while they are few; of many, some are soon found among the most borrowed.
 */
async function* runsOf(database: Sequelize, plan: Plan, search: TitleSearch): AsyncGenerator<Run> {
  const { sort, after } = search;
  const { from, sorted } = plan;
  if (sort.field !== 'relevance') {
    for (const part of partsOfColumn(database, sort.field, sort.descending, after))
      yield { ...part, from };
    return;
  }
  for (const part of partsOfRelevance(database, relevantText(search), after)) {
    const source = part.range === null || sorted ? null : inRange(database, part.range);
    const found = source ? await countSources(database, [source], CANDIDATES_MAX + 1) : null;
    if (found === 0) continue;
    const few = source && found !== null && found <= CANDIDATES_MAX;
    yield { ...part, from: few ? joinedTo(database, source) : from };
  }
}

interface Position {
  readonly id: number;
  readonly value: string | number | null;
}

/** Returns the ids of a page, and of one title more when there is one. */
async function positionsOf(
  database: Sequelize,
  plan: Plan,
  search: TitleSearch,
): Promise<Position[]> {
  const { limit, offset } = limitsOf(search);
  const positions: Position[] = [];
  let skipped = search.after ? 0 : offset;
  for await (const { from, condition, value, order } of runsOf(database, plan, search)) {
    const wanted = limit + 1 - positions.length;
    const rows = `FROM ${from} WHERE ${plan.where} AND ${condition}`;
    const sql = `SELECT \`BookInfo\`.id AS id, ${value} AS value ${rows} ORDER BY ${order} LIMIT ${wanted} OFFSET ${skipped}`;
    const found = await database.query<Position>(sql, { type: QueryTypes.SELECT });
    positions.push(...found);
    if (positions.length > limit) break;
    if (found.length > 0) skipped = 0;
    else if (skipped > 0 && search.sort.field === 'relevance')
      skipped -= await countRows(database, `SELECT 1 ${rows} LIMIT ${skipped}`);
  }
  return positions;
}

async function countRows(database: Sequelize, rows: string): Promise<number> {
  const [row] = await database.query<{ found: number }>(
    `SELECT COUNT(*) AS found FROM (${rows}) r`,
    {
      type: QueryTypes.SELECT,
    },
  );
  return Number(row?.found);
}

/**
 * Returns the titles that contain the whole text `q`. When there are none, returns those that
 * contain each of its words.
 */
async function bestPlan(database: Sequelize, search: TitleSearch): Promise<Plan> {
  const { q, ...others } = search;
  const enough = LOOKED_AT_MAX + 1;
  const plan = await planOf(database, search, await titleFilters(database, search, enough));
  if (q === undefined || plan.atLeast || plan.totalItems > 0) return plan;
  const words = await wordFilters(database, q, enough);
  if (words.length === 0) return plan;
  const filters = [...words, ...(await titleFilters(database, others, enough))];
  return planOf(database, search, filters);
}

export async function searchTitles(
  database: Sequelize,
  search: TitleSearch,
): Promise<Found<BookInfoView>> {
  const plan = await bestPlan(database, search);
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
