import type { Read } from '../batch/service/state-plan';
import { instant, placeholders } from '../batch/sql/statements';
import type { Wanted } from './needs';
import type { LendingState } from './state';

/** Reads that loan rules and limits need in addition. */

export interface ReadOptions {
  /** Borrows may be limited. */
  readonly limited: boolean;
  /** Holds may be limited. */
  readonly holdsLimited: boolean;
  /** Overdue loans may block. */
  readonly blocking: boolean;
  /** There are loan rules, so the kinds of a title's copies are needed. */
  readonly ruled: boolean;
  readonly lockRows: boolean;
}

/** Reads the open borrows of users by kind. The rows of the users are locked before. */
function openBorrows(borrowers: ReadonlySet<number>): Read<LendingState> {
  return {
    statement: {
      sql: `SELECT l.user_id, c.kind, COUNT(*) AS open FROM book_user l JOIN book c ON c.id = l.book_id WHERE l.user_id IN (${placeholders(borrowers.size)}) AND l.open_book_info_id IS NOT NULL GROUP BY l.user_id, c.kind`,
      values: [...borrowers],
    },
    apply: (rows, state) => {
      state.loadCounts(
        rows.map((row) => ({
          userId: Number(row.user_id),
          kind: row.kind as string,
          open: Number(row.open),
        })),
      );
    },
  };
}

/**
 * Reads the open borrows of users that are due first. It reads one more than the batch may end, so
 * that one is left.
 */
function firstDue(users: ReadonlySet<number>, ending: number): Read<LendingState> {
  const ranked = `SELECT id, user_id, due_at, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY due_at, id) AS place FROM book_user WHERE user_id IN (${placeholders(users.size)}) AND open_book_info_id IS NOT NULL`;
  return {
    statement: {
      sql: `SELECT id, user_id, due_at FROM (${ranked}) r WHERE place <= ?`,
      values: [...users, ending + 1],
    },
    apply: (rows, state) => {
      state.loadDue(
        rows.map((row) => ({
          id: Number(row.id),
          userId: Number(row.user_id),
          dueAt: instant(row.due_at),
        })),
      );
    },
  };
}

function openHolds(holders: ReadonlySet<number>): Read<LendingState> {
  return {
    statement: {
      sql: `SELECT user_id, COUNT(*) AS open FROM book_hold WHERE user_id IN (${placeholders(holders.size)}) AND open_user_id IS NOT NULL GROUP BY user_id`,
      values: [...holders],
    },
    apply: (rows, state) => {
      state.holds.loadOpenCounts(
        new Map(rows.map((row) => [Number(row.user_id), Number(row.open)])),
      );
    },
  };
}

export function ruleReads(
  { borrowers, holders, ending }: Wanted,
  { limited, holdsLimited, blocking }: ReadOptions,
): Read<LendingState>[] {
  const reads: Read<LendingState>[] = [];
  const blockable = new Set([...borrowers, ...holders]);
  if (limited && borrowers.size > 0) reads.push(openBorrows(borrowers));
  if (holdsLimited && holders.size > 0) reads.push(openHolds(holders));
  if (blocking && blockable.size > 0) reads.push(firstDue(blockable, ending));
  return reads;
}
