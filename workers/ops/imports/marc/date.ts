import { fieldsOf, valueOf, type MarcRecord } from '../../marc/record';
import type { MarcPart } from './part';

/** When the title of a MARC record was published: the day, where the record has it. Pure. */

/** Kinds of dates of field 008 that are none. */
const UNKNOWN = ['b', 'n', '|'];
/** The kind of date whose second half is month and day. */
const DETAILED = 'e';

/** Returns the date of field 008: kind, first and second date. */
function codedDate(record: MarcRecord): string | null {
  const coded = valueOf(fieldsOf(record, '008')[0], '');
  const [kind, first, second] = [coded.slice(6, 7), coded.slice(7, 11), coded.slice(11, 15)];
  if (UNKNOWN.includes(kind) || !/^(?!0000|9999)\d{4}$/.test(first)) return null;
  const day = `${first}-${second.slice(0, 2)}-${second.slice(2)}`;
  const isDay = kind === DETAILED && /^\d{4}$/.test(second) && !Number.isNaN(Date.parse(day));
  return isDay ? day : first;
}

/** Returns what the record says in words: `London : 1997.`, `©1997`, `[1997?]`. */
function statedYear(record: MarcRecord): string {
  const dates = fieldsOf(record, '264', '260').map((field) => valueOf(field, 'c'));
  const found = dates.map((date) => /(?<!\d)\d{4}(?!\d)/.exec(date)?.[0] ?? '');
  return found.find((year) => year !== '') ?? '';
}

export function marcDate(record: MarcRecord): MarcPart<string> {
  const used = fieldsOf(record, '264', '260').map((field) => [field, 'c'] as const);
  return { value: codedDate(record) ?? statedYear(record), used };
}
