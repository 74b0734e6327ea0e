import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { LineNumbers } from '../../../../workers/ops/imports/line-numbers';
import { readRowFile } from '../../../../workers/ops/imports/row-file';
import { ROW_MAX, type FileRow } from '../../../../workers/ops/imports/row-format';
import { temporaryFolder } from '../../../support/run/cleanup';

const COLUMNS = ['title', 'author', 'isbn', 'copies'] as const;
type Row = FileRow<(typeof COLUMNS)[number]>;
const FORMAT = { columns: COLUMNS, required: [['title'], ['author', 'isbn']] } as const;
const fixture = (name: string) => join(__dirname, '../../../support/fixtures', name);

async function rowsOf(file: string, rows: Row[] = []): Promise<Row[]> {
  for await (const row of readRowFile(file, FORMAT)) rows.push(row);
  return rows;
}

async function written(name: string, content: string | Buffer): Promise<string> {
  const file = join(await temporaryFolder('rows'), name);
  writeFileSync(file, content);
  return file;
}

const faultOf = ({ content }: Row) => ('fault' in content ? content.fault : undefined);

describe('a CSV file', () => {
  it('is read with BOM, quotes, lines inside of quotes and blank lines, each row with the line where it begins', async () => {
    const rows = await rowsOf(fixture('books-plain.csv'));
    expect(rows.map(({ line }) => line)).toEqual([3, 5, 6, 7, 10]);
    const titles = rows.map(({ content }) =>
      'cells' in content ? content.cells.title : content.fault,
    );
    expect(titles).toEqual([
      'A title\r\non two lines',
      'it has 2 fields and the first line has 7',
      'She said "no", twice',
      'A 5" disk',
      'Last',
    ]);
  });

  it('gives the columns that are known, whatever their case, and no others', async () => {
    const [first] = await rowsOf(fixture('books-plain.csv'));
    expect(first?.content).toEqual({
      cells: { title: 'A title\r\non two lines', author: 'Ann Lee', isbn: '', copies: '3' },
    });
  });

  it('gives the rows before a quote that is never closed, and says where it opens', async () => {
    const rows: Row[] = [];
    await expect(rowsOf(fixture('books-open-quote.csv'), rows)).rejects.toThrow(
      'Reading stopped at line 3',
    );
    expect(rows.map(({ line }) => line)).toEqual([2]);
  });

  it('needs its columns, one of each group, and says which it has', async () => {
    await expect(rowsOf(await written('a.csv', 'author,name\nAnn,x\n'))).rejects.toThrow(
      'The first line names no title column; it has: author, name.',
    );
    await expect(rowsOf(await written('b.csv', 'title\nx\n'))).rejects.toThrow(
      'The first line names no author column',
    );
    expect(await rowsOf(await written('c.csv', 'TITLE,isbn\nx,1\n'))).toHaveLength(1);
    await expect(rowsOf(await written('d.csv', '\n'))).rejects.toThrow('d.csv is empty.');
  });

  it('refuses a row in another encoding alone, and names the column', async () => {
    const rows = await rowsOf(
      await written(
        'latin.csv',
        Buffer.concat([
          Buffer.from('title,author,shelf\nThé,Zoë,x\n'),
          Buffer.from('Café,Ann,x\nTea,Bo,é\n', 'latin1'),
        ]),
      ),
    );
    expect(rows.map(faultOf)).toEqual([undefined, 'title is not UTF-8 text', undefined]);
  });

  it('refuses a row with a field of 3 MB alone, and one column that is named twice', async () => {
    const long = `title,author\nA,b\n"${'x'.repeat(3_000_000)}",c\nD,e\n`;
    const rows = await rowsOf(await written('long.csv', long));
    expect(rows.map((row) => [row.line, faultOf(row)])).toEqual([
      [2, undefined],
      [3, 'it is longer than 2 MiB'],
      [4, undefined],
    ]);
    await expect(rowsOf(await written('twice.csv', 'title,Title,author\nA,b,c\n'))).rejects.toThrow(
      'The first line names the column title twice.',
    );
  });
});

describe('a JSON Lines file', () => {
  it('is read with BOM and blank lines, each row with its line and its values as they are', async () => {
    const rows = await rowsOf(
      await written(
        'rows.jsonl',
        '\uFEFF{"Title":"Emma","isbn":42,"shelf":"x"}\r\n\n  \n{"title":["a"],"TITLE":"b","author":null}',
      ),
    );
    expect(rows).toEqual([
      { line: 1, bytes: 43, content: { cells: { title: 'Emma', isbn: 42 } } },
      { line: 4, bytes: 88, content: { cells: { title: ['a'], author: null } } },
    ]);
  });

  it.each([
    ['{"title":', /^it is not JSON: /],
    ['["Emma"]', /^it is not a JSON object$/],
    ['null', /^it is not a JSON object$/],
    [Buffer.from('{"title":"Café"}', 'latin1'), /^it is not UTF-8 text$/],
    [`{"title":"${'x'.repeat(ROW_MAX)}"}`, /^it is longer than 2 MiB$/],
  ])('refuses %.20s alone', async (line, fault) => {
    const good = Buffer.from('{"title":"good"}');
    const lineFeed = Buffer.from('\n');
    const rows = await rowsOf(
      await written(
        'rows.ndjson',
        Buffer.concat([good, lineFeed, Buffer.from(line), lineFeed, good]),
      ),
    );
    expect(rows.map((row) => [row.line, faultOf(row)])).toEqual([
      [1, undefined],
      [2, expect.stringMatching(fault)],
      [3, undefined],
    ]);
  });

  it('takes the longest row, however its bytes are cut', async () => {
    const title = '가'.repeat(Math.floor((ROW_MAX - '{"title":""}'.length) / 3));
    const rows = await rowsOf(await written('rows.jsonl', `{"title":"${title}"}\n`.repeat(3)));
    expect(rows.map(({ content }) => 'cells' in content && content.cells.title === title)).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('without content is reported as empty', async () => {
    await expect(rowsOf(await written('rows.jsonl', '\n \n'))).rejects.toThrow(
      'rows.jsonl is empty.',
    );
  });
});

describe('line numbers', () => {
  it('are those of the rows however the bytes are cut', async () => {
    const text = '\n\r\none\r\n\r\ntwo\n\n\n"three\r\nfour"\nfive';
    for (const size of [1, 2, 3, 7, 100]) {
      const lines = new LineNumbers();
      const parts = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
        Buffer.from(text.slice(index * size, (index + 1) * size)),
      );
      const passed = (await Readable.from(parts).pipe(lines).toArray()) as Buffer[];
      expect(Buffer.concat(passed).toString()).toBe(text);
      const ends = [0, text.indexOf('one') + 5, text.indexOf('two') + 4, text.indexOf('four') + 6];
      expect(ends.map((end) => lines.lineAt(end))).toEqual([3, 5, 8, 10]);
    }
  });
});
