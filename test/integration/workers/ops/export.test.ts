import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Library, succeeded, uniqueWord } from '../../../support/clients/books';
import { sampleOf } from '../../../support/run/amount';
import { temporaryFolder } from '../../../support/run/cleanup';
import { Campus } from '../../../support/clients/courses';
import {
  INSTALLATIONS,
  startService,
  type Installation,
} from '../../../support/service/start-service';
import { runOps } from '../../../support/service/ops-program';
import { OpsShell } from '../../../support/service/ops-shell';
import { Board } from '../../../support/clients/posts';
import { audit } from '../../../support/check/storm-check';

/**
 * Exports as an operator starts them, and what becomes of them in an empty installation: books with
 * barcodes, posts with a tag that was renamed, courses in every status.
 */

const THINGS = ['books', 'posts', 'courses'] as const;
const FORMS = {
  books: ['csv', 'jsonl', 'mrc', 'xml'],
  posts: ['csv', 'jsonl'],
  courses: ['csv', 'jsonl'],
};

async function exported(shell: OpsShell): Promise<Record<string, string>> {
  const folder = await temporaryFolder('export');
  const files: Record<string, string> = {};
  for (const things of THINGS)
    for (const form of FORMS[things]) {
      const file = join(folder, `${things}.${form}`);
      expect(await shell.run(`export-${things}`, file)).toMatchObject({ code: 0 });
      expect(statSync(file).mode & 0o777).toBe(0o600);
      files[`${things}.${form}`] = file;
    }
  return files;
}

/** The rows of a file in an order that does not depend on ids. */
const rowsOf = (file = '') =>
  readFileSync(file, 'utf8')
    .replace(/\r?\n$/, '')
    // Lines, or records of ISO 2709 or MARCXML.
    .split(file.endsWith('.mrc') ? '\u001D' : /<\/?record>|\r?\n(?=[^\n<])/)
    .sort();

async function makeBooks(library: Library): Promise<number[]> {
  const plain = await library.registered({ copies: 3, publicationDate: '0099-12-31' });
  const odd = await library.registered({
    ...{ title: '=1+1; "채식주의자", 2', author: "O'Neil, Ann", isbn: null, bookImg: null },
    ...{ publicationDate: null, copies: 0 },
  });
  const path = (id: number) => `/api/book-infos/${id}/books`;
  const labels = [`${uniqueWord()} 1`, `${uniqueWord()},2`];
  succeeded(await library.manage('post', path(plain.bookInfoId), { barcodes: labels }), 201);
  const { items } = succeeded(
    await library.manage('post', path(odd.bookInfoId), { count: 2 }),
    201,
  ) as { items: { bookId: number }[] };
  succeeded(
    await library.setCopyStatus(
      { bookInfoId: odd.bookInfoId, bookId: items[0]?.bookId ?? 0 },
      'LOST',
    ),
    200,
  );
  return [plain.bookInfoId, odd.bookInfoId];
}

async function makePosts(board: Board): Promise<void> {
  const [former, name] = [uniqueWord(), uniqueWord()];
  await board.posted({ title: 'A post', content: 'two\r\nlines, "quoted"', tags: [former, 'c++'] });
  await board.posted({ title: '한글', content: ' 본문\n', tags: [] });
  succeeded(await board.rename(former, name), 200);
}

async function makeCourses(campus: Campus): Promise<string[]> {
  const lecturers = [await campus.knownReader('lecturer'), await campus.knownReader('lecturer')];
  for (const status of ['open', 'closed', 'archived']) {
    const fields = { capacity: status === 'open' ? null : 5, completesAutomatically: true };
    const { courseId } = await campus.registered(fields, lecturers[0]);
    for (const video of [1, 2])
      await campus.addedVideo(courseId, {
        ...{ title: `Video ${video}`, url: `https://video.example/${video}` },
        durationSeconds: video === 1 ? 60 : null,
      });
    succeeded(await campus.manage('patch', `/courses/${courseId}`, { status }), 200);
  }
  await campus.registered({}, lecturers[1]);
  return lecturers.map(({ username }) => username);
}

describe.each(sampleOf(INSTALLATIONS, 'embedded'))('an export (%s)', (name) => {
  let source: Installation;
  let target: Installation;
  let titles: number[];
  let atSource: OpsShell;
  let atTarget: OpsShell;
  beforeAll(async () => {
    source = await startService({ on: name });
    target = await startService({ on: name });
    [atSource, atTarget] = [new OpsShell(source.env), new OpsShell(target.env)];
    titles = await makeBooks(new Library(source.target));
    await makePosts(new Board(source.target));
    const campus = new Campus(target.target);
    for (const username of await makeCourses(new Campus(source.target)))
      succeeded(
        await campus.taken({ ...campus.newReader({ role: 'lecturer', username }), username }),
        200,
      );
  }, 180_000);

  const imported = async (things: string, file: string) => {
    const url = target.target.url;
    const args = [`import-${things}`, file, '--url', url, '--json'];
    // Within a process, a book that is sent again is answered as it was the first time.
    const { code, output, json } = await (things === 'books'
      ? runOps(target.env, ...args)
      : atTarget.run(...args));
    expect({ code, output }).toMatchObject({ code: 0 });
    return json;
  };

  it('of books, posts and courses imports into an empty installation to an equal export', async () => {
    const files = await exported(atSource);
    for (const things of THINGS) {
      const rows = rowsOf(files[`${things}.jsonl`]).length;
      expect(await imported(things, files[`${things}.csv`] ?? '')).toMatchObject({
        ...{ rows, registered: rows, warnings: 0 },
      });
      for (const form of FORMS[things].slice(1))
        expect(await imported(things, files[`${things}.${form}`] ?? '')).toMatchObject({
          ...{ rows, registered: 0, alreadyThere: rows },
        });
    }
    const again = await exported(atTarget);
    for (const file of Object.keys(files)) expect(rowsOf(again[file])).toEqual(rowsOf(files[file]));
    await audit(target.env);
  }, 240_000);

  it('tells what it leaves out, and never writes over a file', async () => {
    const file = join(await temporaryFolder('export'), 'books.csv');
    const { output } = await atSource.run('export-books', file);
    expect(output).toContain('Left out: 1 copies that are lost, damaged or withdrawn.');
    expect(output).toContain(`2 books in ${file}`);
    expect(await atSource.run('export-books', file)).toMatchObject({
      code: 1,
      output: expect.stringContaining('already exists'),
    });
  }, 60_000);

  it('that was cut off goes on where it stopped, and comes to the same', async () => {
    const folder = await temporaryFolder('export');
    const [whole, rest] = [join(folder, 'whole.jsonl'), join(folder, 'rest.jsonl')];
    await atSource.run('export-books', whole);
    const text = readFileSync(whole);
    const bytes = text.indexOf('\n') + 1;
    // A step and the half of the next were written, and the first is known.
    writeFileSync(`${rest}.part`, text.subarray(0, bytes + 20), { mode: 0o600 });
    writeFileSync(`${rest}.resume`, JSON.stringify({ after: titles[0], rows: 1, bytes }));
    const { code, output } = await atSource.run('export-books', rest);
    expect([code, output]).toEqual([0, expect.stringContaining('Continuing after 1 books.')]);
    expect(readFileSync(rest)).toEqual(text);
    expect(() => statSync(`${rest}.resume`)).toThrow('ENOENT');
  }, 60_000);

  it('of borrows has open and closed ones, with their readers', async () => {
    const library = new Library(source.target);
    const [reader, bookInfoId] = [library.newReader(), titles[0] ?? 0];
    const closed = await library.borrowed(reader, { bookInfoId });
    const { returnedAt } = await library.returned(reader, { bookInfoId });
    const open = await library.borrowed(reader, { bookInfoId });
    const file = join(await temporaryFolder('export'), 'borrows.jsonl');
    await atSource.run('export-borrows', file);
    const { isbn } = (await library.detail(bookInfoId)) as { isbn: string };
    const kept = (borrow: typeof open) =>
      Object.fromEntries(
        Object.entries({ ...borrow, isbn }).filter(([column]) => column !== 'overdue'),
      );
    expect(
      readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([{ ...kept(closed), returnedAt, status: 'RETURNED' }, kept(open)]);
  }, 60_000);
});
