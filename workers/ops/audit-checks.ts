import { OUTCOME_KEPT_MS } from '../../shared/command';
import { tellMissing, type Check } from './audit-check';
import { courseChecks } from './audit-courses';
import { holdChecks } from './audit-holds';
import { postChecks } from './audit-posts';

/**
 * What `ops audit` recounts, one entry a rule. Each statement finds the rows that break its rule.
 * It uses the columns that the service writes, and not those that the database derives, so that it
 * does not trust what it checks.
 */

/** By how much clocks of workers and databases may differ, milliseconds. */
const CLOCKS_DIFFER_MS = 5 * 60_000;

/**
 * Borrows after this instant must have their outcomes, null when none is kept at all. Outcomes are
 * purged when they are older than they must be kept, in any order, so that the oldest one that is
 * left proves nothing about younger ones beyond that age.
 */
export function outcomesSince(oldest: Date | null, now: Date): Date | null {
  return (
    oldest &&
    new Date(Math.max(oldest.getTime(), now.getTime() - OUTCOME_KEPT_MS + CLOCKS_DIFFER_MS))
  );
}

const OPEN = `status = 'BORROWED'`;
const AVAILABLE = `(CASE WHEN status = 'AVAILABLE' AND deleted_at IS NULL THEN 1 ELSE 0 END)`;
const COUNTED = `(CASE WHEN status <> 'WITHDRAWN' AND deleted_at IS NULL THEN 1 ELSE 0 END)`;

/**
 * The borrow ids that succeeded borrow commands answered with: the ending holds its result as JSON,
 * or as JSON text when it is older.
 */
const ANSWERED = {
  sqlite: `SELECT DISTINCT command_id, CAST(json_extract(json_extract(ending, '$.result'), '$.borrowId') AS INTEGER) AS borrow_id`,
  mysql: `SELECT DISTINCT command_id, CAST(JSON_EXTRACT(JSON_UNQUOTE(JSON_EXTRACT(ending, '$.result')), '$.borrowId') AS SIGNED) AS borrow_id`,
};

/**
 * DISTINCT above keeps MySQL from merging this into the outer query, where the join would have no
 * index.
 */
function answeredBorrows(dialect: keyof typeof ANSWERED): string {
  const succeeded =
    dialect === 'sqlite'
      ? `json_extract(ending, '$.status')`
      : `JSON_UNQUOTE(JSON_EXTRACT(ending, '$.status'))`;
  return `${ANSWERED[dialect]} FROM command_outcome WHERE type = 'lending.borrow-book' AND ${succeeded} = 'succeeded'`;
}

const stockChecks: readonly Check[] = [
  {
    sql: `SELECT t.id, t.total_stock, t.available_stock, COALESCE(c.total, 0) AS total, COALESCE(c.free, 0) AS free
      FROM book_info t
      LEFT JOIN (SELECT book_info_id, SUM(${COUNTED}) AS total, SUM(${AVAILABLE}) AS free FROM book GROUP BY book_info_id) c ON c.book_info_id = t.id
      WHERE t.total_stock <> COALESCE(c.total, 0) OR t.available_stock <> COALESCE(c.free, 0)`,
    tell: (of) =>
      `title ${of('id')}: stock says ${of('available_stock')} of ${of('total_stock')} available, its copies ${of('free')} of ${of('total')}`,
  },
  {
    sql: `SELECT id, status, available, deleted_at IS NOT NULL AS deleted FROM book WHERE available <> ${AVAILABLE}`,
    tell: (of) =>
      `copy ${of('id')}: available is ${of('available')} while its status is ${of('status')}${of('deleted') === '1' ? ' and it is deleted' : ''}`,
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
    tell: (of) =>
      `borrow ${of('id')}: it is open while its copy ${of('book_id')} is ${of('deleted') === '1' ? 'deleted' : of('status')}`,
  },
  {
    sql: `SELECT l.id, l.book_id, l.book_info_id, c.book_info_id AS title_of_copy FROM book_user l JOIN book c ON c.id = l.book_id
      WHERE c.book_info_id <> l.book_info_id`,
    tell: (of) =>
      `borrow ${of('id')}: it is of title ${of('book_info_id')}, but its copy ${of('book_id')} is of title ${of('title_of_copy')}`,
  },
  {
    sql: `SELECT book_id, COUNT(*) AS borrows FROM book_user WHERE ${OPEN} GROUP BY book_id HAVING COUNT(*) > 1`,
    tell: (of) => `copy ${of('book_id')}: it has ${of('borrows')} open borrows`,
  },
  {
    sql: `SELECT user_id, book_info_id, COUNT(*) AS borrows FROM book_user WHERE ${OPEN} GROUP BY user_id, book_info_id HAVING COUNT(*) > 1`,
    tell: (of) =>
      `user ${of('user_id')}: there are ${of('borrows')} open borrows of title ${of('book_info_id')}`,
  },
  {
    sql: `SELECT l.id, CASE WHEN u.id IS NULL THEN l.user_id END AS user_id, CASE WHEN c.id IS NULL THEN l.book_id END AS book_id,
      CASE WHEN t.id IS NULL THEN l.book_info_id END AS book_info_id
      FROM book_user l LEFT JOIN \`user\` u ON u.id = l.user_id LEFT JOIN book c ON c.id = l.book_id LEFT JOIN book_info t ON t.id = l.book_info_id
      WHERE (u.id IS NULL AND l.user_id IS NOT NULL) OR c.id IS NULL OR t.id IS NULL`,
    tell: tellMissing('borrow', { user: 'user_id', copy: 'book_id', title: 'book_info_id' }),
  },
];

/** What is kept so that titles are found, and so that borrows need not be counted. */
const searchChecks: readonly Check[] = [
  {
    sql: `SELECT t.id, t.deleted_at IS NOT NULL AS deleted FROM book_info t LEFT JOIN (SELECT DISTINCT id FROM search_word WHERE kind = 'title') w ON w.id = t.id
      WHERE (t.deleted_at IS NULL) <> (w.id IS NOT NULL)`,
    tell: (of) =>
      of('deleted') === '1'
        ? `title ${of('id')}: it is deleted and still found by its words`
        : `title ${of('id')}: no word finds it`,
  },
  {
    sql: `SELECT t.id, COALESCE(d.borrows, 0) AS counted, COALESCE(l.borrows, 0) AS borrows FROM book_info t
      LEFT JOIN (SELECT book_info_id, SUM(borrows) AS borrows FROM borrow_day GROUP BY book_info_id) d ON d.book_info_id = t.id
      LEFT JOIN (SELECT book_info_id, COUNT(*) AS borrows FROM book_user GROUP BY book_info_id) l ON l.book_info_id = t.id
      WHERE COALESCE(d.borrows, 0) <> COALESCE(l.borrows, 0)`,
    tell: (of) =>
      `title ${of('id')}: its days count ${of('counted')} borrows, there are ${of('borrows')}`,
  },
];

function outcomeChecks(dialect: keyof typeof ANSWERED): Check[] {
  const answered = answeredBorrows(dialect);
  return [
    {
      sql: `SELECT o.command_id, o.borrow_id FROM (${answered}) o LEFT JOIN book_user l ON l.id = o.borrow_id WHERE l.id IS NULL`,
      tell: (of) =>
        `command ${of('command_id')}: it was answered with borrow ${of('borrow_id') || '(none)'}, which is missing`,
    },
    {
      sql: `SELECT borrow_id, COUNT(*) AS commands FROM (${answered}) o GROUP BY borrow_id HAVING COUNT(*) > 1`,
      tell: (of) => `borrow ${of('borrow_id')}: ${of('commands')} commands were answered with it`,
    },
    {
      sql: `SELECT l.id, l.borrowed_at FROM book_user l LEFT JOIN (${answered}) o ON o.borrow_id = l.id WHERE l.borrowed_at > :since AND o.borrow_id IS NULL`,
      tell: (of) =>
        `borrow ${of('id')}: no command's outcome contains it, although it was made at ${of('borrowed_at')}`,
    },
  ];
}

/** Returns all checks, in the order of their report. */
export function auditChecks(dialect: keyof typeof ANSWERED): Check[] {
  return [
    ...stockChecks,
    ...borrowChecks,
    ...searchChecks,
    ...holdChecks,
    ...postChecks(dialect),
    ...courseChecks,
    ...outcomeChecks(dialect),
  ];
}
