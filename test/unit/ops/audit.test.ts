import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sequelize } from 'sequelize-typescript';
import { connectDatabase } from '../../../shared/database/connect';
import { migrate } from '../../../shared/database/migrate';
import { outcomesSince } from '../../../workers/ops/audit-checks';
import { ops } from '../../support/service/ops';

const HOUR_MS = 3600 * 1000;
/** One for all rows: what was made at once must say so. */
const NOW = Date.now();
const ago = (hours: number) =>
  new Date(NOW - hours * HOUR_MS).toISOString().replace('T', ' ').replace('Z', ' +00:00');
const outcome = (id: string, borrowId: number, hours: number) => {
  const ending = JSON.stringify({
    status: 'succeeded',
    created: true,
    result: JSON.stringify({ borrowId, title: 'A "quoted" title' }),
  });
  return `INSERT INTO command_outcome (command_id, type, owner_id, request_id, ending, created_at, completed_at) VALUES ('${id}', 'lending.borrow-book', 1, 'r', '${ending}', '${ago(hours)}', '${ago(hours)}')`;
};
const borrow = (id: number, user: number, copy: number, hours: number, status = 'BORROWED') =>
  `INSERT INTO book_user (id, user_id, book_id, book_info_id, status, borrowed_at, due_at, returned_at)
   VALUES (${id}, ${user}, ${copy}, 1, '${status}', '${ago(hours)}', '${ago(-1)}', ${status === 'RETURNED' ? `'${ago(0)}'` : 'NULL'})`;

const hold = (id: number, user: number, status: string, copy: number | null = null) =>
  `INSERT INTO book_hold (id, user_id, book_info_id, book_id, status, line_no, placed_at, expires_at, closed_at)
   VALUES (${id}, ${user}, 2, ${copy ?? 'NULL'}, '${status}', ${id}, '${ago(9)}', '${ago(-9)}', ${status === 'EXPIRED' ? `'${ago(1)}'` : 'NULL'})`;

/**
 * Title 1 with copies 1 to 5: two on loan, one withdrawn, one deleted; a borrow older than any
 * outcome kept. Title 2 with a copy set aside for hold 1, a damaged one, and hold 2 in line. A
 * course of two videos and two places, both taken, and user 2 waits. A post with tags 1, 2 and one
 * that became 2, and one with tag 1.
 */
const LIBRARY = [
  ...[1, 2, 3].map(
    (id) =>
      `INSERT INTO user (id, username, role, created_at) VALUES (${id}, 'u${id}', 'user', '${ago(90)}')`,
  ),
  `INSERT INTO author VALUES (1, 'a', 'a')`,
  `INSERT INTO book_info (id, book_title, book_bookAuthor, total_stock, available_stock, search_title, created_at, modified_at)
   VALUES (1, 't', 1, 3, 1, 't', '${ago(90)}', '${ago(90)}'), (2, 'held', 1, 2, 0, 'held', '${ago(90)}', '${ago(90)}')`,
  `INSERT INTO book (id, book_info_id, available, status, deleted_at) VALUES (1, 1, 0, 'ON_LOAN', NULL), (2, 1, 0, 'ON_LOAN', NULL), (3, 1, 1, 'AVAILABLE', NULL), (4, 1, 0, 'WITHDRAWN', NULL),
   (5, 1, 0, 'AVAILABLE', '${ago(50)}'), (6, 2, 0, 'ON_HOLD', NULL), (7, 2, 0, 'DAMAGED', NULL)`,
  hold(1, 1, 'READY', 6),
  hold(2, 2, 'WAITING'),
  hold(3, 1, 'EXPIRED', 6),
  `INSERT INTO courses (id, user_id, course_name, capacity, subscriber_count, video_count, search_name, created_at, modified_at, waiting_count)
   VALUES (1, 1, 'c', 2, 2, 2, 'c', '${ago(90)}', '${ago(90)}', 1)`,
  `INSERT INTO course_waitlist VALUES (4, 1, 2, 1, '${ago(8)}')`,
  ...[1, 2].map(
    (id) =>
      `INSERT INTO course_video VALUES (${id}, 1, 'v', 'https://v', ${id}, NULL, '${ago(90)}')`,
  ),
  ...['in_progress', 'cancelled', 'completed'].map(
    (status, index) =>
      `INSERT INTO user_courses VALUES (${index + 1}, ${index + 1}, 1, '${status}', '${ago(9)}', '${ago(9)}', NULL)`,
  ),
  `INSERT INTO tag (id, name, folded, post_count, merged_into) VALUES (1, 'Java', 'java', 2, NULL), (2, 'spring', 'spring', 1, NULL), (3, 'boot', 'boot', 0, 2)`,
  `INSERT INTO post (id, user_id, title, content, tags, created_at) VALUES (1, 1, 't', 'c', '["Java","spring","boot"]', '${ago(9)}'), (2, 99, 't', 'c', '["JAVA"]', '${ago(8)}'), (3, 99, 't', 'c', '[]', '${ago(8)}')`,
  ...[
    [1, 1, 1, 9],
    [1, 2, 1, 9],
    [2, 1, 99, 8],
  ].map(
    ([post, tag, user, hours]) =>
      `INSERT INTO post_tag VALUES (${post}, ${tag}, ${user}, '${ago(hours ?? 0)}')`,
  ),
  `INSERT INTO search_word VALUES ('title', 't', 1), ('title', 'held', 2), ('author', 'a', 1)`,
  `INSERT INTO borrow_day VALUES (1, 1, 2), (4, 1, 1)`,
  borrow(1, 1, 1, 3),
  borrow(2, 2, 2, 2),
  borrow(3, 3, 3, 80, 'RETURNED'),
  outcome('c1', 1, 3),
  outcome('c2', 2, 2),
  `INSERT INTO command_outcome (command_id, type, owner_id, request_id, ending, created_at, completed_at) VALUES ('c3', 'lending.borrow-book', 1, 'r', '{"status":"failed","refusal":{"code":"OUT_OF_STOCK","detail":"no"}}', '${ago(4)}', '${ago(4)}')`,
];

const folder = mkdtempSync(join(tmpdir(), 'audit-'));
const file = join(folder, 'lendline.sqlite');
/** A copy of it is what each test starts from. */
const prepared = join(folder, 'prepared.sqlite');
const environment = process.env;
let database: Sequelize;

function removeFile(): void {
  for (const name of ['', '-wal', '-shm']) rmSync(`${file}${name}`, { force: true });
}

/** A connection that takes the rows that the audit looks for. */
async function openFile(): Promise<void> {
  database = connectDatabase({ url: file, poolMax: 1 });
  // Nothing here has to survive a power cut.
  for (const pragma of ['synchronous = OFF', 'foreign_keys = OFF', 'ignore_check_constraints = ON'])
    await database.query(`PRAGMA ${pragma}`);
}

beforeAll(async () => {
  await openFile();
  await migrate(database);
  // What the audit looks for is what the constraints prevent, so they have to go.
  for (const index of [
    'book_user_open_copy',
    'book_user_open_title',
    'book_hold_open_user',
    'book_hold_ready_copy',
    'user_courses_once',
    'course_video_place',
  ])
    await database.query(`DROP INDEX ${index}`);
  for (const sql of LIBRARY) await database.query(sql);
  await database.query(`VACUUM INTO '${prepared}'`);
  await database.close();
});
beforeEach(async () => {
  process.env = { ...environment, DATA_DIR: folder };
  delete process.env['MYSQL_URL'];
  removeFile();
  copyFileSync(prepared, file);
  await openFile();
});
afterEach(async () => {
  process.env = environment;
  await database.close();
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function runAudit(): Promise<{ exitCode: number; lines: string[] }> {
  const { exitCode, stdout } = await ops('audit');
  return { exitCode, lines: stdout.trim().split('\n') };
}

describe('audit', () => {
  it('finds a right library in agreement, while another transaction is writing', async () => {
    await database.transaction(async (transaction) => {
      await database.query('UPDATE book_info SET total_stock = 99', { transaction });
      expect(await runAudit()).toEqual({
        exitCode: 0,
        lines: [
          'all agree: titles 2, copies 6, open borrows 2, borrows 3, posts 3, tags 2, courses 1, videos 2, subscriptions 3, waitlisted 1',
        ],
      });
    });
    expect((await runAudit()).exitCode).toBe(1);
  });

  it.each([
    [
      'UPDATE book_info SET total_stock = 4 WHERE id = 1',
      'title 1: stock says 1 of 4 available, its copies 1 of 3',
    ],
    [
      'UPDATE book_info SET available_stock = 0 WHERE id = 1',
      'title 1: stock says 0 of 3 available, its copies 1 of 3',
    ],
    [
      'UPDATE book SET available = 0 WHERE id = 3',
      'copy 3: available is 0 while its status is AVAILABLE',
    ],
    [
      'UPDATE book SET available = 1 WHERE id = 5',
      'copy 5: available is 1 while its status is AVAILABLE and it is deleted',
    ],
    [
      `UPDATE book_user SET status = 'LOST' WHERE id = 1`,
      'copy 1: it is ON_LOAN without an open borrow',
    ],
    [
      `UPDATE book SET status = 'DAMAGED' WHERE id = 2`,
      'borrow 2: it is open while its copy 2 is DAMAGED',
    ],
    ['UPDATE book_user SET book_id = 1, user_id = 3 WHERE id = 2', 'copy 1: it has 2 open borrows'],
    [
      'UPDATE book_user SET user_id = 1 WHERE id = 2',
      'user 1: there are 2 open borrows of title 1',
    ],
    ['UPDATE book_user SET user_id = 77 WHERE id = 3', 'borrow 3: its user 77 is missing'],
    ['UPDATE book_user SET book_id = 88 WHERE id = 3', 'borrow 3: its copy 88 is missing'],
    [
      'UPDATE book_user SET book_info_id = 99 WHERE id = 3',
      'borrow 3: it is of title 99, but its copy 3 is of title 1',
    ],
    [`DELETE FROM search_word WHERE word = 'held'`, 'title 2: no word finds it'],
    [
      `UPDATE book_info SET deleted_at = '${ago(1)}' WHERE id = 2`,
      'title 2: it is deleted and still found by its words',
    ],
    ['DELETE FROM borrow_day WHERE day = 4', 'title 1: its days count 2 borrows, there are 3'],
    [
      'UPDATE book_info SET available_stock = 1 WHERE id = 2',
      'title 2: 1 wait for it while 1 of its copies are available',
    ],
    [`UPDATE book SET status = 'LOST' WHERE id = 6`, 'hold 1: the copy 6 set aside for it is LOST'],
    [
      'UPDATE book_hold SET book_id = 99 WHERE id = 1',
      'hold 1: the copy 99 set aside for it is missing',
    ],
    [
      'UPDATE book SET book_info_id = 1 WHERE id = 6',
      'hold 1: the copy 6 set aside for it is ON_HOLD, of title 1',
    ],
    ['DELETE FROM book_hold WHERE id = 1', 'copy 6: it is ON_HOLD, but for nobody'],
    [
      `UPDATE book_hold SET status = 'READY', book_id = 6 WHERE id = 2`,
      'copy 6: it is set aside for 2 holds',
    ],
    ['UPDATE book_hold SET user_id = 1', 'user 1: there are 2 open holds of title 2'],
    [
      'UPDATE book_user SET book_info_id = 2 WHERE id = 2',
      'hold 2: it is open while user 2 has title 2 on loan',
    ],
    [
      'UPDATE courses SET subscriber_count = 1',
      'course 1: it counts 1 subscribers of 2, its subscriptions are 2',
    ],
    [
      `UPDATE user_courses SET status = 'in_progress'`,
      'course 1: it counts 2 subscribers of 2, its subscriptions are 3',
    ],
    [
      'UPDATE courses SET capacity = 1',
      'course 1: it counts 2 subscribers of 1, its subscriptions are 2',
    ],
    [
      'UPDATE courses SET waiting_count = 2',
      'course 1: it counts 2 who wait, there are 1 at 1 places',
    ],
    ['DELETE FROM course_waitlist', 'course 1: it counts 1 who wait, there are 0 at 0 places'],
    ['UPDATE courses SET capacity = 3', 'course 1: 1 wait for it while 2 of 3 places are taken'],
    ['UPDATE course_waitlist SET user_id = 3', 'user 3: they wait for course 1 and take it'],
    ['UPDATE course_waitlist SET user_id = 77', 'wait 4: its user 77 is missing'],
    [
      `INSERT INTO video_completion VALUES (1, 3, 99, '${ago(8)}')`,
      'user 3: they completed video 99 of course 1, without the video or a subscription',
    ],
    ['UPDATE user_courses SET user_id = 1', 'user 1: there are 3 subscriptions to course 1'],
    [
      'DELETE FROM course_video',
      'course 1: it counts 2 videos and has 0, at 0 positions from 0 to 0',
    ],
    [
      'UPDATE course_video SET position = 1',
      'course 1: it counts 2 videos and has 2, at 1 positions from 1 to 1',
    ],
    [
      'UPDATE course_video SET position = position + 1',
      'course 1: it counts 2 videos and has 2, at 2 positions from 2 to 3',
    ],
    ['UPDATE user_courses SET user_id = 77 WHERE id = 2', 'subscription 2: its user 77 is missing'],
    [
      'UPDATE user_courses SET course_id = 88 WHERE id = 2',
      'subscription 2: its course 88 is missing',
    ],
    ['UPDATE course_video SET course_id = 88 WHERE id = 2', 'video 2: its course 88 is missing'],
    ['UPDATE courses SET user_id = 77', 'course 1: its lecturer 77 is missing'],
    ['UPDATE tag SET post_count = 3 WHERE id = 1', 'tag 1 (Java): it counts 3 posts and has 2'],
    ['DELETE FROM post_tag WHERE tag_id = 2', 'tag 2 (spring): it counts 1 posts and has 0'],
    [
      'UPDATE tag SET merged_into = 2 WHERE id = 1',
      'tag 1 (Java): it was merged into tag 2 and has 2 posts left',
    ],
    [
      'UPDATE tag SET merged_into = 88 WHERE id = 3',
      'tag 3 (boot): it was merged into tag 88, which is missing',
    ],
    [
      `INSERT INTO tag (id, name, folded, merged_into) VALUES (4, 'b', 'b', 3)`,
      'tag 4 (b): it was merged into tag 3, which was merged itself',
    ],
    ['DELETE FROM post WHERE id = 2', 'post 2 under tag 1: the post is missing'],
    ['DELETE FROM tag WHERE id = 1', 'post 2 under tag 1: the tag is missing'],
    [
      'UPDATE post_tag SET user_id = 3 WHERE post_id = 2',
      'post 2 under tag 1: author or instant are not those of the post',
    ],
    [
      `UPDATE post SET created_at = '2024-01-01 00:00:00.000 +00:00' WHERE id = 2`,
      'post 2 under tag 1: author or instant are not those of the post',
    ],
    ['DELETE FROM post_tag WHERE post_id = 2', 'post 2: it shows 1 tags and is found under 0'],
    [`UPDATE post SET tags = '[]' WHERE id = 2`, 'post 2: it shows 0 tags and is found under 1'],
    [
      `UPDATE post SET tags = '["JAVA","other"]' WHERE id = 2`,
      'post 2: it shows 2 tags and is found under 1',
    ],
    [
      'DELETE FROM book_user WHERE id = 1',
      'command c1: it was answered with borrow 1, which is missing',
    ],
    [outcome('c9', 2, 1), 'borrow 2: 2 commands were answered with it'],
    [
      `DELETE FROM command_outcome WHERE command_id = 'c1'`,
      "borrow 1: no command's outcome contains it",
    ],
  ])('after "%s" says "%s"', async (sql, line) => {
    await database.query(sql);
    const { exitCode, lines } = await runAudit();
    expect(exitCode).toBe(1);
    expect(lines).toContainEqual(expect.stringContaining(line));
  });
});

describe('the instant from which a borrow must have its outcome', () => {
  const now = new Date('2030-01-02T12:00:00Z');

  it('is that of the oldest outcome in a young installation', () => {
    const oldest = new Date('2030-01-02T10:00:00Z');
    expect(outcomesSince(oldest, now)).toEqual(oldest);
  });

  it('never reaches back to where outcomes may have been purged', () => {
    expect(outcomesSince(new Date('2029-12-01T00:00:00Z'), now)?.getTime()).toBeGreaterThan(
      now.getTime() - 24 * HOUR_MS,
    );
  });

  it('does not exist when no outcome is kept', () => {
    expect(outcomesSince(null, now)).toBeNull();
  });
});
