import { Op, type WhereOptions } from 'sequelize';
import type { JsonSchema } from '../openapi/schema';

/** What one service has of a person. */

export interface ExportPart {
  /** Its member of the export. */
  readonly name: string;
  /** Of one row. */
  readonly schema: JsonSchema;
  /** Every row, read as the receiver takes them. */
  readonly rows: (userId: number) => AsyncIterable<object>;
}

/** Rows that are read at a time, which bounds what an export takes of memory. */
const ROWS_AT_A_TIME = 200;

type Page<Row> = (limit: number, last: Row | undefined) => Promise<readonly Row[]>;

/**
 * Reads page after page, each from where the one before ended, and gives what `view` makes of the
 * rows.
 */
export async function* inPages<Row>(
  page: Page<Row>,
  view: (row: Row) => object,
  limit = ROWS_AT_A_TIME,
): AsyncGenerator<object> {
  for (let last: Row | undefined; ;) {
    const rows = await page(limit, last);
    for (const row of rows) yield view(row);
    if (rows.length < limit) return;
    last = rows.at(-1);
  }
}

/** Rows behind the last one in the order of an instant and the id. */
export function behind<Row extends { readonly id: number }>(
  instant: keyof Row & string,
  last: Row | undefined,
): WhereOptions {
  if (!last) return {};
  const at = last[instant];
  return { [Op.or]: [{ [instant]: { [Op.gt]: at } }, { [instant]: at, id: { [Op.gt]: last.id } }] };
}
