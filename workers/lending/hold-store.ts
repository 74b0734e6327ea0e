import { BookHold } from '../../shared/lending/tables';
import type { Read } from '../batch/service/state-plan';
import {
  insert,
  instant,
  optionalInstant,
  placeholders,
  tuplesIn,
  updateById,
} from '../batch/sql/statements';
import type { Row, Statement } from '../batch/sql/transaction';
import type { Hold, HoldLines } from './hold-lines';
import type { Wanted } from './needs';
import type { Copy } from './rows';
import type { LendingState } from './state';

/** Reads and writes the holds of a batch. */

/** Each hold with the copy that is set aside for it. */
const HOLDS = `SELECT h.id, h.user_id, u.username, h.book_info_id, t.book_title, h.status, h.line_no, h.book_id, h.placed_at, h.ready_at, h.expires_at, h.closed_at,
  c.status AS copy_status, c.kind AS copy_kind, c.barcode AS copy_barcode, c.deleted_at AS copy_deleted_at FROM book_hold h JOIN \`user\` u ON u.id = h.user_id JOIN book_info t ON t.id = h.book_info_id
  LEFT JOIN book c ON c.id = h.book_id`;

function holdOf(row: Row): Hold {
  return {
    id: Number(row.id),
    userId: Number(row.user_id),
    username: row.username as string,
    bookInfoId: Number(row.book_info_id),
    title: row.book_title as string,
    status: row.status as Hold['status'],
    lineNo: Number(row.line_no),
    bookId: row.book_id === null ? null : Number(row.book_id),
    placedAt: instant(row.placed_at),
    readyAt: optionalInstant(row.ready_at),
    expiresAt: optionalInstant(row.expires_at),
    closedAt: optionalInstant(row.closed_at),
  };
}

function copyOf(row: Row): Copy[] {
  if (row.book_id === null) return [];
  return [
    {
      id: Number(row.book_id),
      bookInfoId: Number(row.book_info_id),
      status: row.copy_status as Copy['status'],
      kind: row.copy_kind as string,
      barcode: row.copy_barcode as string | null,
      deletedAt: optionalInstant(row.copy_deleted_at),
    },
  ];
}

const apply: Read<LendingState>['apply'] = (rows, state) => {
  state.load({ holds: rows.map(holdOf), copies: rows.flatMap(copyOf) });
};

/** Reads the head of each title's line, as far as the batch can serve it. */
function lineReads({ lines }: Wanted): Read<LendingState>[] {
  if (lines.size === 0) return [];
  const one =
    'SELECT * FROM (SELECT id FROM book_hold WHERE book_info_id = ? AND waiting_no IS NOT NULL ORDER BY waiting_no LIMIT ?) l';
  const heads = [...lines].map(() => one).join(' UNION ALL ');
  return [
    {
      statement: { sql: `${HOLDS} JOIN (${heads}) w ON w.id = h.id`, values: [...lines].flat() },
      apply,
    },
  ];
}

/** Reads the length and the end of lines that get new holds. */
function tailReads({ tails }: Wanted): Read<LendingState>[] {
  if (tails.size === 0) return [];
  const one = `SELECT ? AS book_info_id, (SELECT MAX(line_no) FROM book_hold WHERE book_info_id = ?) AS last_line_no,
    (SELECT COUNT(*) FROM book_hold WHERE book_info_id = ? AND waiting_no IS NOT NULL) AS waiting`;
  const statement = {
    sql: [...tails].map(() => one).join(' UNION ALL '),
    values: [...tails].flatMap((id) => [id, id, id]),
  };
  return [
    {
      statement,
      apply: (rows, state) => {
        for (const row of rows)
          state.holds.loadTail(Number(row.book_info_id), {
            waiting: Number(row.waiting),
            lastLineNo: Number(row.last_line_no ?? 0),
          });
      },
    },
  ];
}

/**
 * Reads single holds by id, by copy, and by title and user, and all of a deleted title. One SELECT
 * for all.
 */
function singleReads(wanted: Wanted): Read<LendingState>[] {
  const parts: Statement[] = [];
  const among = (column: string, values: ReadonlySet<number>, more = '') => {
    if (values.size > 0)
      parts.push({
        sql: `${HOLDS} WHERE ${column} IN (${placeholders(values.size)})${more}`,
        values: [...values],
      });
  };
  among('h.id', wanted.holds);
  among('h.ready_book_id', wanted.holdsOfCopies);
  among('h.book_info_id', wanted.holdsOfTitles, ' AND h.open_user_id IS NOT NULL');
  const pairs = [...wanted.holdsOfUsers.values()];
  if (pairs.length > 0)
    parts.push({
      sql: `${HOLDS} WHERE ${tuplesIn(BookHold, ['h.book_info_id', 'h.open_user_id'], pairs.length)}`,
      values: pairs.flatMap(({ bookInfoId, userId }) => [bookInfoId, userId]),
    });
  if (parts.length === 0) return [];
  return [
    {
      statement: {
        sql: parts.map(({ sql }) => sql).join(' UNION ALL '),
        values: parts.flatMap(({ values }) => values),
      },
      apply,
    },
  ];
}

export function holdReads(wanted: Wanted): Read<LendingState>[] {
  return [...lineReads(wanted), ...tailReads(wanted), ...singleReads(wanted)];
}

const holdRow = ({
  id,
  userId,
  bookInfoId,
  bookId,
  status,
  lineNo,
  placedAt,
  readyAt,
  expiresAt,
  closedAt,
}: Hold) => ({
  id,
  userId,
  bookInfoId,
  bookId,
  status,
  lineNo,
  placedAt,
  readyAt,
  expiresAt,
  closedAt,
});
const HOLD_PROGRESS = ['status', 'bookId', 'readyAt', 'expiresAt', 'closedAt'] as const;
const backInLine = (hold: Hold): Hold => ({ ...hold, status: 'WAITING', bookId: null });

/** Returns the writes of holds. They follow those of the copies that are set aside. */
export function holdWrites({
  swapped,
  updated,
  ready,
  inserted,
}: ReturnType<HoldLines['pending']>): Statement[] {
  return [
    ...updateById(BookHold, HOLD_PROGRESS, swapped.map(backInLine)),
    ...updateById(BookHold, HOLD_PROGRESS, updated),
    ...updateById(BookHold, HOLD_PROGRESS, ready),
    ...insert(BookHold, inserted.map(holdRow)),
  ];
}
