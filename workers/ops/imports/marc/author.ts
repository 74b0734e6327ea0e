import { fieldsOf, valueOf, type MarcField, type MarcRecord } from '../../marc/record';
import type { MarcPart } from './part';
import { RESPONSIBLE } from './title';
import { oneLine } from '../row-cells';

/** The authors of a MARC record, in the order and form in which a title page has them. Pure. */

const MAIN = ['100', '110', '111'] as const;
const ADDED = ['700', '710', '711'] as const;
const AUTHOR = /^(joint |co-?)?author|^aut$|^지은이|^저자/iu;

/** Without the mark that ends a name: a comma, or a full stop that is none of an abbreviation. */
function withoutMark(name: string): string {
  if (name.endsWith(',')) return name.slice(0, -1).trimEnd();
  const isShort = /(^|[\s.-])\p{L}\.$|\b(al|etc|Jr|Sr)\.$/iu.test(name);
  return isShort ? name : name.replace(/\.$/u, '');
}

/** `Rowling, J. K.` is `J. K. Rowling` where the field says that a surname comes first. */
function nameOf(field: MarcField): string {
  const name = withoutMark(oneLine(valueOf(field, 'a')));
  const part = oneLine(valueOf(field, 'b'));
  if (!/00$/.test(field.tag)) return part === '' ? name : `${name}. ${withoutMark(part)}`;
  const [surname = '', given, ...more] = name.split(/,\s*/u);
  if (field.indicators.startsWith('1') && given && more.length === 0) return `${given} ${surname}`;
  return part === '' ? name : `${name} ${withoutMark(part)}`;
}

/** Returns the codes of the roles of a name that say that it is an author. */
const rolesOf = ({ subfields }: MarcField): string[] =>
  subfields.flatMap(([code, role]) => ('e4'.includes(code) && AUTHOR.test(role) ? [code] : []));

/** Returns whether an added entry is an author: of the title itself, and nothing else. */
function isAuthor(field: MarcField): boolean {
  if (valueOf(field, 't') !== '') return false;
  const roles = field.subfields.filter(([code]) => code === 'e' || code === '4');
  return roles.every(([, role]) => AUTHOR.test(role));
}

/** Returns who is responsible, in the words of the title page. */
function responsible(record: MarcRecord): MarcPart<string> {
  const [title] = fieldsOf(record, '245');
  const code = RESPONSIBLE.find((one) => valueOf(title, one) !== '');
  if (!title || code === undefined) return { value: '', used: [] };
  const words = oneLine(valueOf(title, code)).replace(/^\[?by\]?\s+/iu, '');
  return { value: withoutMark(words), used: [[title, code]] };
}

export function marcAuthor(record: MarcRecord): MarcPart<string> {
  const fields = [
    ...fieldsOf(record, ...MAIN),
    ...fieldsOf(record, ...ADDED).filter((field) => isAuthor(field)),
  ];
  const names = [...new Set(fields.map(nameOf))].filter((name) => name !== '');
  const words = responsible(record);
  if (names.length === 0) return words;
  const value = names.join(', ');
  return {
    value,
    used: [
      ...fields.map((field) => [field, `ab${rolesOf(field).join('')}`] as const),
      // The same in the words of the title page is no loss.
      ...(words.value === withoutMark(value) ? words.used : []),
    ],
  };
}
