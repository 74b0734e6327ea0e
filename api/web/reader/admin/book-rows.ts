import { parse } from 'csv-parse/browser/esm/sync';
import type { NewBook } from './writes';
import { adminTexts } from './texts';

/** Makes titles of a CSV file, as the command `import-books` reads it. */

/** Larger files are for the command, which can continue an interrupted import. */
const ROWS_MAX = 2000;

/** Whatever else there is means nothing; case does not count. */
type Column = 'title' | 'author' | 'isbn' | 'publicationdate' | 'bookimg' | 'copies';
/** Copies of a title whose row does not say how many, as in the command. */
const COPIES_DEFAULT = '1';
const REQUIRED: readonly Column[] = ['title', 'author'];

/** A row is a title, or has a fault that makes it none. `line` is where it ends. */
export type BookRow = { readonly line: number } & (
  | { readonly book: NewBook }
  | { readonly fault: string }
);

interface Parsed {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

function bookOf(cells: ReadonlyMap<string, string>): NewBook {
  const text = (column: Column) => (cells.get(column) ?? '').replace(/\s+/g, ' ').trim();
  const copies = text('copies') || COPIES_DEFAULT;
  if (!/^\d+$/.test(copies)) throw new Error(adminTexts.notNumber);
  return {
    ...{ title: text('title'), author: text('author'), isbn: text('isbn') || null },
    ...{
      publicationDate: text('publicationdate') || null,
      bookImg: text('bookimg') || null,
      copies: Number(copies),
    },
  };
}

/** @throws Error with a sentence for people, for a file that is no CSV or lacks a column. */
export function bookRows(csv: string): BookRow[] {
  // A stray quote belongs to the text, for otherwise one would swallow the rows behind it.
  const parsed = parse(csv, {
    bom: true,
    info: true,
    skip_empty_lines: true,
    relax_column_count: true,
    relax_quotes: true,
  }) as unknown as Parsed[];
  const [header, ...rows] = parsed;
  const names = header?.record.map((name) => name.trim().toLowerCase()) ?? [];
  const missing = REQUIRED.find((column) => !names.includes(column));
  if (missing !== undefined) throw new Error(adminTexts.missingColumn(missing));
  if (rows.length === 0) throw new Error(adminTexts.noRows);
  if (rows.length > ROWS_MAX) throw new Error(adminTexts.tooManyRows(ROWS_MAX));
  return rows.map(({ record, info: { lines: line } }) => {
    try {
      return {
        line,
        book: bookOf(new Map(names.map((name, index) => [name, record[index] ?? '']))),
      };
    } catch (error) {
      return { line, fault: (error as Error).message };
    }
  });
}
