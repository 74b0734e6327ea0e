import { isLonger } from '../../../../shared/fields';
import { fieldsOf, valueOf, type MarcField, type MarcRecord } from '../../marc/record';
import type { MarcPart } from './part';
import { oneLine } from '../row-cells';

/** The title of a MARC record: field 245, whose subfields end in the marks of the next. Pure. */

const TITLE_MAX = 255;
/** What stands before a part of a title when the part in front does not end in a mark. */
const MARKS: Readonly<Record<string, string>> = { b: ':', n: '.', p: '.' };
/** Who is responsible: in KORMARC, the first of them has a code of their own. */
export const RESPONSIBLE = ['c', 'd'] as const;

/** Puts a part behind a title: `Dune :` and `a novel` are `Dune: a novel`. */
function joined(title: string, mark: string, part: string): string {
  const [, text = title, own] = /^(.*?)\s*([:;=,.])$/u.exec(title) ?? [];
  return own === '=' ? `${text} = ${part}` : `${text}${own ?? mark} ${part}`;
}

/** Without the slash before who is responsible; where none is, without the mark that ends it. */
function withoutEnd(title: string, isFollowed: boolean): string {
  if (isFollowed && title.endsWith('/')) return title.slice(0, -1).trimEnd();
  const bare = title.replace(/\s*[/:;=,]$/u, '');
  return /(\.|\b\p{L})\.$/u.test(bare) ? bare : bare.replace(/\.$/u, '');
}

function textOf(field: MarcField, codes: string): string {
  let [title, last] = ['', ''];
  for (const [code, value] of field.subfields) {
    const part = oneLine(value);
    if (!codes.includes(code) || part === '') continue;
    // The name of a part is separated from its number by a comma.
    const mark = code === 'p' && last === 'n' ? ',' : (MARKS[code] ?? '.');
    title = title === '' ? part : joined(title, mark, part);
    last = code;
  }
  // Where the remainder is left out, the mark before it is left.
  const isFollowed = codes.includes('b') && RESPONSIBLE.some((code) => valueOf(field, code) !== '');
  return withoutEnd(title, isFollowed);
}

/** Without what follows a colon when the whole is too long. */
export function marcTitle(record: MarcRecord): MarcPart<string> {
  const [field] = fieldsOf(record, '245');
  if (!field) return { value: '', used: [] };
  const whole = textOf(field, 'abnp');
  if (!isLonger(whole, TITLE_MAX)) return { value: whole, used: [[field, 'abnp']] };
  return { value: textOf(field, 'anp'), used: [[field, 'anp']] };
}
