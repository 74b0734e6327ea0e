import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { services } from '../../../shared/services';
import { commands } from '../../../workers/ops/commands';
import { run } from '../../../workers/ops/run';
import { succeeded, uniqueWord } from '../../support/clients/books';
import { temporaryFolder } from '../../support/run/cleanup';
import { openCampus, type Campus, type Course } from '../../support/clients/courses';
import { captured, ops } from '../../support/service/ops';
import { openBoard, type Board, type Post } from '../../support/clients/posts';

/** `ops import-posts`, `import-courses` and `import-books`, which register rows through the API. */

type Row = Readonly<Record<string, unknown>>;
type Counts = Readonly<
  Record<'rows' | 'registered' | 'alreadyThere' | 'merged' | 'warnings' | 'refused', number>
>;

async function written(name: string, content: string): Promise<string> {
  const file = join(await temporaryFolder('import'), name);
  writeFileSync(file, content);
  return file;
}

const jsonLines = (rows: readonly Row[]) =>
  written('rows.jsonl', rows.map((row) => JSON.stringify(row)).join('\n'));
const none: Counts = {
  rows: 0,
  registered: 0,
  alreadyThere: 0,
  merged: 0,
  warnings: 0,
  refused: 0,
};

let board: Board;
let campus: Campus;
beforeAll(async () => {
  board = await openBoard();
  campus = await openCampus();
});

const argumentsOf = (things: string, file: string, token = board.target.admin) => [
  `import-${things}`,
  file,
  '--url',
  board.target.url,
  '--token',
  token,
  '--json',
];

/** The counts of an import, its remarks and its exit code. */
async function imported(
  things: string,
  file: string,
  token?: string,
): Promise<{ counts: Counts; told: string; exitCode: number }> {
  const { exitCode, stdout, stderr } = await ops(...argumentsOf(things, file, token));
  return { counts: JSON.parse(stdout) as Counts, told: stderr, exitCode };
}

/**
 * An administrator whose Idempotency-Keys are other ones, as if those of an earlier import had
 * expired.
 */
const laterAdmin = () => board.target.token({ isAdmin: true });

describe('an import of posts', () => {
  const postsOf = (userId: number) => board.allPages<Post>(`/posts?userId=${userId}`, 100);

  it('registers the rows of a CSV file, and refuses bad ones with line, column and rule', async () => {
    const [userId, tag] = [board.target.newUserId(), uniqueWord()];
    const rows = [
      'title,content,tags,userId,shelf',
      `First,"two\nlines, and a comma","c++, ${tag}",${userId},x`,
      `,No title,,${userId},x`,
      `Second,Text,${'t'.repeat(51)},${userId},x`,
      `Third,Text,,${userId},x`,
      `Third,Text,,${userId},y`,
      'Short,Text',
    ];
    const { counts, told, exitCode } = await imported(
      'posts',
      await written('posts.csv', rows.join('\n')),
    );
    expect(counts).toEqual({ ...none, rows: 6, registered: 2, merged: 1, refused: 3 });
    expect(exitCode).toBe(1);
    expect(told).toMatch(/^line 4: refused: title must not be empty$/m);
    expect(told).toMatch(/^line 5: refused: tags\[0\] must have at most 50 characters$/m);
    expect(told).toMatch(/^line 7: same post as line 6$/m);
    expect(told).toMatch(/^line 8: refused: it has 2 fields and the first line has 5$/m);
    const posts = await postsOf(userId);
    expect(posts.map(({ title, content, tags }) => [title, content, tags]).sort()).toEqual([
      ['First', 'two\nlines, and a comma', ['c++', tag]],
      ['Third', 'Text', []],
    ]);
    expect(await board.find(`c++,${tag}`)).toHaveLength(1);
  });

  it('that is run again makes nothing twice, also when no key is remembered any more', async () => {
    const userId = board.target.newUserId();
    const rows = Array.from({ length: 120 }, (_, index) => ({
      title: ` Post  ${index}`,
      content: 'Text\n',
      tags: ['Caf\u0065\u0301', 'b'],
      userId,
    }));
    const file = await jsonLines(rows);
    expect(await imported('posts', file)).toMatchObject({
      counts: { ...none, rows: 120, registered: 120 },
      exitCode: 0,
    });
    for (const token of [undefined, laterAdmin()]) {
      expect(await imported('posts', file, token)).toMatchObject({
        counts: { ...none, rows: 120, alreadyThere: 120 },
        exitCode: 0,
      });
    }
    expect(await postsOf(userId)).toHaveLength(120);
  });

  it('that is started twice at the same time makes nothing twice', async () => {
    const userId = board.target.newUserId();
    const file = await jsonLines(
      Array.from({ length: 80 }, (_, index) => ({
        title: `Post ${index}`,
        content: 'Text',
        userId,
      })),
    );
    const { result } = await captured(() =>
      Promise.all([
        run(argumentsOf('posts', file), commands, services),
        run(argumentsOf('posts', file), commands, services),
      ]),
    );
    expect(result).toEqual([0, 0]);
    expect(await postsOf(userId)).toHaveLength(80);
  });

  it('soon after an earlier one makes a post again that was deleted since, and not one that was changed', async () => {
    const userId = board.target.newUserId();
    const token = board.target.admin;
    const file = await jsonLines(
      ['kept', 'changed', 'deleted'].map((title) => ({ title, content: 'Text', userId })),
    );
    await imported('posts', file);
    const [deleted, changed] = ['deleted', 'changed'].map(
      async (wanted) => (await postsOf(userId)).find(({ title }) => title === wanted)?.postId ?? 0,
    );
    succeeded(await board.call('delete', `/posts/${await deleted}`, { token }), 204);
    succeeded(
      await board.call('patch', `/posts/${await changed}`, { token, body: { title: 'Other' } }),
      200,
    );
    expect((await imported('posts', file)).counts).toEqual({
      ...none,
      rows: 3,
      registered: 1,
      alreadyThere: 2,
    });
    expect((await postsOf(userId)).map(({ title }) => title).sort()).toEqual([
      'Other',
      'deleted',
      'kept',
    ]);
  });
});

describe('an import of courses', () => {
  const coursesOf = (userId: number) => campus.allPages<Course>(`/courses?userId=${userId}`, 100);
  const videos = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      title: `Video ${index + 1}`,
      url: `https://video.example/${index + 1}`,
    }));
  const titlesOf = async (courseId: number) =>
    (await campus.videos(courseId)).map(({ position, title }) => `${position} ${title}`);

  it('registers the rows of a CSV file, and refuses bad ones with line, column and rule', async () => {
    const { userId } = await campus.knownReader('lecturer');
    const { userId: nobody } = await campus.knownReader();
    const rows = [
      'CourseName,userId,capacity',
      `Chess,${userId},5`,
      `Go,${userId},`,
      `Shogi,${userId},0`,
      `Checkers,${nobody},`,
      `Chess,${userId},`,
    ];
    const { counts, told, exitCode } = await imported(
      'courses',
      await written('courses.csv', rows.join('\r\n')),
    );
    expect(counts).toEqual({ ...none, rows: 5, registered: 2, merged: 1, refused: 2 });
    expect(exitCode).toBe(1);
    expect(told).toMatch(/^line 4: refused: capacity must be at least 1, got 0$/m);
    expect(told).toMatch(
      /^line 5: refused: the service answers 400 LECTURER_REQUIRED \(userId must be a lecturer/m,
    );
    expect(told).toMatch(/^line 6: same lecturer and name as line 2$/m);
    expect(
      (await coursesOf(userId)).map(({ courseName, capacity }) => [courseName, capacity]).sort(),
    ).toEqual([
      ['Chess', 5],
      ['Go', null],
    ]);
  });

  it('that is run again makes no course and no video twice, also when no key is remembered any more', async () => {
    const { userId } = await campus.knownReader('lecturer');
    const rows = Array.from({ length: 12 }, (_, index) => ({
      courseName: `Course ${index}`,
      userId,
      videos: videos(index),
    }));
    const file = await jsonLines(rows);
    expect(await imported('courses', file)).toMatchObject({
      counts: { ...none, rows: 12, registered: 12 },
      exitCode: 0,
    });
    for (const token of [undefined, laterAdmin()])
      expect(await imported('courses', file, token)).toMatchObject({
        counts: { ...none, rows: 12, alreadyThere: 12 },
        exitCode: 0,
      });
    const courses = await coursesOf(userId);
    expect(courses.map(({ courseName, videoCount }) => [courseName, videoCount]).sort()).toEqual(
      rows.map((row) => [row.courseName, row.videos.length]).sort(),
    );
    const { courseId = 0 } = courses.find(({ videoCount }) => videoCount === 11) ?? {};
    expect(await titlesOf(courseId)).toEqual(
      videos(11).map(({ title }, index) => `${index + 1} ${title}`),
    );
  });

  it('that is started twice at the same time makes no course and no video twice', async () => {
    const { userId } = await campus.knownReader('lecturer');
    const file = await jsonLines(
      Array.from({ length: 10 }, (_, index) => ({
        courseName: `Course ${index}`,
        userId,
        videos: videos(4),
      })),
    );
    const { result } = await captured(() =>
      Promise.all([
        run(argumentsOf('courses', file), commands, services),
        run(argumentsOf('courses', file), commands, services),
      ]),
    );
    expect(result).toEqual([0, 0]);
    expect((await coursesOf(userId)).map(({ videoCount }) => videoCount)).toEqual(
      Array.from({ length: 10 }, () => 4),
    );
  });

  it('sets the status of its row, and whether the last video completes it', async () => {
    const { userId } = await campus.knownReader('lecturer');
    const rows = [
      'courseName,userId,status,completesAutomatically,videos',
      `Chess,${userId},archived,true,"[{""title"":""One"",""url"":""https://video.example/1""}]"`,
      `Go,${userId},,,`,
      `Shogi,${userId},shut,,`,
    ];
    const { counts, told } = await imported('courses', await written('c.csv', rows.join('\n')));
    expect(counts).toEqual({ ...none, rows: 3, registered: 2, refused: 1 });
    expect(told).toMatch(/^line 4: refused: status must be one of /m);
    const shown = (await coursesOf(userId)).map(
      ({ courseName, status, completesAutomatically, videoCount }) =>
        [courseName, status, completesAutomatically, videoCount] as const,
    );
    expect(shown.sort()).toEqual([
      ['Chess', 'archived', true, 1],
      ['Go', 'open', false, 0],
    ]);
  });

  it('completes a course that is there with the videos that it lacks, and leaves the rest of it alone', async () => {
    const lecturer = await campus.knownReader('lecturer');
    const { courseId, courseName } = await campus.registered({ capacity: 3 }, lecturer);
    for (const video of [
      videos(3)[0],
      { title: 'Own', url: 'https://video.example/own' },
      { ...videos(3)[1], durationSeconds: 60 },
    ])
      await campus.addedVideo(courseId, video);
    const file = await jsonLines([
      { courseName, userId: lecturer.userId, capacity: 9, videos: videos(4) },
    ]);
    const { counts, told } = await imported('courses', file);
    expect(counts).toEqual({ ...none, rows: 1, alreadyThere: 1 });
    expect(told).toContain(
      `line 1: course ${courseId} was there and got 2 of 4 videos that it lacked`,
    );
    expect(await titlesOf(courseId)).toEqual([
      '1 Video 1',
      '2 Own',
      '3 Video 2',
      '4 Video 3',
      '5 Video 4',
    ]);
    expect(await campus.detail(courseId)).toMatchObject({ capacity: 3, videoCount: 5 });
  });
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
    expect(await imported('books', file)).toMatchObject({
      counts: { rows: 4, registered: 2, alreadyThere: 0, merged: 1, refused: 1 },
      exitCode: 1,
    });
    expect((await imported('books', file, laterAdmin())).counts).toMatchObject({
      registered: 0,
      alreadyThere: 2,
    });
    const { items } = succeeded(
      await board.call('get', `/api/book-infos?q=${word}&sort=title`),
      200,
    ) as { items: { totalStock: number }[] };
    expect(items.map(({ totalStock }) => totalStock)).toEqual([2, 1]);
  });

  it('gives copies their barcodes, and a book that is there those that it lacks', async () => {
    const word = uniqueWord();
    const [one, two, three] = [1, 2, 3].map((index) => `${word}-${index}`);
    const csv = (barcodes: string) =>
      written('books.csv', `title,author,isbn,copies,barcodes\n${word},Ann,,3,${barcodes}\n`);
    const first = await imported('books', await csv(`${one} ${two}`));
    expect(first).toMatchObject({ counts: { rows: 1, registered: 1 }, exitCode: 0 });
    const second = await imported('books', await csv(`"${one}, ${three}"`), laterAdmin());
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
    expect(await imported('books', other)).toMatchObject({
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
    expect(await imported('books', file)).toMatchObject({
      counts: { rows: 1, registered: 1 },
      told: expect.stringContaining(
        'The file looks like CP949; --encoding names another encoding.',
      ),
    });
    const european = Buffer.from(`title;author\r\n${word} "Müller, né";Ann\r\n`, 'latin1');
    writeFileSync(join(folder, 'european.csv'), european);
    expect(await imported('books', join(folder, 'european.csv'))).toMatchObject({
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

it('an import ends with a sentence when the service refuses the token, and changes nothing', async () => {
  const { userId, token } = board.newReader();
  const file = await jsonLines([
    { title: 'Title', content: 'Text', userId: board.target.newUserId() },
  ]);
  const { exitCode, stderr } = await ops(...argumentsOf('posts', file, token));
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining('The service refuses the token (403 FORBIDDEN'),
  ]);
  const own = await jsonLines([{ title: 'Title', content: 'Text', userId }]);
  expect((await imported('posts', own, token)).counts.registered).toBe(1);
});
