import type { MarcRecord } from '../marc/record';

/** What a file of rows is made of, whether it is CSV, JSON Lines or MARC. */

export interface RowContent<Column extends string> {
  readonly cells: RawCells<Column>;
  /** Names of what the row has and the columns have no place for. */
  readonly leftOut?: readonly string[];
}

/**
 * A row of the file. `line` is where it begins, the first line being 1; of a MARC record it is the
 * number. `bytes` is how far the file is read.
 */
export interface FileRow<Column extends string> {
  readonly line: number;
  readonly bytes: number;
  /** A `fault` says why there are no cells. */
  readonly content: RowContent<Column> | { readonly fault: string };
}

/** What stands under the columns that are known: texts in CSV, anything in JSON Lines. */
export type RawCells<Column extends string> = Partial<Record<Column, unknown>>;

/** Which columns are read, whatever the case of their names; others are ignored. */
export interface RowFormat<Column extends string> {
  /** In lower case. */
  readonly columns: readonly Column[];
  /** What a file is not without: of each group one column. A group is called by its first. */
  readonly required: readonly (readonly [Column, ...Column[]])[];
  /** What a MARC record is; absent where none can be. */
  readonly ofMarc?: (record: MarcRecord) => RowContent<Column>;
}

/** Longest row, bytes. The longest post takes 1.2 MB when all of it is escaped. */
export const ROW_MAX = 2 * 1024 * 1024;

/** The fault of a longer one. */
export const TOO_LONG = `it is longer than ${ROW_MAX / 1024 / 1024} MiB`;

/** Returns the column that a name in the file means. */
export function columnNamed<Column extends string>(
  name: string,
  { columns }: RowFormat<Column>,
): Column | undefined {
  const wanted = name.trim().toLowerCase();
  return columns.find((column) => column === wanted);
}
