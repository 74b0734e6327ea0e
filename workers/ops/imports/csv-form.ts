import { open } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import iconv from 'iconv-lite';
import { UsageError } from '../command';
import { columnNamed, type RowFormat } from './row-format';

/**
 * Encoding and delimiter of a CSV file. Korean spreadsheets write CP949 with commas, and European
 * ones Windows-1252 or UTF-8 with semicolons; nothing in the file says so.
 */

export interface CsvForm {
  /** As `iconv-lite` names it: Node's own decoder knows no more of CP949 than EUC-KR. */
  readonly encoding: string;
  readonly delimiter: string;
}

/** How much of a file is looked at, bytes. */
const SAMPLE = 1024 * 1024;
const DELIMITERS = [',', ';', '\t', '|'] as const;
export const UTF_8 = 'utf-8';

/** @throws UsageError for an encoding that is not known. */
export function encodingNamed(name: string): string {
  const encoding = name.trim().toLowerCase();
  if (!iconv.encodingExists(encoding))
    throw new UsageError(`Option --encoding must be one such as utf-8 or cp949, not '${name}'.`);
  return encoding === 'utf8' ? UTF_8 : encoding;
}

/** @throws UsageError for more than one character. */
export function delimiterNamed(name: string): string {
  const delimiter = /^(tab|\\t)$/i.test(name) ? '\t' : name;
  if (/^[^\w\s"]$|^\t$/.test(delimiter)) return delimiter;
  throw new UsageError(`Option --delimiter must be one character or 'tab', not '${name}'.`);
}

/** Common Korean syllables among the characters of two bytes, from 0 to 1. */
function koreanShare(bytes: Buffer): number {
  let [korean, all] = [0, 0];
  for (let index = 0; index < bytes.length; index += 1) {
    const lead = bytes[index] ?? 0;
    if (lead < 0x80) continue;
    const trail = bytes[index + 1] ?? 0;
    if (lead >= 0xb0 && lead <= 0xc8 && trail >= 0xa1 && trail <= 0xfe) korean += 1;
    all += 1;
    index += 1;
  }
  return all === 0 ? 0 : korean / all;
}

/** UTF-8 where at most half of what is not ASCII is broken: then it is the rows that are. */
function isUtf8(bytes: Buffer): boolean {
  const text = new TextDecoder().decode(bytes, { stream: true });
  const broken = text.split('\uFFFD').length - 1;
  if (broken === 0) return true;
  let others = 0;
  for (const character of text) if (character > '\u007F' && character !== '\uFFFD') others += 1;
  return others >= broken;
}

export function guessedEncoding(bytes: Buffer): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (isUtf8(bytes)) return UTF_8;
  return koreanShare(bytes) >= 0.5 ? 'cp949' : 'windows-1252';
}

/** Returns the delimiter that finds the most columns in the first line. */
export function guessedDelimiter<Column extends string>(
  text: string,
  format: RowFormat<Column>,
): string {
  const [line = ''] = text.trimStart().split(/\r?\n/, 1);
  const found = (delimiter: string): number => {
    const options = { delimiter, relax_quotes: true, relax_column_count: true };
    const [names = []]: string[][] = parse(line.split('"').length % 2 === 1 ? line : '', options);
    return names.filter((name) => columnNamed(name, format)).length;
  };
  return DELIMITERS.reduce<string>(
    (best, delimiter) => (found(delimiter) > found(best) ? delimiter : best),
    ',',
  );
}

/** Returns the given form, and guesses the rest. `tell` gets each unusual guess. */
export async function csvForm<Column extends string>(
  file: string,
  format: RowFormat<Column>,
  given: Partial<CsvForm>,
  tell: (text: string) => void,
): Promise<CsvForm> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SAMPLE), 0, SAMPLE, 0);
    const bytes = buffer.subarray(0, bytesRead);
    const encoding = given.encoding ?? guessedEncoding(bytes);
    const text = iconv.decode(bytes, encoding);
    const delimiter = given.delimiter ?? guessedDelimiter(text, format);
    if (!given.encoding && encoding !== UTF_8)
      tell(`The file looks like ${encoding.toUpperCase()}; --encoding names another encoding.`);
    if (!given.delimiter && delimiter !== ',')
      tell(
        `Columns are separated by ${delimiter === '\t' ? 'tabs' : `'${delimiter}'`}; --delimiter names another.`,
      );
    return { encoding, delimiter };
  } finally {
    await handle.close();
  }
}
