import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { succeeded, uniqueWord } from '../../support/clients/books';
import { temporaryFolder } from '../../support/run/cleanup';
import { iso2709, marcXml, type Field } from '../../support/fixtures/marc';
import { ops } from '../../support/service/ops';
import { openBoard, type Board } from '../../support/clients/posts';

/** `ops import-books` of MARC 21: records as other library systems write them. */

/** Real titles with their authors, each of whom has a surname. */
const catalogue = (count: number) =>
  readFileSync(join(__dirname, '../../support/fixtures/catalogue.tsv'), 'utf8')
    .trim()
    .split('\n')
    .map((row) => row.split('\t'))
    .flatMap(([title = '', author = '']) => (/^[^,]+ \S+$/.test(author) ? { title, author } : []))
    .slice(0, count);
const surnameFirst = (name: string) => name.replace(/^(.*) (\S+)$/, '$2, $1');

let board: Board;
beforeAll(async () => {
  board = await openBoard();
});

const call = (things: string, file: string, ...options: string[]) => {
  const { url, admin } = board.target;
  return ops(`import-${things}`, file, '--url', url, '--token', admin, '--json', ...options);
};

async function imported(file: string) {
  const { exitCode, stdout, stderr } = await call('books', file);
  return { counts: JSON.parse(stdout) as object, told: stderr, exitCode };
}

it('reads the records of other library systems in ISO 2709 and MARCXML, and counts what it leaves out', async () => {
  const word = uniqueWord();
  const records = catalogue(100).map(({ title, author }, index): Field[] => [
    ['001', `ocm${index}`],
    ['008', `250101s${1900 + index}    nyu           000 1 eng d`],
    ['100', '1 ', 'a', `${surnameFirst(author)},`, 'e', 'author.'],
    ['245', '10', 'a', `${title} ${word} :`, 'b', '소설 /', 'c', `${author}.`],
    ['300', '  ', 'a', '317 pages ;', 'c', '23 cm'],
    ['650', ' 0', 'a', 'Fiction.'],
    ['952', '  ', '0', '0', 'p', `${word}-${index}`, 'y', 'BK'],
    ['952', '  ', '1', '2', 'p', `${word}-lost-${index}`],
  ]);
  const folder = await temporaryFolder('import');
  const [iso, xml] = [join(folder, 'books.mrc'), join(folder, 'books.xml')];
  const marc8 = iso2709([['245', '00', 'a', 'Misérables']], {
    ...{ leader: '{}nam  22{}3i 4500', encoding: 'latin1' },
  });
  writeFileSync(iso, Buffer.concat([marc8, ...records.map((record) => iso2709(record))]));
  writeFileSync(xml, marcXml(records, 'marc:'));
  const left = { '300': 100, '650': 100, '952': 100, '952$0': 100, '952$y': 100 };
  const first = await imported(iso);
  expect(first).toMatchObject({
    counts: { rows: 101, registered: 100, refused: 1, leftOut: left },
    told: expect.stringContaining('record 1: refused: it is in MARC-8'),
    exitCode: 1,
  });
  expect(await imported(xml)).toMatchObject({
    counts: { rows: 100, registered: 0, alreadyThere: 100, leftOut: left },
    exitCode: 0,
  });
  const { author = '', title = '' } = catalogue(100)[7] ?? {};
  const copy = succeeded(await board.call('get', `/api/books/${word}-7`), 200);
  const { bookInfoId } = copy as { bookInfoId: number };
  expect(succeeded(await board.call('get', `/api/book-infos/${bookInfoId}`), 200)).toMatchObject({
    ...{ title: `${title} ${word}: 소설`, author, publicationDate: '1907-01-01' },
    ...{ totalStock: 1, availableStock: 1 },
  });
  expect((await board.call('get', `/api/books/${word}-lost-7`)).status).toBe(404);
}, 240_000);

it('reads MARC only for books, and not in another encoding', async () => {
  const file = join(await temporaryFolder('import'), 'books.mrc');
  writeFileSync(file, '');
  const { exitCode, stderr } = await call('posts', file);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('which only has books')]);
  const other = await call('books', file, '--encoding', 'cp949');
  expect([other.exitCode, other.stderr]).toEqual([
    2,
    expect.stringContaining('Option --encoding is for CSV files: MARC is always UTF-8.'),
  ]);
});
