import { Marc } from 'marcjs';
import { MARC_RECORD_MAX, NO_COPY } from '../marc/record';
import type { BookRow } from './book-row';
import type { Encoder } from './export-command';

/**
 * Writes titles as MARC 21 records, which `import-books` reads back as they were. A record has no
 * control number, for ids differ between installations.
 */

/** A new record of a printed book, in UTF-8, with the marks of ISBD. */
const LEADER = '00000nam a2200000 i 4500';
/** What field 008 has besides the date: no place, nothing said of the book, no language. */
const CODED = { entered: '000000', rest: 'xx |||||||||||||| ||und d' };
/** Bytes of an entry of the directory, and of what ends a field and a record. */
const [ENTRY, FIELD_END, ENDS] = [12, 1, 2];
const NO_INDICATORS = '  ';

type Field = string[];

/** Returns the date to the day, which is kind `e` of field 008. */
const codedDate = (date: string | null): string =>
  date === null ? 'nuuuuuuuu' : `e${date.replaceAll('-', '')}`;

function fieldsOf({ title, author, isbn, publicationDate, bookImg }: BookRow): {
  readonly before: Field[];
  readonly after: Field[];
} {
  return {
    before: [
      ['008', `${CODED.entered}${codedDate(publicationDate)}${CODED.rest}`],
      ...(isbn === null ? [] : [['020', NO_INDICATORS, 'a', isbn]]),
      // A name as it is spoken, which the first indicator says. The comma ends it.
      ['100', '0 ', 'a', `${author},`, 'e', 'author.'],
      ['245', '10', 'a', `${title} /`, 'c', author],
      ...(publicationDate === null ? [] : [['264', ' 1', 'c', publicationDate]]),
    ],
    after: bookImg === null ? [] : [['856', '42', '3', 'Cover image', 'u', bookImg]],
  };
}

/** Returns a field for each copy: its barcode, or else its number. */
function copyFields({ copies, barcodes }: BookRow): Field[] {
  if (copies === 0) return [['852', NO_INDICATORS, 't', NO_COPY]];
  return Array.from({ length: copies }, (_, index) => {
    const barcode = barcodes[index];
    return barcode === undefined
      ? ['852', NO_INDICATORS, 't', String(index + 1)]
      : ['852', NO_INDICATORS, 'p', barcode];
  });
}

function sizeOf([, ...values]: Field): number {
  const codes = values.length > 1 ? (values.length - 1) / 2 : 0;
  return ENTRY + Buffer.byteLength(values.join('')) + codes + FIELD_END;
}

/** As many of the copies as the record has room for. */
function fitting(fields: readonly Field[], copies: readonly Field[]): readonly Field[] {
  const sizes = fields.map(sizeOf);
  let room = MARC_RECORD_MAX - LEADER.length - ENDS - sizes.reduce((sum, size) => sum + size, 0);
  return copies.filter((copy) => {
    room -= sizeOf(copy);
    return room >= 0;
  });
}

/** Writes titles in a form of MARC. */
export function marcEncoder(form: 'iso2709' | 'marcxml'): Encoder<BookRow> {
  const isXml = form === 'marcxml';
  return {
    header: isXml
      ? '<?xml version="1.0" encoding="UTF-8"?>\n<collection xmlns="http://www.loc.gov/MARC21/slim">\n'
      : '',
    encode: (rows, left) =>
      rows
        .map((row) => {
          const { before, after } = fieldsOf(row);
          const all = copyFields(row);
          const copies = isXml ? all : fitting([...before, ...after], all);
          if (copies.length < all.length)
            left('copies that a record has no room for', all.length - copies.length);
          return Marc.format({ leader: LEADER, fields: [...before, ...copies, ...after] }, form);
        })
        .join(''),
    footer: isXml ? '</collection>\n' : '',
  };
}
