import { Marc } from 'marcjs';
import { OpsError } from '../../command';
import { FIRST_DATA_FIELD, marcForm, type MarcField, type MarcRecord } from '../../marc/record';
import { piecesOf } from '../file-pieces';
import { readMarcXml } from './xml-records';
import { TOO_LONG, type FileRow, type RowFormat } from '../row-format';

/** Reads a file of MARC 21 records, each of which is a row with its number as its line. */

const [ESCAPE, FIELD_END, RECORD_END] = [0x1b, 0x1e, 0x1d];
const LEADER = 24;
/** Bytes of an entry of the directory: tag, length and start of a field. */
const ENTRY = 12;
/** Types of records, the seventh character of a leader, that are no titles. */
const OTHER_RECORDS: Readonly<Record<string, string>> = {
  ...{ u: 'a holdings record', v: 'a holdings record', x: 'a holdings record' },
  ...{ y: 'a holdings record', z: 'an authority record', w: 'a classification record' },
  q: 'a community record',
};

type Content<Column extends string> = FileRow<Column>['content'];
type OfMarc<Column extends string> = NonNullable<RowFormat<Column>['ofMarc']>;

/**
 * Returns whether each entry of the directory leads to a field, which the library takes for
 * granted.
 */
function isWhole(bytes: Buffer): boolean {
  const base = bytes.toString('latin1', 12, 17);
  const fields = Number(base);
  const entries = (fields - LEADER - 1) / ENTRY;
  if (!/^\d{5}$/.test(base) || !Number.isInteger(entries) || entries < 1) return false;
  if (bytes[fields - 1] !== FIELD_END) return false;
  return Array.from({ length: entries }, (_, index) => LEADER + index * ENTRY).every((at) => {
    const [length, start] = [at + 3, at + 7].map((from, which) =>
      Number(bytes.toString('latin1', from, which === 0 ? at + 7 : at + ENTRY)),
    );
    return bytes[fields + (start ?? NaN) + (length ?? NaN) - 1] === FIELD_END;
  });
}

/** Returns why the bytes are not UTF-8; null when they are. */
function encodingFault(bytes: Buffer): string | null {
  const saysUtf8 = bytes[9] === 'a'.charCodeAt(0);
  const fault = saysUtf8
    ? 'it is not UTF-8 text, although its leader says so'
    : 'it is in MARC-8: convert the file to UTF-8 first';
  if (bytes.includes(ESCAPE)) return fault;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return null;
  } catch {
    return fault;
  }
}

function fieldOf([tag = '', ...rest]: readonly string[]): MarcField {
  if (tag < FIRST_DATA_FIELD) return { tag, indicators: '', subfields: [['', rest[0] ?? '']] };
  const [indicators = '', ...parts] = rest;
  const subfields = parts.flatMap((part, index): [string, string][] =>
    index % 2 === 0 ? [[part, parts[index + 1] ?? '']] : [],
  );
  return { tag, indicators, subfields };
}

function recordContent<Column extends string>(
  record: MarcRecord,
  ofMarc: OfMarc<Column>,
): Content<Column> {
  const [status, type] = [record.leader[5] ?? '', record.leader[6] ?? ''];
  const other = OTHER_RECORDS[type];
  if (other) return { fault: `it is ${other}, not a title's` };
  if (status === 'd') return { fault: 'its leader says that it was deleted' };
  const has = (tag: string) => record.fields.some((field) => field.tag === tag);
  if (has('200') && !has('245')) return { fault: 'it is UNIMARC, not MARC 21' };
  return ofMarc(record);
}

function isoContent<Column extends string>(bytes: Buffer, ofMarc: OfMarc<Column>): Content<Column> {
  if (!isWhole(bytes)) return { fault: 'its directory does not fit its fields' };
  const fault = encodingFault(bytes);
  if (fault !== null) return { fault };
  const { leader, fields } = Marc.parse(bytes, 'iso2709');
  return recordContent({ leader, fields: fields.map(fieldOf) }, ofMarc);
}

async function* readIsoRows<Column extends string>(
  file: string,
  ofMarc: OfMarc<Column>,
): AsyncGenerator<FileRow<Column>, void, undefined> {
  let line = 0;
  for await (const { bytes, end } of piecesOf(file, RECORD_END)) {
    // Some programs begin a line after each record.
    const record = bytes && bytes.subarray(bytes.findIndex((byte) => byte > 0x20) >>> 0);
    if (record?.length === 0) continue;
    line += 1;
    yield { line, bytes: end, content: record ? isoContent(record, ofMarc) : { fault: TOO_LONG } };
  }
}

async function* readXmlRows<Column extends string>(
  file: string,
  ofMarc: OfMarc<Column>,
): AsyncGenerator<FileRow<Column>, void, undefined> {
  let line = 0;
  for await (const { record, end } of readMarcXml(file)) {
    line += 1;
    const content = record ? recordContent(record, ofMarc) : { fault: TOO_LONG };
    yield { line, bytes: end, content };
  }
}

/**
 * Reads a file of MARC records. A record that is none does no harm to the others of an ISO 2709
 * file. @throws OpsError for a file without records, or XML that is not well-formed.
 */
export async function* readMarcRows<Column extends string>(
  file: string,
  ofMarc: OfMarc<Column>,
): AsyncGenerator<FileRow<Column>, void, undefined> {
  let rows = 0;
  const read = marcForm(file) === 'iso2709' ? readIsoRows : readXmlRows;
  for await (const row of read(file, ofMarc)) {
    rows += 1;
    yield row;
  }
  if (rows === 0) throw new OpsError(`${file} has no MARC records.`);
}
