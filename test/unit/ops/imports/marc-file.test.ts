import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { marcEncoder } from '../../../../workers/ops/exports/marc-encoder';
import {
  BOOK_COLUMNS,
  cleanBookRow,
  type BookColumn,
} from '../../../../workers/ops/imports/book-row';
import { marcBook } from '../../../../workers/ops/imports/marc/book';
import { readRowFile } from '../../../../workers/ops/imports/row-file';
import { ROW_MAX, type FileRow } from '../../../../workers/ops/imports/row-format';
import { temporaryFolder } from '../../../support/run/cleanup';
import { iso2709, marcXml, type Field } from '../../../support/fixtures/marc';

const FORMAT = { columns: BOOK_COLUMNS, required: [], ofMarc: marcBook } as const;

async function rowsOf(name: string, content: string | Buffer, rows: FileRow<BookColumn>[] = []) {
  const file = join(await temporaryFolder('marc'), name);
  writeFileSync(file, content);
  for await (const row of readRowFile(file, FORMAT)) rows.push(row);
  return rows;
}

const told = ({ line, content }: FileRow<BookColumn>) => [
  line,
  'fault' in content ? content.fault : content.cells.title,
];

const titled = (title: string, ...fields: readonly Field[]): Field[] => [
  ['100', '0 ', 'a', 'Ann Lee,', 'e', 'author.'],
  ['245', '10', 'a', `${title} /`, 'c', 'Ann Lee'],
  ...fields,
];
const korean = titled('채식주의자 <1> & 2');

it('reads ISO 2709 in UTF-8, with or without line breaks between records', async () => {
  const records = [iso2709(korean), Buffer.from('\r\n'), iso2709(titled('Second'))];
  const rows = await rowsOf('books.mrc', Buffer.concat([...records, Buffer.from('\n')]));
  expect(rows.map(told)).toEqual([
    [1, '채식주의자 <1> & 2'],
    [2, 'Second'],
  ]);
  expect(rows[1]?.content).toMatchObject({ cells: { author: 'Ann Lee' }, leftOut: [] });
});

it('refuses a record of ISO 2709 that it cannot read, with the reason, and reads the others', async () => {
  const marc8 = '{}nam  22{}3i 4500';
  const authority = '{}nz  a22{}n  4500';
  const escape = titled('\u001B$1!0!\u001B(B');
  const records = [
    iso2709(titled('Les misérables'), { leader: marc8, encoding: 'latin1' }),
    iso2709(escape, { leader: marc8 }),
    iso2709(titled('Les misérables'), { encoding: 'latin1' }),
    iso2709(titled('ASCII'), { leader: marc8 }),
    iso2709(korean, { leader: authority }),
    iso2709(korean, { leader: '{}dam a22{}3i 4500' }),
    iso2709([['200', '1 ', 'a', '거미여인의 키스', 'f', 'Puig, M.']]),
    Buffer.from('This is no record.\u001D'),
    iso2709(korean).subarray(0, 60),
    Buffer.from('\u001D'),
    Buffer.alloc(ROW_MAX + 1, 'x'),
    Buffer.from('\u001D'),
    iso2709(titled('Last')),
    iso2709(titled('Cut off')).subarray(0, -9),
  ];
  const rows = await rowsOf('books.marc', Buffer.concat(records));
  expect(rows.map(told)).toEqual([
    [1, 'it is in MARC-8: convert the file to UTF-8 first'],
    [2, 'it is in MARC-8: convert the file to UTF-8 first'],
    [3, 'it is not UTF-8 text, although its leader says so'],
    [4, 'ASCII'],
    [5, "it is an authority record, not a title's"],
    [6, 'its leader says that it was deleted'],
    [7, 'it is UNIMARC, not MARC 21'],
    [8, 'its directory does not fit its fields'],
    [9, 'its directory does not fit its fields'],
    [10, 'it is longer than 2 MiB'],
    [11, 'Last'],
    [12, 'its directory does not fit its fields'],
  ]);
});

it.each(['', 'marc:'])('reads MARCXML whose names have the prefix "%s"', async (prefix) => {
  const rows = await rowsOf('books.xml', marcXml([korean, titled('Second')], prefix));
  expect(rows.map(told)).toEqual([
    [1, '채식주의자 <1> & 2'],
    [2, 'Second'],
  ]);
  expect(rows[0]?.content).toMatchObject({ cells: { author: 'Ann Lee' }, leftOut: [] });
});

it('refuses a record of MARCXML that is too long alone', async () => {
  const long = titled('Long', ['505', '0 ', 'a', 'x'.repeat(ROW_MAX)]);
  const rows = await rowsOf('books.marcxml', marcXml([long, titled('Second')]));
  expect(rows.map(told)).toEqual([
    [1, 'it is longer than 2 MiB'],
    [2, 'Second'],
  ]);
});

it('gives the records before XML that is not well-formed, and says where it stops', async () => {
  const rows: FileRow<BookColumn>[] = [];
  const broken = marcXml([titled('First'), titled('Broken'), titled('Last')]).replace(
    'Broken /</subfield>',
    'Broken /',
  );
  await expect(rowsOf('books.xml', broken, rows)).rejects.toThrow(
    /^Reading stopped at line \d+: it is not well-formed XML/,
  );
  expect(rows.map(told)).toEqual([[1, 'First']]);
});

it.each(['SYSTEM "file:///etc/hostname"', '"a text that the file defines"'])(
  'does not look up an entity of MARCXML: %s',
  async (entity) => {
    const asking = marcXml([titled('Title of &own;')])
      .replaceAll('&amp;own;', '&own;')
      .replace('?>', `?>\n<!DOCTYPE collection [<!ENTITY own ${entity}>]>`);
    expect(asking).toContain('&own;');
    await expect(rowsOf('books.xml', asking)).rejects.toThrow(/^Reading stopped at line \d+/);
  },
);

it('says that a file has no records', async () => {
  await expect(rowsOf('empty.mrc', '')).rejects.toThrow('empty.mrc has no MARC records.');
  await expect(rowsOf('other.xml', '<html/>')).rejects.toThrow('other.xml has no MARC records.');
});

describe.each(['mrc', 'xml'] as const)('a title that was exported to %s', (form) => {
  const left = jest.fn();
  const { header, encode, footer = '' } = marcEncoder(form === 'mrc' ? 'iso2709' : 'marcxml');
  beforeEach(() => left.mockReset());

  const plain = {
    ...{ title: 'Dune', author: 'Frank Herbert', isbn: '9780441172719', publicationDate: null },
    ...{ bookImg: 'https://a.example/1.jpg?a=1&b=2', copies: 3, barcodes: ['A 1', 'A,2'] },
  };
  const odd = [
    { title: 'Ends in a mark :', author: 'Ann Lee,', publicationDate: '0099-12-31' },
    { title: 'Ends in another /', author: 'Rowling, J. K.', isbn: null, copies: 0, barcodes: [] },
    { title: '채식주의자 = 𠮷 <b>"&amp;', author: 'Ann et al.', bookImg: null, barcodes: [] },
    { title: 'A : b. N, p.', author: 'Ann Lee, Bo Ek.', publicationDate: '2024-02-29' },
  ];

  it('imports as it was', async () => {
    const titles = [plain, ...odd.map((other) => ({ ...plain, ...other }))];
    const rows = await rowsOf(`books.${form}`, header + encode(titles, left) + footer);
    const warnings: string[] = [];
    const read = rows.map(({ content }) => {
      if ('fault' in content) return content.fault;
      expect(content.leftOut).toEqual([]);
      return cleanBookRow(content.cells, 1, warnings);
    });
    expect([read, warnings]).toEqual([titles, []]);
    expect(left).not.toHaveBeenCalled();
  });

  it('has as many copies as its record has room for, and the others are told', async () => {
    const title = { ...plain, copies: 6000, barcodes: [] };
    const [row] = await rowsOf(`books.${form}`, header + encode([title], left) + footer);
    const kept = row && 'cells' in row.content ? Number(row.content.cells.copies) : NaN;
    if (form === 'xml') {
      expect([kept, left.mock.calls]).toEqual([6000, []]);
      return;
    }
    expect(kept).toBeGreaterThan(4000);
    expect(left.mock.calls).toEqual([['copies that a record has no room for', 6000 - kept]]);
    // One copy more, and it would be too long.
    expect(99_999 - Buffer.byteLength(encode([title], left))).toBeLessThan(25);
  });
});
