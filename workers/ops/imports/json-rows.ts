import { OpsError } from '../command';
import { piecesOf, type Piece } from './file-pieces';
import { columnNamed, TOO_LONG, type FileRow, type RawCells, type RowFormat } from './row-format';

const LINE_FEED = 10;

function cellsOf<Column extends string>(row: object, format: RowFormat<Column>): RawCells<Column> {
  const cells: RawCells<Column> = {};
  for (const [name, value] of Object.entries(row)) {
    const column = columnNamed(name, format);
    if (column) cells[column] ??= value;
  }
  return cells;
}

/** Returns what a line holds; null for a blank one. */
function contentOf<Column extends string>(
  line: Piece['bytes'],
  format: RowFormat<Column>,
): FileRow<Column>['content'] | null {
  if (line === null) return { fault: TOO_LONG };
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
  for await (const { bytes, end } of piecesOf(file, LINE_FEED)) {
    number += 1;
    const content = contentOf(bytes, format);
    if (!content) continue;
    rows += 1;
    yield { line: number, bytes: end, content };
  }
  if (rows === 0) throw new OpsError(`${file} is empty.`);
}
