import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { parse } from 'csv-parse';
import { BOOK_COLUMNS, type BookCells, type BookColumn } from './book-row';
import { OpsError } from './command';
import { LineNumbers } from './line-numbers';

/** A row of the file. `line` is where it begins, the first line being 1; `bytes` is how far the file is read. */
export interface FileRow {
  readonly line: number;
  readonly bytes: number;
  /** A `fault` says why there are no cells. */
  readonly content: { readonly cells: BookCells } | { readonly fault: string };
}

/** Longest row, bytes: more means that a quote was opened and never closed. */
const ROW_MAX = 1024 * 1024;

interface Parsed {
  readonly record: string[];
  readonly info: { readonly bytes: number };
}

/** Which of the file's columns is which of ours. @throws OpsError when the file cannot be a list of books. */
function readHeader(names: readonly string[]): (BookColumn | undefined)[] {
  const columns = names.map((name) => BOOK_COLUMNS.find((known) => known === name.trim().toLowerCase()));
  const has = (...wanted: BookColumn[]) => wanted.some((column) => columns.includes(column));
  if (!has('title', 'original_title')) throw new OpsError(`The first line names no title column; it has: ${names.join(', ').slice(0, 200)}.`);
  if (!has('author', 'authors')) throw new OpsError(`The first line names no author column; it has: ${names.join(', ').slice(0, 200)}.`);
  return columns;
}

function readRow(record: readonly string[], columns: readonly (BookColumn | undefined)[]): FileRow['content'] {
  if (record.length !== columns.length) return { fault: `it has ${record.length} fields and the first line has ${columns.length}` };
  const cells: BookCells = {};
  for (const [index, column] of columns.entries()) if (column) cells[column] ??= record[index] ?? '';
  return { cells };
}

/**
 * Reads a CSV file row by row: UTF-8 with or without a BOM, quotes, line breaks inside of quotes, blank lines skipped.
 * A stray quote belongs to the text, for otherwise one would swallow the rows behind it.
 * @throws OpsError for a file that cannot be read, has no header of books, or opens a quote and never closes it.
 */
export async function* readBookFile(file: string): AsyncGenerator<FileRow, void, undefined> {
  const lines = new LineNumbers();
  const parser = parse({ bom: true, info: true, skip_empty_lines: true, relax_column_count: true, relax_quotes: true, max_record_size: ROW_MAX });
  const reading = pipeline(createReadStream(file), lines, parser);
  // The loop below gets the same error; without a listener it would also end the process.
  reading.catch(() => undefined);
  let columns: (BookColumn | undefined)[] | null = null;
  let end = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      const line = lines.lineAt(end);
      end = info.bytes;
      if (columns) yield { line, bytes: end, content: readRow(record, columns) };
      else columns = readHeader(record);
    }
  } catch (error) {
    const { code = '', message } = error as Error & { code?: string };
    if (code === 'CSV_MAX_RECORD_SIZE' || code === 'CSV_QUOTE_NOT_CLOSED') {
      throw new OpsError(`Reading stopped at line ${lines.lineAt(end)}: a quote is opened there and never closed.`);
    }
    if (code.startsWith('CSV_')) throw new OpsError(`Reading stopped at line ${lines.lineAt(end)}: ${message}.`);
    throw error;
  }
  if (!columns) throw new OpsError(`${file} is empty.`);
}
