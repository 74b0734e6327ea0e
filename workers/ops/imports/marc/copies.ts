import { fieldsOf, NO_COPY, valueOf, type MarcField, type MarcRecord } from '../../marc/record';
import type { BookColumn } from '../book-row';
import type { MarcPart } from './part';
import type { RawCells } from '../row-format';

/**
 * The copies of a MARC record. Koha writes an item as field 952; others write items as fields 876,
 * or locations with a barcode or the number of a copy as fields 852. Pure.
 */

/** Fields of items, the most particular first, and what makes such a field a copy. */
const ITEMS = [
  { tag: '952', isCopy: () => true },
  { tag: '876', isCopy: () => true },
  { tag: '852', isCopy: (field: MarcField) => barcodeOf(field) + copyNumber(field) !== '' },
];
/** What Koha keeps of an item that cannot be lent: withdrawn, lost, damaged. */
const UNLENDABLE = ['0', '1', '4'];

const barcodeOf = (field: MarcField): string => valueOf(field, 'p').trim();
const copyNumber = (field: MarcField): string => valueOf(field, 't').trim();

function canBeLent(field: MarcField): boolean {
  if (field.tag === '852') return barcodeOf(field) !== '' || copyNumber(field) !== NO_COPY;
  const isSet = (code: string) => !['', '0'].includes(valueOf(field, code).trim());
  return field.tag !== '952' || !UNLENDABLE.some(isSet);
}

/** No cells where the record has no copies: then it says nothing of their number. */
export function marcCopies(
  record: MarcRecord,
): MarcPart<Pick<RawCells<BookColumn>, 'copies' | 'barcodes'>> {
  const found = ITEMS.map(({ tag, isCopy }) => fieldsOf(record, tag).filter(isCopy));
  const fields = found.find((some) => some.length > 0) ?? [];
  if (fields.length === 0) return { value: {}, used: [] };
  const copies = fields.filter(canBeLent);
  const barcodes = copies.map(barcodeOf).filter((barcode) => barcode !== '');
  const different = [...new Set(barcodes)];
  return {
    value: {
      copies: String(copies.length - barcodes.length + different.length),
      barcodes: different,
    },
    // A copy that cannot be lent is left out as a whole; that there is none is no copy.
    used: fields
      .filter((field) => canBeLent(field) || copyNumber(field) === NO_COPY)
      .map((field) => [field, 'pt'] as const),
  };
}
