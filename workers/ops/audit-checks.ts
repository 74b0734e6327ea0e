import { OUTCOME_KEPT_MS } from '../../shared/command';

/**
 * What the audit recounts, one entry a rule. Each statement finds the rows that break its rule, from the columns that
 * the service writes and not from those the database derives, so that it does not trust what it checks.
 */

/** The text of a column of a row that disagrees, empty for NULL. */
export type Column = (name: string) => string;

export interface Check {
  /** Finds what disagrees. `:since` is the instant that `outcomesSince` gives. */
  readonly sql: string;
  /** Says a row that disagrees in one line. */
  tell(column: Column): string;
}

/** Clocks of workers and databases may differ by so much, milliseconds. */
const CLOCKS_DIFFER_MS = 5 * 60_000;

/**
 * Borrows after this instant must have their outcomes, null when none is kept at all. Outcomes are purged when they are
 * older than they must be kept, in any order, so that the oldest one that is left proves nothing about younger ones
 * beyond that age.
 */
export function outcomesSince(oldest: Date | null, now: Date): Date | null {
  return oldest && new Date(Math.max(oldest.getTime(), now.getTime() - OUTCOME_KEPT_MS + CLOCKS_DIFFER_MS));
}

const OPEN = `status = 'BORROWED'`;
const AVAILABLE = `(CASE WHEN status = 'AVAILABLE' AND deleted_at IS NULL THEN 1 ELSE 0 END)`;
const COUNTED = `(CASE WHEN status <> 'WITHDRAWN' AND deleted_at IS NULL THEN 1 ELSE 0 END)`;

/** The borrow ids that succeeded borrow commands answered with: the ending holds its result as JSON text. */
const ANSWERED = {
  sqlite: `SELECT DISTINCT command_id, CAST(json_extract(json_extract(ending, '$.result'), '$.borrowId') AS INTEGER) AS borrow_id`,
  mysql: `SELECT DISTINCT command_id, CAST(JSON_EXTRACT(JSON_UNQUOTE(JSON_EXTRACT(ending, '$.result')), '$.borrowId') AS SIGNED) AS borrow_id`,
};

/** DISTINCT above keeps MySQL from merging this into the outer query, where the join would have no index. */
function answeredBorrows(dialect: keyof typeof ANSWERED): string {
  const succeeded = dialect === 'sqlite' ? `json_extract(ending, '$.status')` : `JSON_UNQUOTE(JSON_EXTRACT(ending, '$.status'))`;
  return `${ANSWERED[dialect]} FROM command_outcome WHERE type = 'lending.borrow-book' AND ${succeeded} = 'succeeded'`;
}

const stockChecks: readonly Check[] = [
  {
    sql: `SELECT t.id, t.total_stock, t.available_stock, COALESCE(c.total, 0) AS total, COALESCE(c.free, 0) AS free
      FROM book_info t
      LEFT JOIN (SELECT book_info_id, SUM(${COUNTED}) AS total, SUM(${AVAILABLE}) AS free FROM book GROUP BY book_info_id) c ON c.book_info_id = t.id
      WHERE t.total_stock <> COALESCE(c.total, 0) OR t.available_stock <> COALESCE(c.free, 0)`,
    tell: (of) => `title ${of('id')}: stock says ${of('available_stock')} of ${of('total_stock')} available, its copies ${of('free')} of ${of('total')}`,
  },
  {
    sql: `SELECT id, status, available, deleted_at IS NOT NULL AS deleted FROM book WHERE available <> ${AVAILABLE}`,
    tell: (of) => `copy ${of('id')}: available is ${of('available')} while its status is ${of('status')}${of('deleted') === '1' ? ' and it is deleted' : ''}`,
  },
  {
    sql: 'SELECT c.id, c.book_info_id FROM book c LEFT JOIN book_info t ON t.id = c.book_info_id WHERE t.id IS NULL',
    tell: (of) => `copy ${of('id')}: its title ${of('book_info_id')} is missing`,
  },
];

const borrowChecks: readonly Check[] = [
  {
    sql: `SELECT c.id FROM book c LEFT JOIN (SELECT DISTINCT book_id FROM book_user WHERE ${OPEN}) o ON o.book_id = c.id
      WHERE c.status = 'ON_LOAN' AND o.book_id IS NULL`,
    tell: (of) => `copy ${of('id')}: it is ON_LOAN without an open borrow`,
  },
  {
    sql: `SELECT l.id, l.book_id, c.status, c.deleted_at IS NOT NULL AS deleted FROM book_user l JOIN book c ON c.id = l.book_id
      WHERE l.${OPEN} AND (c.status <> 'ON_LOAN' OR c.deleted_at IS NOT NULL)`,
    tell: (of) => `borrow ${of('id')}: it is open while its copy ${of('book_id')} is ${of('deleted') === '1' ? 'deleted' : of('status')}`,
  },
  {
    sql: `SELECT l.id, l.book_id, l.book_info_id, c.book_info_id AS title_of_copy FROM book_user l JOIN book c ON c.id = l.book_id
      WHERE c.book_info_id <> l.book_info_id`,
    tell: (of) => `borrow ${of('id')}: it is of title ${of('book_info_id')}, but its copy ${of('book_id')} is of title ${of('title_of_copy')}`,
  },
  {
    sql: `SELECT book_id, COUNT(*) AS borrows FROM book_user WHERE ${OPEN} GROUP BY book_id HAVING COUNT(*) > 1`,
    tell: (of) => `copy ${of('book_id')}: it has ${of('borrows')} open borrows`,
  },
  {
    sql: `SELECT user_id, book_info_id, COUNT(*) AS borrows FROM book_user WHERE ${OPEN} GROUP BY user_id, book_info_id HAVING COUNT(*) > 1`,
    tell: (of) => `user ${of('user_id')}: there are ${of('borrows')} open borrows of title ${of('book_info_id')}`,
  },
  {
    sql: `SELECT l.id, CASE WHEN u.id IS NULL THEN l.user_id END AS user_id, CASE WHEN c.id IS NULL THEN l.book_id END AS book_id,
      CASE WHEN t.id IS NULL THEN l.book_info_id END AS book_info_id
      FROM book_user l LEFT JOIN \`user\` u ON u.id = l.user_id LEFT JOIN book c ON c.id = l.book_id LEFT JOIN book_info t ON t.id = l.book_info_id
      WHERE u.id IS NULL OR c.id IS NULL OR t.id IS NULL`,
    tell: (of) => {
      const parts = [['user', of('user_id')], ['copy', of('book_id')], ['title', of('book_info_id')]] as const;
      return `borrow ${of('id')}: missing is its ${parts.flatMap(([what, id]) => (id === '' ? [] : [`${what} ${id}`])).join(', ')}`;
    },
  },
];

const WAITS = `status = 'WAITING'`;
const READY = `status = 'READY'`;

const holdChecks: readonly Check[] = [
  {
    sql: `SELECT t.id, t.available_stock, h.waiting FROM book_info t
      JOIN (SELECT book_info_id, COUNT(*) AS waiting FROM book_hold WHERE ${WAITS} GROUP BY book_info_id) h ON h.book_info_id = t.id WHERE t.available_stock > 0`,
    tell: (of) => `title ${of('id')}: ${of('waiting')} wait for it while ${of('available_stock')} of its copies are available`,
  },
  {
    sql: `SELECT h.id, h.book_id, h.book_info_id, c.status, c.book_info_id AS title_of_copy, c.deleted_at IS NOT NULL AS deleted FROM book_hold h
      LEFT JOIN book c ON c.id = h.book_id WHERE h.${READY} AND (c.id IS NULL OR c.status <> 'ON_HOLD' OR c.deleted_at IS NOT NULL OR c.book_info_id <> h.book_info_id)`,
    tell: (of) => `hold ${of('id')}: the copy ${of('book_id')} set aside for it is ${of('deleted') === '1' ? 'deleted' : of('status') || 'missing'}, of title ${of('title_of_copy') || '(none)'}`,
  },
  {
    sql: `SELECT c.id FROM book c LEFT JOIN (SELECT DISTINCT book_id FROM book_hold WHERE ${READY}) h ON h.book_id = c.id
      WHERE c.status = 'ON_HOLD' AND c.deleted_at IS NULL AND h.book_id IS NULL`,
    tell: (of) => `copy ${of('id')}: it is ON_HOLD, but for nobody`,
  },
  {
    sql: `SELECT book_id, COUNT(*) AS holds FROM book_hold WHERE ${READY} GROUP BY book_id HAVING COUNT(*) > 1`,
    tell: (of) => `copy ${of('book_id')}: it is set aside for ${of('holds')} holds`,
  },
  {
    sql: `SELECT user_id, book_info_id, COUNT(*) AS holds FROM book_hold WHERE ${WAITS} OR ${READY} GROUP BY user_id, book_info_id HAVING COUNT(*) > 1`,
    tell: (of) => `user ${of('user_id')}: there are ${of('holds')} open holds of title ${of('book_info_id')}`,
  },
  {
    sql: `SELECT h.id, h.user_id, h.book_info_id FROM book_hold h JOIN book_user l ON l.user_id = h.user_id AND l.book_info_id = h.book_info_id AND l.${OPEN} WHERE h.${WAITS} OR h.${READY}`,
    tell: (of) => `hold ${of('id')}: it is open while user ${of('user_id')} has title ${of('book_info_id')} on loan`,
  },
];

const courseChecks: readonly Check[] = [
  {
    sql: `SELECT c.id, c.subscriber_count, c.capacity, COALESCE(s.taken, 0) AS taken FROM courses c
      LEFT JOIN (SELECT course_id, COUNT(*) AS taken FROM user_courses WHERE status <> 'cancelled' GROUP BY course_id) s ON s.course_id = c.id
      WHERE c.subscriber_count <> COALESCE(s.taken, 0) OR COALESCE(s.taken, 0) > c.capacity`,
    tell: (of) => `course ${of('id')}: it counts ${of('subscriber_count')} subscribers of ${of('capacity') || 'any number'}, its subscriptions are ${of('taken')}`,
  },
  {
    sql: `SELECT c.id, c.video_count, COALESCE(v.videos, 0) AS videos, v.places, v.first_place, v.last_place FROM courses c
      LEFT JOIN (SELECT course_id, COUNT(*) AS videos, COUNT(DISTINCT \`position\`) AS places, MIN(\`position\`) AS first_place, MAX(\`position\`) AS last_place
        FROM course_video GROUP BY course_id) v ON v.course_id = c.id
      WHERE c.video_count <> COALESCE(v.videos, 0) OR (v.videos > 0 AND (v.first_place <> 1 OR v.last_place <> v.videos OR v.places <> v.videos))`,
    tell: (of) =>
      `course ${of('id')}: it counts ${of('video_count')} videos and has ${of('videos')}, at ${of('places') || '0'} positions from ${of('first_place') || '0'} to ${of('last_place') || '0'}`,
  },
  {
    sql: 'SELECT user_id, course_id, COUNT(*) AS subscriptions FROM user_courses GROUP BY user_id, course_id HAVING COUNT(*) > 1',
    tell: (of) => `user ${of('user_id')}: there are ${of('subscriptions')} subscriptions to course ${of('course_id')}`,
  },
];

function outcomeChecks(dialect: keyof typeof ANSWERED): Check[] {
  const answered = answeredBorrows(dialect);
  return [
    {
      sql: `SELECT o.command_id, o.borrow_id FROM (${answered}) o LEFT JOIN book_user l ON l.id = o.borrow_id WHERE l.id IS NULL`,
      tell: (of) => `command ${of('command_id')}: it was answered with borrow ${of('borrow_id') || '(none)'}, which is missing`,
    },
    {
      sql: `SELECT borrow_id, COUNT(*) AS commands FROM (${answered}) o GROUP BY borrow_id HAVING COUNT(*) > 1`,
      tell: (of) => `borrow ${of('borrow_id')}: ${of('commands')} commands were answered with it`,
    },
    {
      sql: `SELECT l.id, l.borrowed_at FROM book_user l LEFT JOIN (${answered}) o ON o.borrow_id = l.id WHERE l.borrowed_at > :since AND o.borrow_id IS NULL`,
      tell: (of) => `borrow ${of('id')}: no command's outcome tells of it, although it was made at ${of('borrowed_at')}`,
    },
  ];
}

/** All checks, in the order in which they are told. */
export function auditChecks(dialect: keyof typeof ANSWERED): Check[] {
  return [...stockChecks, ...borrowChecks, ...holdChecks, ...courseChecks, ...outcomeChecks(dialect)];
}
