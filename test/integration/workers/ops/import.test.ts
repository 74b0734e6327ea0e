import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child, ROOT } from '../../../support/service/child';
import { temporaryFolder } from '../../../support/run/cleanup';
import { Library, newIsbn13, uniqueWord, type BookInfo } from '../../../support/clients/books';
import { Campus } from '../../../support/clients/courses';
import {
  INSTALLATIONS,
  startService,
  type Installation,
} from '../../../support/service/start-service';
import { Board, type Post } from '../../../support/clients/posts';
import { amount, sampleOf } from '../../../support/run/amount';
import { audit } from '../../../support/check/storm-check';
import { waitUntil } from '../../../support/wait';

/**
 * Imports as an operator starts them: a program of its own, beside the service, that finds
 * everything by its environment.
 */

const KILLS = amount(1, 3);
/** How many rows later each kill comes. */
const STEP = 150;

async function jsonLines(rows: readonly object[]): Promise<string> {
  const file = join(await temporaryFolder('import'), 'rows.jsonl');
  writeFileSync(file, rows.map((row) => JSON.stringify(row)).join('\n'));
  return file;
}

describe.each(sampleOf(INSTALLATIONS, 'embedded'))('an import beside the service (%s)', (name) => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await startService({ on: name });
  });

  const importing = (things: string, file: string, ...options: string[]): Child =>
    new Child({
      name: `import-${things}`,
      command: process.execPath,
      args: [
        join(ROOT, 'dist/workers/ops/main.js'),
        `import-${things}`,
        file,
        '--url',
        installation.target.url,
        '--json',
        ...options,
      ],
      env: installation.env,
    });

  it("takes the names of lecturers from the database, in any case, and no name that is nobody's or that several have", async () => {
    const campus = new Campus(installation.target);
    const lecturer = await campus.knownReader('lecturer');
    const user = await campus.knownReader();
    const twin = { role: 'lecturer', username: 'The Twins' } as const;
    for (const reader of [campus.newReader(twin), campus.newReader(twin)])
      await campus.taken({ ...reader, username: twin.username });
    const names = [
      lecturer.username.toUpperCase(),
      user.username,
      'the twins',
      `  ${lecturer.username} `,
    ];
    const child = importing(
      'courses',
      await jsonLines(names.map((of, index) => ({ courseName: `Course ${index}`, lecturer: of }))),
    );
    expect(await child.exited).toMatchObject({ code: 1 });
    expect(child.output).toContain(`line 2: refused: lecturer '${user.username}' is not there`);
    expect(child.output).toContain(
      `line 3: refused: lecturer 'the twins' is the name of 2: userId is needed`,
    );
    const { body } = await campus.call('get', `/courses?userId=${lecturer.userId}&sort=courseName`);
    expect((body.items as { courseName: string }[]).map(({ courseName }) => courseName)).toEqual([
      'Course 0',
      'Course 3',
    ]);
  });

  /**
   * Kills an import, each time some rows later, and lets it end then. `made`: how many things there
   * are. It has few rows under way, so that a kill which comes late still finds some left.
   */
  async function killedAndEnded(
    things: string,
    rows: readonly object[],
    made: () => Promise<number>,
  ): Promise<void> {
    const file = await jsonLines(rows);
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const child = importing(things, file, '--concurrency', '16');
      await waitUntil(`${kill * STEP} rows`, 60_000, async () => (await made()) >= kill * STEP);
      await child.kill();
    }
    expect(await made()).toBeLessThan(rows.length);
    const last = importing(things, file);
    expect(await last.exited).toEqual({ code: 0, signal: null });
    const { registered, alreadyThere } = JSON.parse(
      /^\{.*"registered".*\}$/m.exec(last.output)?.[0] ?? '{}',
    ) as { registered: number; alreadyThere: number };
    expect(registered + alreadyThere).toBe(rows.length);
    expect(alreadyThere).toBeGreaterThanOrEqual(KILLS * STEP);
  }

  it('that is killed again and again, and started again, registers every row once', async () => {
    const board = new Board(installation.target);
    const author = board.target.newUserId();
    const rows = Array.from({ length: amount(1000, 2000) }, (_, index) => ({
      title: `Post ${index}`,
      content: 'Text',
      tags: [`tag ${index % 7}`],
      userId: author,
    }));
    await killedAndEnded(
      'posts',
      rows,
      async () =>
        (await board.call('get', `/posts?userId=${author}&size=1`)).body.totalItems as number,
    );
    const posts = await board.allPages<Post>(`/posts?userId=${author}`, 100);
    expect(posts.map(({ title }) => title).sort()).toEqual(rows.map(({ title }) => title).sort());
    await audit(installation.env);
  }, 240_000);

  it('of books, which are sent together, registers every row once as well', async () => {
    const library = new Library(installation.target);
    const author = uniqueWord();
    const rows = Array.from({ length: amount(1500, 3000) }, (_, index) => ({
      title: `Book ${index}`,
      author,
      isbn: newIsbn13(),
      copies: 2,
    }));
    const path = `/api/book-infos?author=${author}`;
    await killedAndEnded(
      'books',
      rows,
      async () => (await library.call('get', `${path}&size=1`)).body.totalItems as number,
    );
    const titles = await library.allPages<BookInfo>(path, 100);
    expect(titles.map(({ isbn }) => isbn).sort()).toEqual(rows.map(({ isbn }) => isbn).sort());
    expect(titles.filter(({ totalStock }) => totalStock !== 2)).toEqual([]);
    await audit(installation.env);
  }, 240_000);
});
