import type { Check } from './audit-check';

/** What the audit recounts of the lines of readers who wait. */

const WAITS = `status = 'WAITING'`;
const READY = `status = 'READY'`;

export const holdChecks: readonly Check[] = [
  {
    sql: `SELECT t.id, t.available_stock, h.waiting FROM book_info t
      JOIN (SELECT book_info_id, COUNT(*) AS waiting FROM book_hold WHERE ${WAITS} GROUP BY book_info_id) h ON h.book_info_id = t.id WHERE t.available_stock > 0`,
    tell: (of) =>
      `title ${of('id')}: ${of('waiting')} wait for it while ${of('available_stock')} of its copies are available`,
  },
  {
    sql: `SELECT h.id, h.book_id, h.book_info_id, c.status, c.book_info_id AS title_of_copy, c.deleted_at IS NOT NULL AS deleted FROM book_hold h
      LEFT JOIN book c ON c.id = h.book_id WHERE h.${READY} AND (c.id IS NULL OR c.status <> 'ON_HOLD' OR c.deleted_at IS NOT NULL OR c.book_info_id <> h.book_info_id)`,
    tell: (of) =>
      `hold ${of('id')}: the copy ${of('book_id')} set aside for it is ${of('deleted') === '1' ? 'deleted' : of('status') || 'missing'}, of title ${of('title_of_copy') || '(none)'}`,
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
    tell: (of) =>
      `user ${of('user_id')}: there are ${of('holds')} open holds of title ${of('book_info_id')}`,
  },
  {
    sql: `SELECT h.id, h.user_id, h.book_info_id FROM book_hold h JOIN book_user l ON l.user_id = h.user_id AND l.book_info_id = h.book_info_id AND l.status = 'BORROWED' WHERE h.${WAITS} OR h.${READY}`,
    tell: (of) =>
      `hold ${of('id')}: it is open while user ${of('user_id')} has title ${of('book_info_id')} on loan`,
  },
];
