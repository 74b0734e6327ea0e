import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { parse } from 'csv-parse';
import { OpsError } from '../command';
import { LineNumbers } from './line-numbers';
import { columnNamed, ROW_MAX, type FileRow, type RawCells, type RowFormat } from './row-format';

interface Parsed {
  readonly record: string[];
  readonly info: { readonly bytes: number };
}

/** Which of the file's columns is which of ours. @throws OpsError when one is missing. */
function readHeader<Column extends string>(
  names: readonly string[],
  format: RowFormat<Column>,
): (Column | undefined)[] {
  const columns = names.map((name) => columnNamed(name, format));
  const missing = format.required.find(
    (group) => !group.some((column) => columns.includes(column)),
  );
  if (missing)
    throw new OpsError(
      `The first line names no ${missing[0]} column; it has: ${names.join(', ').slice(0, 200)}.`,
    );
  return columns;
}

function readRow<Column extends string>(
  record: readonly string[],
  columns: readonly (Column | undefined)[],
): FileRow<Column>['content'] {
  if (record.length !== columns.length)
    return { fault: `it has ${record.length} fields and the first line has ${columns.length}` };
  const cells: RawCells<Column> = {};
  for (const [index, column] of columns.entries()) {
    if (!column || cells[column] !== undefined) continue;
    const text = record[index] ?? '';
    // What decoding puts where the bytes are no UTF-8.
    if (text.includes('\uFFFD')) return { fault: `${column} is not UTF-8 text` };
    cells[column] = text;
  }
  return { cells };
}

/**
 * Reads a CSV file row by row: UTF-8 with or without a BOM, quotes, line breaks inside of quotes,
 * blank lines skipped. A stray quote belongs to the text, for otherwise one would swallow the rows
 * behind it.
 * @throws OpsError for a file that cannot be read, lacks a column, or opens a quote and never
 * closes it.
 */
export async function* readCsvRows<Column extends string>(
  file: string,
  format: RowFormat<Column>,
): AsyncGenerator<FileRow<Column>, void, undefined> {
  const lines = new LineNumbers();
  const parser = parse({
    bom: true,
    info: true,
    skip_empty_lines: true,
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: ROW_MAX,
  });
  const reading = pipeline(createReadStream(file), lines, parser);
  // The loop below gets the same error; without a listener it would also end the process.
  reading.catch(() => undefined);
  let columns: (Column | undefined)[] | null = null;
  let end = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      const line = lines.lineAt(end);
      end = info.bytes;
      if (columns) yield { line, bytes: end, content: readRow(record, columns) };
      else columns = readHeader(record, format);
    }
  } catch (error) {
    const { code = '', message } = error as Error & { code?: string };
    // More than the longest row means that a quote was opened and never closed.
    if (code === 'CSV_MAX_RECORD_SIZE' || code === 'CSV_QUOTE_NOT_CLOSED') {
      throw new OpsError(
        `Reading stopped at line ${lines.lineAt(end)}: a quote is opened there and never closed.`,
      );
    }
    if (code.startsWith('CSV_'))
      throw new OpsError(`Reading stopped at line ${lines.lineAt(end)}: ${message}.`);
    throw error;
  }
  if (!columns) throw new OpsError(`${file} is empty.`);
}
