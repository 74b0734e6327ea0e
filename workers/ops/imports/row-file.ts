import { marcForm } from '../marc/record';
import type { CsvForm } from './csv-form';
import { readCsvRows } from './csv-rows';
import { readJsonRows } from './json-rows';
import { readMarcRows } from './marc/rows';
import type { FileRow, RowFormat } from './row-format';

/** Returns whether a file is JSON Lines, which is UTF-8 and has no delimiter. */
export const isJsonLines = (file: string): boolean => /\.(jsonl|ndjson)$/i.test(file);

/**
 * Reads a file row by row, holding a few rows at a time. @throws OpsError for a file that cannot be
 * such a list.
 */
export function readRowFile<Column extends string>(
  file: string,
  format: RowFormat<Column>,
  form?: CsvForm,
): AsyncGenerator<FileRow<Column>, void, undefined> {
  if (format.ofMarc && marcForm(file)) return readMarcRows(file, format.ofMarc);
  return isJsonLines(file) ? readJsonRows(file, format) : readCsvRows(file, format, form);
}
