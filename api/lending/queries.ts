import { col, fn, literal, Op, type Order, type WhereOptions } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type { CopyStatus } from '../../shared/lending/commands';
import { Book, BookInfo, BookUser } from '../../shared/lending/tables';
import { copyView, type BookInfoView, type CopyView } from '../../shared/lending/views';
import { limitsOf, type Page } from '../http/paging';
import type { Sort } from '../http/query-rules';
import { withTotal, type Found } from '../reads/found';
import { titleAttributes, titleView, withAuthor, type StoredTitle } from './rows';
import { searchConditions, type TitleFilters } from './search-conditions';

/** What reads of titles and copies ask of the database. Ids are numbers and instants are Dates, whatever the dialect. */

export const TITLE_SORTS = ['title', 'publicationDate', 'createdAt', 'availableStock', 'popularity'] as const;
export type TitleSort = (typeof TITLE_SORTS)[number];

/** Attribute behind each sort. Titles go by their folded form; those without a date come first, or last when descending. */
const SORTED_BY: Readonly<Record<TitleSort, string>> = {
  title: 'searchTitle',
  publicationDate: 'publicationDate',
  createdAt: 'createdAt',
  availableStock: 'availableStock',
  popularity: 'borrowCount',
};

export interface TitleSearch extends TitleFilters, Page {
  readonly sort: Sort<TitleSort>;
}

/** Matches that a search names one by one. */
const MATCHES_NAMED_MAX = 1000;

const DAY_MS = 24 * 3600 * 1000;

/**
 * The ids of what a text filter finds, null when that is much or there is no such filter. Text is looked for in every row, and that
 * is fastest in the order of the rows; only what many rows match is found sooner in the order that was asked for.
 */
async function fewMatches({ title, author, isbn, q }: TitleSearch, where: WhereOptions): Promise<number[] | null> {
  if ([title, author, isbn, q].every((filter) => filter === undefined)) return null;
  const rows = await BookInfo.findAll({ attributes: ['id'], where, limit: MATCHES_NAMED_MAX + 1, raw: true });
  return rows.length > MATCHES_NAMED_MAX ? null : rows.map(({ id }) => id);
}

export async function searchTitles(database: Sequelize, search: TitleSearch): Promise<Found<BookInfoView>> {
  const conditions = await searchConditions(database, search);
  const few = await fewMatches(search, conditions);
  const where = few ? { id: few, deletedAt: null } : conditions;
  const direction = search.sort.descending ? 'DESC' : 'ASC';
  const order: Order = [SORTED_BY[search.sort.field], 'id'].map((attribute) => [attribute, direction]);
  const rows = await BookInfo.findAll({ attributes: titleAttributes, include: withAuthor, where, order, ...limitsOf(search), raw: true });
  const items = (rows as unknown as StoredTitle[]).map(titleView);
  return few ? { items, totalItems: few.length } : withTotal(search, items, () => BookInfo.count({ where }));
}

/** A title that is not deleted. */
export async function findTitle(bookInfoId: number): Promise<BookInfoView | null> {
  const row = await BookInfo.findOne({ attributes: titleAttributes, include: withAuthor, where: { id: bookInfoId, deletedAt: null }, raw: true });
  return row && titleView(row as unknown as StoredTitle);
}

/** Attributes' version and stock of a title that is not deleted. */
export async function findTitleNumbers(bookInfoId: number): Promise<{ version: number; totalStock: number; availableStock: number } | null> {
  return BookInfo.findOne({ attributes: ['version', 'totalStock', 'availableStock'], where: { id: bookInfoId, deletedAt: null }, raw: true });
}

export type PopularTitle = BookInfoView & { readonly borrowCount: number };

/** The `size` titles borrowed most often in the last `days` days before `now`; equal ones by their id. */
export async function popularTitles(days: number, size: number, now: Date): Promise<PopularTitle[]> {
  const counted = await BookUser.findAll({
    attributes: ['bookInfoId', [fn('COUNT', col('BookUser.id')), 'borrowCount']],
    include: { model: BookInfo, as: 'bookInfo', attributes: [], required: true, where: { deletedAt: null } },
    where: { borrowedAt: { [Op.gte]: new Date(now.getTime() - days * DAY_MS) } },
    group: [col('BookUser.book_info_id')],
    order: [
      [literal('borrowCount'), 'DESC'],
      ['bookInfoId', 'ASC'],
    ],
    limit: size,
    raw: true,
  });
  const ranking = counted as unknown as { bookInfoId: number; borrowCount: number }[];
  const ids = ranking.map(({ bookInfoId }) => bookInfoId);
  // A title that was deleted between the two queries is left out.
  const rows = await BookInfo.findAll({ attributes: titleAttributes, include: withAuthor, where: { id: ids, deletedAt: null }, raw: true });
  const views = new Map((rows as unknown as StoredTitle[]).map((row) => [row.id, titleView(row)]));
  return ranking.flatMap(({ bookInfoId, borrowCount }) => {
    const view = views.get(bookInfoId);
    return view ? [{ ...view, borrowCount }] : [];
  });
}

export interface CopyFilters extends Page {
  readonly available?: boolean;
  readonly status?: CopyStatus;
}

/** The copies of a title that are not deleted, by id. */
export async function findCopies(bookInfoId: number, filters: CopyFilters): Promise<Found<CopyView>> {
  const { available, status } = filters;
  const where = { bookInfoId, deletedAt: null, ...(available === undefined ? {} : { available }), ...(status === undefined ? {} : { status }) };
  const rows = await Book.findAll({ attributes: ['id', 'bookInfoId', 'status'], where, order: ['id'], ...limitsOf(filters), raw: true });
  return withTotal(filters, rows.map(copyView), () => Book.count({ where }));
}

/** The title that a copy belongs to, also when the copy is deleted: commands of a copy go to its title's partition. */
export async function titleOfCopy(bookId: number): Promise<number | null> {
  const row = await Book.findOne({ attributes: ['bookInfoId'], where: { id: bookId }, raw: true });
  return row?.bookInfoId ?? null;
}
