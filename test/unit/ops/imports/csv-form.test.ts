import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  csvForm,
  delimiterNamed,
  encodingNamed,
  guessedDelimiter,
  guessedEncoding,
} from '../../../../workers/ops/imports/csv-form';
import { readRowFile } from '../../../../workers/ops/imports/row-file';
import { temporaryFolder } from '../../../support/run/cleanup';

/** Which encoding and delimiter a CSV file has, told from its bytes. */

const FORMAT = {
  columns: ['title', 'author', 'copies'],
  required: [['title'], ['author']],
} as const;

/** As Korean Excel writes it, in CP949: 채식주의자, 82년생 김지영, 똠방각하. */
const KOREAN = Buffer.from(
  [
    ...['7469746c652c617574686f722c636f706965730d0ac3a4bdc4c1d6c0c7c0da2cc7d1b0ad2c320d0a22'],
    ...['3832b3e2bbfd20b1e8c1f6bfb52c20bcd2bcb3222cc1b6b3b2c1d62c310d0a8c63b9e6b0a2c7cf2c'],
    ...['c3d6b1e2c0ce2c310d0a'],
  ].join(''),
  'hex',
);
const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le');

async function read(bytes: Buffer) {
  const file = join(await temporaryFolder('form'), 'rows.csv');
  writeFileSync(file, bytes);
  const told: string[] = [];
  const form = await csvForm(file, FORMAT, {}, (text) => told.push(text));
  const rows = [];
  for await (const { line, content } of readRowFile(file, FORMAT, form))
    rows.push([line, 'cells' in content ? content.cells.title : content.fault]);
  return { form, told, rows };
}

describe('a CSV file', () => {
  it('of Korean Excel is CP949 with commas', async () => {
    expect(await read(KOREAN)).toEqual({
      form: { encoding: 'cp949', delimiter: ',' },
      told: ['The file looks like CP949; --encoding names another encoding.'],
      rows: [
        [2, '채식주의자'],
        [3, '82년생 김지영, 소설'],
        [4, '똠방각하'],
      ],
    });
  });

  it.each([
    ['Straße', 'Groß'],
    ['Ärger', 'Älter Ümläut'],
    ['Cœur brisé', 'Zoé'],
    ['Año', 'Núñez'],
  ])('of European Excel is Windows-1252 with semicolons: %s', async (title, author) => {
    const text = `title;author\n${title};${author}\n`.replace('œ', '\u009c');
    expect(await read(Buffer.from(text, 'latin1'))).toMatchObject({
      form: { encoding: 'windows-1252', delimiter: ';' },
      rows: [[2, title]],
    });
  });

  it('is UTF-8 without a message, even with a BOM or cut within a character', async () => {
    for (const text of ['title,author\nÉmile,한\n', '\uFEFFtitle,author\nÉmile,b\n'])
      expect(await read(Buffer.from(text))).toEqual({
        form: { encoding: 'utf-8', delimiter: ',' },
        told: [],
        rows: [[2, 'Émile']],
      });
    expect(guessedEncoding(Buffer.from('title 한').subarray(0, -1))).toBe('utf-8');
  });

  it('is UTF-16 by its BOM, with tabs', async () => {
    expect(await read(utf16('title\tauthor\n한글\tb\n'))).toMatchObject({
      form: { encoding: 'utf-16le', delimiter: '\t' },
      rows: [[2, '한글']],
    });
  });
});

describe('the delimiter', () => {
  it.each([
    ['title;author;copies', ';'],
    ['"title";"author"', ';'],
    ['title\tauthor', '\t'],
    ['title|author', '|'],
    ['title,author;copies', ','],
    ['name of the book', ','],
  ])('of the first line %j is %j', (line, delimiter) => {
    expect(guessedDelimiter(`${line}\nx;y;z\n`, FORMAT)).toBe(delimiter);
  });

  it('is one character or the word tab', () => {
    expect(['tab', ';', '\t'].map(delimiterNamed)).toEqual(['\t', ';', '\t']);
    for (const name of ['', ';;', 'x', '"'])
      expect(() => delimiterNamed(name)).toThrow('--delimiter');
  });
});

it('an encoding is given by any name that people know', () => {
  expect(['CP949', 'euc-kr', 'UTF8', 'UTF-8'].map(encodingNamed)).toEqual([
    ...['cp949', 'euc-kr', 'utf-8', 'utf-8'],
  ]);
  expect(() => encodingNamed('klingon')).toThrow("not 'klingon'");
});
