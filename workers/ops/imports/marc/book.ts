import { fieldsOf, valueOf, type MarcField, type MarcRecord } from '../../marc/record';
import type { BookColumn } from '../book-row';
import { marcAuthor } from './author';
import { marcCopies } from './copies';
import { marcDate } from './date';
import { marcIsbn } from './isbn';
import { marcTitle } from './title';
import type { MarcPart } from './part';
import type { RawCells } from '../row-format';

/** Makes the cells of a title out of a MARC record, and says what has no place in them. Pure. */

/** Fields that describe the record and not the title. */
const OF_THE_RECORD = new Set(['001', '003', '005', '008']);
const COVER = /\b(cover|jacket)\b|표지/i;

/** Returns the address of a picture of the cover, which is one of the links of a record. */
function marcCover(record: MarcRecord): MarcPart<string> {
  const cover = fieldsOf(record, '856').find((link) =>
    ['3', 'y', 'z'].some((code) => COVER.test(valueOf(link, code))),
  );
  return { value: valueOf(cover, 'u'), used: cover ? [[cover, 'u3yz']] : [] };
}

/** Fields of which nothing was used, by their tags; of the others, the subfields that were not. */
function leftOut(record: MarcRecord, parts: readonly MarcPart<unknown>[]): string[] {
  const codesOf = new Map<MarcField, string>();
  for (const [field, codes] of parts.flatMap(({ used }) => used))
    codesOf.set(field, (codesOf.get(field) ?? '') + codes);
  return record.fields.flatMap((field) => {
    const [{ tag, subfields }, codes] = [field, codesOf.get(field)];
    if (OF_THE_RECORD.has(tag)) return [];
    if (codes === undefined) return [tag];
    return subfields.flatMap(([code]) => (codes.includes(code) ? [] : [`${tag}$${code}`]));
  });
}

/** Returns the cells that `import-books` would find in a row. */
export function marcBook(record: MarcRecord): {
  readonly cells: RawCells<BookColumn>;
  readonly leftOut: readonly string[];
} {
  const [title, author, isbn] = [marcTitle(record), marcAuthor(record), marcIsbn(record)];
  const [date, cover, copies] = [marcDate(record), marcCover(record), marcCopies(record)];
  return {
    cells: {
      ...{ title: title.value, author: author.value, isbn: isbn.value },
      ...{ publicationdate: date.value, bookimg: cover.value },
      ...copies.value,
    },
    leftOut: leftOut(record, [title, author, isbn, date, cover, copies]),
  };
}
