import { join } from 'node:path';
import { Readable } from 'node:stream';
import { readBookFile, type FileRow } from '../../../workers/ops/book-file';
import { LineNumbers } from '../../../workers/ops/line-numbers';

const fixture = (name: string) => join(__dirname, '../../support/fixtures', name);

async function readAll(name: string): Promise<FileRow[]> {
  const rows: FileRow[] = [];
  for await (const row of readBookFile(fixture(name))) rows.push(row);
  return rows;
}

describe('a file of books', () => {
  it('is read with BOM, quotes, lines inside of quotes and blank lines, each row with the line where it begins', async () => {
    const rows = await readAll('books-plain.csv');
    expect(rows.map(({ line }) => line)).toEqual([3, 5, 6, 7, 10]);
    const titles = rows.map(({ content }) => ('cells' in content ? content.cells.title : content.fault));
    expect(titles).toEqual(['A title\r\non two lines', 'it has 2 fields and the first line has 7', 'She said "no", twice', 'A 5" disk', 'Last']);
  });

  it('gives the columns that are known, whatever their case, and no others', async () => {
    const [first] = await readAll('books-plain.csv');
    expect(first?.content).toEqual({
      cells: { title: 'A title\r\non two lines', author: 'Ann Lee', isbn: '', publicationdate: '1999-05-05', bookimg: '', copies: '3' },
    });
  });

  it('gives the rows before a quote that is never closed, and says where it opens', async () => {
    const rows: FileRow[] = [];
    const reading = (async () => {
      for await (const row of readBookFile(fixture('books-open-quote.csv'))) rows.push(row);
    })();
    await expect(reading).rejects.toThrow('Reading stopped at line 3');
    expect(rows.map(({ line }) => line)).toEqual([2]);
  });
});

describe('line numbers', () => {
  it('are those of the rows however the bytes are cut', async () => {
    const text = '\n\r\none\r\n\r\ntwo\n\n\n"three\r\nfour"\nfive';
    for (const size of [1, 2, 3, 7, 100]) {
      const lines = new LineNumbers();
      const parts = Array.from({ length: Math.ceil(text.length / size) }, (_, index) => Buffer.from(text.slice(index * size, (index + 1) * size)));
      const passed = (await Readable.from(parts).pipe(lines).toArray()) as Buffer[];
      expect(Buffer.concat(passed).toString()).toBe(text);
      const ends = [0, text.indexOf('one') + 5, text.indexOf('two') + 4, text.indexOf('four') + 6];
      expect(ends.map((end) => lines.lineAt(end))).toEqual([3, 5, 8, 10]);
    }
  });
});
