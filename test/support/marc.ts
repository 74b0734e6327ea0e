/** Writes MARC 21 records byte by byte, as the standards say and without the program's library. */

export type Field = readonly [tag: string, ...rest: string[]];

/** A record of a book in UTF-8; `{}` are replaced by lengths. */
const LEADER = '{}nam a22{}3i 4500';
const [END, RECORD_END, CODE] = ['\u001E', '\u001D', '\u001F'];

const number = (value: number, digits: number) => String(value).padStart(digits, '0');

/** `['245', '10', 'a', 'Dune /', 'c', 'Frank Herbert.']` as ISO 2709 has it, up to its end. */
const textOf = ([, first = '', ...rest]: Field): string =>
  rest.length === 0
    ? first
    : first + rest.map((part, index) => (index % 2 === 0 ? CODE + part : part)).join('');

/** ISO 2709, in an encoding of Node's. */
export function iso2709(
  fields: readonly Field[],
  { leader = LEADER, encoding = 'utf8' }: { leader?: string; encoding?: BufferEncoding } = {},
): Buffer {
  const texts = fields.map((field) => Buffer.from(textOf(field) + END, encoding));
  let start = 0;
  const directory = fields.map(([tag], index) => {
    const length = texts[index]?.length ?? 0;
    start += length;
    return tag + number(length, 4) + number(start - length, 5);
  });
  const base = 24 + directory.length * 12 + 1;
  const [before = '', between = '', after = ''] = leader.split('{}');
  const head = before + number(base + start + 1, 5) + between + number(base, 5) + after;
  return Buffer.concat([
    Buffer.from(head + directory.join('') + END, 'latin1'),
    ...texts,
    Buffer.from(RECORD_END),
  ]);
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** MARCXML of records, with a prefix on each name where one is given. */
export function marcXml(records: readonly (readonly Field[])[], prefix = ''): string {
  const element = (name: string, attributes: string, text: string) =>
    `<${prefix}${name}${attributes}>${text}</${prefix}${name}>`;
  const fieldOf = ([tag, first = '', ...rest]: Field): string => {
    if (rest.length === 0) return element('controlfield', ` tag="${tag}"`, escaped(first));
    const values = rest.flatMap((code, index) =>
      index % 2 === 0 ? element('subfield', ` code="${code}"`, escaped(rest[index + 1] ?? '')) : [],
    );
    // The order of attributes is free.
    const attributes = ` ind2="${first[1] ?? ' '}" ind1="${first[0] ?? ' '}"\n tag='${tag}'`;
    return element('datafield', attributes, values.join('\n'));
  };
  const all = records.map((fields) =>
    element(
      'record',
      '',
      element('leader', '', LEADER.replaceAll('{}', '00000')) + fields.map(fieldOf).join('\n'),
    ),
  );
  const name = prefix === '' ? 'xmlns' : `xmlns:${prefix.slice(0, -1)}`;
  const collection = ` ${name}="http://www.loc.gov/MARC21/slim"`;
  return `<?xml version="1.0"?>\n${element('collection', collection, all.join('\n'))}\n`;
}
