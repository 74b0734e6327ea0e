import type { Sequelize } from 'sequelize-typescript';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';

/**
 * What the database itself refuses, whoever writes: the workers' rules stand in front of it, and
 * are not asked here.
 */

const NOW = "'2026-11-21 12:00:00.000'";
const OPEN = `'BORROWED', ${NOW}, ${NOW}, NULL`;

const titled = (id: number, isbn: string, deleted = 'NULL') =>
  `INSERT INTO book_info (id, book_title, book_bookAuthor, isbn, search_title, created_at, modified_at, deleted_at) VALUES (${id}, 't', 1, ${isbn}, 't', ${NOW}, ${NOW}, ${deleted})`;
const copied = (id: number, available: number, status: string) =>
  `INSERT INTO book (id, book_info_id, available, status) VALUES (${id}, 1, ${available}, '${status}')`;
const borrowed = (id: number, user: number, copy: number, title: number, state = OPEN) =>
  `INSERT INTO book_user (id, user_id, book_id, book_info_id, status, borrowed_at, due_at, returned_at) VALUES (${id}, ${user}, ${copy}, ${title}, ${state})`;
const held = (id: number, user: number, line: number, copy: string, closed = false) =>
  `INSERT INTO book_hold (id, user_id, book_info_id, book_id, status, line_no, placed_at, expires_at, closed_at) VALUES (${id}, ${user}, 1, ${copy}, '${closed ? 'CANCELLED' : copy === 'NULL' ? 'WAITING' : 'READY'}', ${line}, ${NOW}, ${NOW}, ${closed ? NOW : 'NULL'})`;
const subscribed = (id: number, user: number) =>
  `INSERT INTO user_courses (id, user_id, course_id, status, created_at, modified_at) VALUES (${id}, ${user}, 1, 'in_progress', ${NOW}, ${NOW})`;
const waiting = (id: number, user: number, place: number) =>
  `INSERT INTO course_waitlist (id, course_id, user_id, place_no, created_at) VALUES (${id}, 1, ${user}, ${place}, ${NOW})`;
const completed = (user: number, video: number) =>
  `INSERT INTO video_completion (course_id, user_id, video_id, completed_at) VALUES (1, ${user}, ${video}, ${NOW})`;
const filmed = (id: number, position: number) =>
  `INSERT INTO course_video (id, course_id, title, url, \`position\`, created_at) VALUES (${id}, 1, 'v', 'u', ${position}, ${NOW})`;
const tagged = (id: number, folded: string, merged: string, posts = 0) =>
  `INSERT INTO tag (id, name, folded, merged_into, post_count) VALUES (${id}, '${folded}', '${folded}', ${merged}, ${posts})`;
const ended = (id: string) =>
  `INSERT INTO command_outcome (command_id, type, request_id, ending, created_at, completed_at) VALUES ('${id}', 't', 'r', '{}', ${NOW}, ${NOW})`;
const keyed = (scope: string) =>
  `INSERT INTO idempotency_key (scope, command_id, fingerprint, created_at) VALUES ('${scope}', 'c', 'f', ${NOW})`;
const put = (id: string) =>
  `INSERT INTO dead_letter (command_id, partition_name, content, reason, dead_at) VALUES ('${id}', 'p', 'c', 'r', ${NOW})`;
const named = (id: number, login: string) =>
  `INSERT INTO user (id, username, role, login_name, created_at) VALUES (${id}, 'u', 'user', ${login}, ${NOW})`;

const looking = (id: number, look: string) =>
  `INSERT INTO user (id, username, role, login_name, login_look, created_at) VALUES (${id}, 'u', 'user', 'u${id}', '${look}', ${NOW})`;

const labelled = (id: number, deleted = 'NULL') =>
  `INSERT INTO book (id, book_info_id, available, status, barcode, deleted_at) VALUES (${id}, 1, 0, 'LOST', 'A', ${deleted})`;

/** What the others refer to. */
const BASE = [
  ...[1, 2, 3].map((id) => named(id, 'NULL')),
  "INSERT INTO author (id, name, search_name) VALUES (1, 'a', 'a')",
  titled(1, 'NULL'),
  titled(2, 'NULL'),
  ...[1, 2, 3].map((id) => copied(id, 0, 'ON_LOAN')),
  `INSERT INTO courses (id, user_id, course_name, capacity, search_name, created_at, modified_at) VALUES (1, 1, 'c', 1, 'c', ${NOW}, ${NOW})`,
  `INSERT INTO post (id, user_id, title, content, tags, created_at) VALUES (1, 1, 't', 'c', '[]', ${NOW})`,
];

/** What is refused, by which key or check, and behind which statements that are not. */
const REFUSALS: readonly (readonly [
  what: string,
  by: string,
  allowed: readonly string[],
  refused: string,
])[] = [
  [
    'a second open borrow of a copy',
    'book_user_open_copy',
    [borrowed(11, 1, 1, 1, `'RETURNED', ${NOW}, ${NOW}, ${NOW}`), borrowed(12, 1, 1, 1)],
    borrowed(13, 2, 1, 1),
  ],
  [
    'a second open borrow of a title by one user',
    'book_user_open_title',
    [borrowed(14, 3, 2, 2)],
    borrowed(15, 3, 3, 2),
  ],
  [
    'a second title with an ISBN',
    'book_info_live_isbn',
    [titled(11, "'9780441172719'", NOW), titled(12, "'9780441172719'")],
    titled(13, "'9780441172719'"),
  ],
  [
    'a second copy with a barcode',
    'book_live_barcode',
    [labelled(21, NOW), labelled(22)],
    labelled(23),
  ],
  [
    'a stock below nothing',
    'book_info_stock',
    ['UPDATE book_info SET total_stock = 1, available_stock = 0 WHERE id = 1'],
    'UPDATE book_info SET available_stock = -1 WHERE id = 1',
  ],
  [
    'more available copies than there are',
    'book_info_stock',
    ['UPDATE book_info SET total_stock = 1, available_stock = 1 WHERE id = 1'],
    'UPDATE book_info SET available_stock = 2 WHERE id = 1',
  ],
  [
    'a copy that is lent and available',
    'book_available',
    [copied(11, 1, 'AVAILABLE')],
    copied(12, 1, 'ON_LOAN'),
  ],
  [
    'a second open hold of a title by one user',
    'book_hold_open_user',
    [held(11, 1, 11, 'NULL', true), held(12, 1, 12, 'NULL')],
    held(13, 1, 13, 'NULL'),
  ],
  [
    'a copy set aside for two',
    'book_hold_ready_copy',
    [held(14, 2, 14, '2')],
    held(15, 3, 15, '2'),
  ],
  [
    'two at one place of a line',
    'book_hold_line',
    [held(16, 3, 16, 'NULL', true)],
    held(17, 3, 16, 'NULL', true),
  ],
  [
    'one more subscriber than the capacity',
    'courses_capacity',
    ['UPDATE courses SET subscriber_count = 1 WHERE id = 1'],
    'UPDATE courses SET subscriber_count = 2 WHERE id = 1',
  ],
  [
    'a second subscription of a user to a course',
    'user_courses_once',
    [subscribed(11, 1)],
    subscribed(12, 1),
  ],
  ['two videos at one position', 'course_video_place', [filmed(11, 1)], filmed(12, 1)],
  [
    'a second wait of a user for a course',
    'course_waitlist_once',
    [waiting(21, 1, 1)],
    waiting(22, 1, 2),
  ],
  [
    'two at one place of a waitlist',
    'course_waitlist_place',
    [waiting(23, 2, 3)],
    waiting(24, 3, 3),
  ],
  [
    'a second completion of a video by a user',
    'PRIMARY',
    [filmed(21, 21), completed(1, 21)],
    completed(1, 21),
  ],
  [
    'an unknown status of a course',
    'status',
    ["UPDATE courses SET status = 'archived' WHERE id = 1"],
    "UPDATE courses SET status = 'over' WHERE id = 1",
  ],
  [
    'a second tag of one folded name',
    'tag_folded',
    [tagged(11, 'one', 'NULL')],
    tagged(12, 'one', 'NULL'),
  ],
  [
    'a tag that was merged and has posts',
    'tag_merged_is_empty',
    [tagged(13, 'target', 'NULL', 1), tagged(14, 'merged', '13')],
    tagged(15, 'other', '13', 1),
  ],
  [
    'a tag twice at a post',
    'PRIMARY',
    [
      tagged(16, 'at', 'NULL'),
      `INSERT INTO post_tag (post_id, tag_id, user_id, created_at) VALUES (1, 16, 1, ${NOW})`,
    ],
    `INSERT INTO post_tag (post_id, tag_id, user_id, created_at) VALUES (1, 16, 1, ${NOW})`,
  ],
  ['a second outcome of a command', 'PRIMARY', [ended('one')], ended('one')],
  ['a second command for an idempotency key', 'PRIMARY', [keyed('one')], keyed('one')],
  ['a second dead letter of a command', 'dead_letter_command_id', [put('one')], put('one')],
  ['a second account of a name', 'user_login_name', [named(11, "'ann'")], named(12, "'ann'")],
  [
    'a second account that looks the same',
    'user_login_look',
    [looking(13, 'bea')],
    looking(14, 'bea'),
  ],
  [
    'a second author of a name',
    'author_name',
    ["INSERT INTO author (id, name, search_name) VALUES (11, 'b', 'b')"],
    "INSERT INTO author (id, name, search_name) VALUES (12, 'b', 'b')",
  ],
];

describe.each(DIALECTS)('the database (%s) refuses', (dialect) => {
  let database: Sequelize;

  beforeAll(async () => {
    database = await emptyDatabase(dialect);
    for (const sql of BASE) await database.query(sql);
  });

  it.each(REFUSALS)('%s (%s)', async (_what, by, allowed, refused) => {
    for (const sql of allowed) await database.query(sql);
    const refusal = await database.query(refused).then(
      () => 'nothing',
      (error: unknown) => (error as { original?: Error }).original?.message,
    );
    // SQLite names the columns of a unique key, and not the key.
    expect(refusal).toMatch(dialect === 'sqlite' ? /constraint failed/ : by);
  });
});
