import {
  QueryTypes,
  Utils,
  type FindOptions,
  type ModelStatic,
  type WhereOptions,
} from 'sequelize';
import type { Model } from 'sequelize-typescript';
import { limitsOf, type Page, type Totals } from '../http/requests/paging';

/** Totals are exact up to this many; more are not counted. */
export const TOTAL_MAX = 10_000;

/** A page of a list, and how long the whole list is. */
export interface Found<Item> extends Totals {
  readonly items: Item[];
}

/** The part of Sequelize that makes a SELECT without running it, which its types do not know. */
interface SelectMaker {
  selectQuery(table: unknown, options: FindOptions, model: ModelStatic<Model>): string;
}

/** Counts the rows, up to `TOTAL_MAX`, so that no count takes longer because a table has grown. */
export async function countUpTo(model: ModelStatic<Model>, where: WhereOptions): Promise<Totals> {
  const { sequelize } = model;
  if (!sequelize) throw new Error('the model belongs to no database');
  const maker = sequelize.getQueryInterface().queryGenerator as SelectMaker;
  const options: FindOptions = Utils.mapFinderOptions(
    { attributes: [model.primaryKeyAttribute], where, limit: TOTAL_MAX + 1 },
    model,
  );
  const counted = maker.selectQuery(model.getTableName(), options, model).replace(/;$/, '');
  const [row] = await sequelize.query<{ found: number }>(
    `SELECT COUNT(*) AS found FROM (${counted}) c`,
    { type: QueryTypes.SELECT },
  );
  const found = Number(row?.found);
  return found > TOTAL_MAX ? { totalItems: TOTAL_MAX, atLeast: true } : { totalItems: found };
}

/** Counts only when the page itself does not tell the total. */
export async function withTotal<Item>(
  page: Page,
  items: Item[],
  count: () => Promise<Totals>,
): Promise<Found<Item>> {
  const last = items.length < page.size && (items.length > 0 || page.page === 1);
  if (last) return { items, totalItems: limitsOf(page).offset + items.length };
  return { items, ...(await count()), ...(items.length === 0 && { ended: true }) };
}
