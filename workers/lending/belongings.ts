import { bookInfoKey } from '../../shared/lending/commands';
import type { BelongingsRead } from '../batch/service/belongings';

/** What lending has of a user who is to be erased. */

/** Most open borrows that a refusal names. */
const BORROWS_NAMED_MAX = 100;

const openBorrows: BelongingsRead = {
  statement: (userId) => ({
    sql: 'SELECT id FROM book_user WHERE user_id = ? AND open_book_info_id IS NOT NULL ORDER BY id LIMIT ?',
    values: [userId, BORROWS_NAMED_MAX],
  }),
  of: (rows) => ({ openBorrows: rows.map(({ id }) => Number(id)) }),
};

/**
 * Each is cancelled in the queue of its title, where the copy set aside goes to the next in line.
 */
const openHolds: BelongingsRead = {
  statement: (userId) => ({
    sql: 'SELECT id, book_info_id FROM book_hold WHERE user_id = ? AND open_user_id IS NOT NULL ORDER BY id',
    values: [userId],
  }),
  of: (rows) => ({
    followUps: rows.map((row) => {
      const [holdId, bookInfoId] = [Number(row.id), Number(row.book_info_id)];
      return {
        type: 'lending.cancel-hold',
        key: bookInfoKey(bookInfoId),
        payload: { bookInfoId, holdId },
      };
    }),
  }),
};

export const lendingBelongings: readonly BelongingsRead[] = [openBorrows, openHolds];
