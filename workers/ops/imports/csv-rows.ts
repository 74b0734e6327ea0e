import { createReadStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parse } from 'csv-parse';
import iconv from 'iconv-lite';
import { OpsError } from '../command';
import { UTF_8, type CsvForm } from './csv-form';
import { LineNumbers } from './line-numbers';
import {
  columnNamed,
  ROW_MAX,
  TOO_LONG,
  type FileRow,
  type RawCells,
  type RowFormat,
} from './row-format';

/** Longest row that is read at all, bytes: a quote that is never closed ends here. */
const READ_MAX = 64 * 1024 * 1024;
const USUAL: CsvForm = { encoding: UTF_8, delimiter: ',' };

interface Parsed {
  readonly record: string[];
  readonly info: { readonly bytes: number };
}

/**
 * Returns which column of the file is which of ours.
 * @throws OpsError when one is missing or named twice.
 */
function readHeader<Column extends string>(
  names: readonly string[],
  format: RowFormat<Column>,
): (Column | undefined)[] {
  const columns = names.map((name) => columnNamed(name, format));
  const twice = columns.find((column, index) => column && columns.indexOf(column) < index);
  if (twice) throw new OpsError(`The first line names the column ${twice} twice.`);
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
  encoding: string,
): FileRow<Column>['content'] {
  if (record.length !== columns.length)
    return { fault: `it has ${record.length} fields and the first line has ${columns.length}` };
  const cells: RawCells<Column> = {};
  for (const [index, column] of columns.entries()) {
    if (!column) continue;
    const text = record[index] ?? '';
    // What decoding puts where the bytes are no text.
    if (text.includes('\uFFFD'))
      return { fault: `${column} is not ${encoding.toUpperCase()} text` };
    cells[column] = text;
  }
  return { cells };
}

/** Returns the content of a row that was read from one byte to another. */
function contentOf<Column extends string>(
  record: readonly string[],
  bytes: number,
  columns: readonly (Column | undefined)[],
  encoding: string,
): FileRow<Column>['content'] {
  if (bytes > ROW_MAX) return { fault: TOO_LONG };
  return readRow(record, columns, encoding);
}

/** Makes UTF-8 of an encoding. */
function recoded(encoding: string): Transform {
  const decoder = iconv.getDecoder(encoding);
  return new Transform({
    transform(chunk: Buffer, _, done) {
      done(null, decoder.write(chunk));
    },
    flush(done) {
      done(null, decoder.end() ?? '');
    },
  });
}

/** Returns what a fault of the parser means, for a row that begins on a line. */
function faultOf(error: Error & { readonly code?: string }, line: number): Error {
  const { code = '', message } = error;
  const stopped = `Reading stopped at line ${line}`;
  if (code === 'CSV_QUOTE_NOT_CLOSED')
    return new OpsError(`${stopped}: a quote is opened there and never closed.`);
  if (code === 'CSV_MAX_RECORD_SIZE')
    return new OpsError(
      `${stopped}: a row of more than ${READ_MAX / 1024 / 1024} MiB begins there. Is a quote opened and never closed?`,
    );
  return code.startsWith('CSV_') ? new OpsError(`${stopped}: ${message}.`) : error;
}

/**
 * Reads a CSV file row by row: with or without a BOM, quotes, line breaks inside of quotes,
 * blank lines skipped. A stray quote belongs to the text, for otherwise one would swallow the rows
 * behind it.
 * @throws OpsError for a file that cannot be read, lacks a column, or opens a quote and never
 * closes it.
 */
export async function* readCsvRows<Column extends string>(
  file: string,
  format: RowFormat<Column>,
  { encoding, delimiter }: CsvForm = USUAL,
): AsyncGenerator<FileRow<Column>, void, undefined> {
  const lines = new LineNumbers();
  const parser = parse({
    bom: true,
    delimiter,
    info: true,
    skip_empty_lines: true,
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: READ_MAX,
  });
  const source = createReadStream(file);
  const isUtf8 = encoding === UTF_8;
  const reading = isUtf8
    ? pipeline(source, lines, parser)
    : pipeline(source, recoded(encoding), lines, parser);
  // The loop below gets the same error; without a listener it would also end the process.
  reading.catch(() => undefined);
  let columns: (Column | undefined)[] | null = null;
  let end = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      const line = lines.lineAt(end);
      const start = end;
      end = info.bytes;
      if (columns) {
        const content = contentOf(record, end - start, columns, encoding);
        yield { line, bytes: isUtf8 ? end : source.bytesRead, content };
      } else {
        columns = readHeader(record, format);
      }
    }
  } catch (error) {
    throw faultOf(error as Error, lines.lineAt(end));
  }
  if (!columns) throw new OpsError(`${file} is empty.`);
}
