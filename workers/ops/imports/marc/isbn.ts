import { isbn13Of } from '../../../../shared/lending/isbn';
import { fieldsOf, valueOf, type MarcRecord } from '../../marc/record';
import type { MarcPart } from './part';

/** Without what else stands there: `0439023483 (pbk.) : $9.99`. */
const bare = (text: string): string =>
  text
    .replace(/[(:].*$/su, '')
    .replace(/[\s-]/gu, '')
    .toUpperCase();

/** Returns the first ISBN of a MARC record that is valid, or else the first. Pure. */
export function marcIsbn(record: MarcRecord): MarcPart<string> {
  const given = fieldsOf(record, '020').map((field) => ({
    field,
    isbn: bare(valueOf(field, 'a')),
  }));
  const some = given.filter(({ isbn }) => isbn !== '');
  const chosen = some.find(({ isbn }) => isbn13Of(isbn)) ?? some[0];
  return chosen ? { value: chosen.isbn, used: [[chosen.field, 'a']] } : { value: '', used: [] };
}
