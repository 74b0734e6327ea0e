import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { succeeded, uniqueWord } from '../../support/clients/books';
import { Importer, jsonLines, written } from '../../support/clients/importer';
import { openBoard, type Board } from '../../support/clients/posts';
import { temporaryFolder } from '../../support/run/cleanup';

/** `ops import-books`, which registers rows through the API. */

let board: Board;
let importer: Importer;
beforeAll(async () => {
  board = await openBoard();
  importer = new Importer(board.target);
});

describe('an import of books', () => {
  it('registers the rows of JSON Lines, and nothing twice', async () => {
    const word = uniqueWord();
    const rows = [
      {
        title: `${word} one`,
        author: 'Ann',
        isbn: `97${Date.now().toString().slice(-11)}`,
        copies: 2,
      },
      { title: `${word} two`, author: 'Bo' },
      { title: `${word} two`, author: 'Bo', copies: 3 },
      { title: '', author: 'Cy' },
    ];
    const file = await jsonLines(rows);
    expect(await importer.imported('books', file)).toMatchObject({
      counts: { rows: 4, registered: 2, alreadyThere: 0, merged: 1, refused: 1 },
      exitCode: 1,
    });
    expect((await importer.imported('books', file, importer.laterAdmin())).counts).toMatchObject({
      registered: 0,
      alreadyThere: 2,
    });
    const { items } = succeeded(
      await board.call('get', `/api/book-infos?q=${word}&sort=title`),
      200,
    ) as { items: { totalStock: number }[] };
    expect(items.map(({ totalStock }) => totalStock)).toEqual([2, 1]);
  });

  it('adds copies with barcodes, and missing barcodes of an existing book', async () => {
    const word = uniqueWord();
    const [one, two, three] = [1, 2, 3].map((index) => `${word}-${index}`);
    const csv = (barcodes: string) =>
      written('books.csv', `title,author,isbn,copies,barcodes\n${word},Ann,,3,${barcodes}\n`);
    const first = await importer.imported('books', await csv(`${one} ${two}`));
    expect(first).toMatchObject({ counts: { rows: 1, registered: 1 }, exitCode: 0 });
    const second = await importer.imported(
      'books',
      await csv(`"${one}, ${three}"`),
      importer.laterAdmin(),
    );
    expect(second.counts).toMatchObject({ registered: 0, alreadyThere: 1 });
    expect(second.told).toMatch(/^line 2: book \d+ was there and got 1 copies that it lacked$/m);
    const { items } = succeeded(await board.call('get', `/api/book-infos?q=${word}`), 200) as {
      items: { bookInfoId: number }[];
    };
    const { bookInfoId = 0 } = items[0] ?? {};
    const copies = succeeded(
      await board.call('get', `/api/book-infos/${bookInfoId}/books`),
      200,
    ) as { items: { barcode: string | null }[] };
    expect(copies.items).toHaveLength(4);
    // Their order is that of their ids, which each worker takes from blocks of its own.
    expect(new Set(copies.items.map(({ barcode }) => barcode))).toEqual(
      new Set([null, one, two, three]),
    );
    const other = await jsonLines([{ title: `${word} other`, author: 'Bo', barcodes: [one] }]);
    expect(await importer.imported('books', other)).toMatchObject({
      told: expect.stringContaining(
        `line 1: refused: barcode ${one} is on a copy of another title`,
      ),
      exitCode: 1,
    });
  });

  it('reads what a Korean and a European spreadsheet write, and says how it took them', async () => {
    const word = uniqueWord();
    // "title,author,isbn" and a row in Korean, in CP949.
    const korean = Buffer.concat([
      Buffer.from(`title,author,copies\r\n${word} `),
      Buffer.from('c3a4bdc4c1d6c0c7c0da', 'hex'),
      Buffer.from(','),
      Buffer.from('c7d1b0ad', 'hex'),
      Buffer.from(',2\r\n'),
    ]);
    const folder = await temporaryFolder('import');
    const file = join(folder, 'korean.csv');
    writeFileSync(file, korean);
    expect(await importer.imported('books', file)).toMatchObject({
      counts: { rows: 1, registered: 1 },
      told: expect.stringContaining(
        'The file looks like CP949; --encoding names another encoding.',
      ),
    });
    const european = Buffer.from(`title;author\r\n${word} "Müller, né";Ann\r\n`, 'latin1');
    writeFileSync(join(folder, 'european.csv'), european);
    expect(await importer.imported('books', join(folder, 'european.csv'))).toMatchObject({
      counts: { rows: 1, registered: 1 },
      told: expect.stringContaining("Columns are separated by ';'"),
    });
    const { items } = succeeded(
      await board.call('get', `/api/book-infos?q=${word}&sort=title`),
      200,
    ) as { items: { title: string; author: string }[] };
    expect(items.map(({ title, author }) => `${title}|${author}`)).toEqual([
      `${word} "Müller, né"|Ann`,
      `${word} 채식주의자|한강`,
    ]);
  });
});
