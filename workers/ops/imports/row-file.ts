import { readCsvRows } from './csv-rows';
import { readJsonRows } from './json-rows';
import type { FileRow, RowFormat } from './row-format';

/**
 * Reads a file row by row, holding a few rows at a time. @throws OpsError for a file that cannot be
 * such a list.
 */
export function readRowFile<Column extends string>(
  file: string,
  format: RowFormat<Column>,
): AsyncGenerator<FileRow<Column>, void, undefined> {
  return /\.(jsonl|ndjson)$/i.test(file) ? readJsonRows(file, format) : readCsvRows(file, format);
}
