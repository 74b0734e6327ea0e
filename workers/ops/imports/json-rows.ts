import { createReadStream } from 'node:fs';
import { OpsError } from '../command';
import { columnNamed, ROW_MAX, type FileRow, type RawCells, type RowFormat } from './row-format';

const LINE_FEED = 10;

/** A line as it comes out of the file; null when it is longer than a row may be. */
type Line = Buffer | null;

/**
 * The lines of a file. Of one that is too long nothing is held, so that a file without line breaks
 * cannot fill the memory.
 */
async function* linesOf(
  file: string,
): AsyncGenerator<{ line: Line; bytes: number }, void, undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  let bytes = 0;
  const hold = (part: Buffer) => {
    length += part.length;
    bytes += part.length;
    if (length > ROW_MAX) parts = [];
    else parts.push(part);
  };
  const taken = () => {
    const line = length > ROW_MAX ? null : Buffer.concat(parts);
    parts = [];
    length = 0;
    return { line, bytes };
  };
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      hold(chunk.subarray(start, end));
      bytes += 1;
      yield taken();
      start = end + 1;
    }
    hold(chunk.subarray(start));
  }
  yield taken();
}

function cellsOf<Column extends string>(row: object, format: RowFormat<Column>): RawCells<Column> {
  const cells: RawCells<Column> = {};
  for (const [name, value] of Object.entries(row)) {
    const column = columnNamed(name, format);
    if (column) cells[column] ??= value;
  }
  return cells;
}

/** What a line holds; null for a blank one. */
function contentOf<Column extends string>(
  line: Line,
  format: RowFormat<Column>,
): FileRow<Column>['content'] | null {
  if (line === null) return { fault: `it is longer than ${ROW_MAX / 1024 / 1024} MiB` };
  let text: string;
  try {
    // It drops a byte order mark as well.
    text = new TextDecoder('utf-8', { fatal: true }).decode(line);
  } catch {
    return { fault: 'it is not UTF-8 text' };
  }
  if (text.trim() === '') return null;
  try {
    const row: unknown = JSON.parse(text);
    if (typeof row === 'object' && row !== null && !Array.isArray(row))
      return { cells: cellsOf(row, format) };
  } catch (error) {
    return { fault: `it is not JSON: ${(error as Error).message}` };
  }
  return { fault: 'it is not a JSON object' };
}

/**
 * Reads a JSON Lines file: one object a line, blank lines skipped. A line that is none does no harm
 * to the others.
 * @throws OpsError for a file with nothing in it.
 */
export async function* readJsonRows<Column extends string>(
  file: string,
  format: RowFormat<Column>,
): AsyncGenerator<FileRow<Column>, void, undefined> {
  let number = 0;
  let rows = 0;
  for await (const { line, bytes } of linesOf(file)) {
    number += 1;
    const content = contentOf(line, format);
    if (!content) continue;
    rows += 1;
    yield { line: number, bytes, content };
  }
  if (rows === 0) throw new OpsError(`${file} is empty.`);
}
