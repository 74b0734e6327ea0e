import { bookInfoKey, type LendingCommand } from '../../shared/lending/commands';
import { BookUser } from '../../shared/lending/tables';
import { gather } from '../batch/service/needs';
import type { Read } from '../batch/service/state-plan';
import { instant, optionalInstant, placeholders, tuplesIn } from '../batch/sql/statements';
import type { Row, Statement } from '../batch/sql/transaction';
import { holdReads } from './hold-store';
import { lendingNeeds, Wanted } from './needs';
import { ruleReads, type ReadOptions } from './rule-reads';
import type { Borrow, Copy, Title } from './rows';
import { searchReads } from './search-store';
import type { LendingState } from './state';

/** Reads the rows of lending commands. */

const TITLE_COLUMNS = `t.id, t.book_title, t.book_bookAuthor, a.name AS author, t.isbn, SUBSTR(CAST(t.publication_date AS CHAR), 1, 10) AS published_on, t.book_img, t.total_stock,
  t.available_stock, t.borrow_count, t.event_count, t.version, t.created_at, t.modified_at, t.deleted_at`;
const TITLES = `SELECT ${TITLE_COLUMNS} FROM book_info t JOIN author a ON a.id = t.book_bookAuthor`;
const COPIES = 'SELECT id, book_info_id, status, kind, barcode, deleted_at FROM book';
/**
 * Each borrow with its copy, because closing the one frees the other. Borrows without a reader are
 * left out, because they stay closed.
 */
const BORROWS = `SELECT l.id, l.user_id, u.username, u.category, l.book_info_id, l.book_id, t.book_title, l.status, l.borrowed_at, l.due_at, l.returned_at,
  l.renewal_count, l.reminder, l.reminder_due_at, c.book_info_id AS copy_title_id, c.status AS copy_status, c.kind AS copy_kind, c.barcode AS copy_barcode, c.deleted_at AS copy_deleted_at
  FROM book_user l JOIN \`user\` u ON u.id = l.user_id JOIN book_info t ON t.id = l.book_info_id JOIN book c ON c.id = l.book_id`;

function titleOf(row: Row): Title {
  return {
    id: Number(row.id),
    title: row.book_title as string,
    author: row.author as string,
    authorId: Number(row.book_bookAuthor),
    isbn: row.isbn as string | null,
    // Cut in SQL instead of read as a Date: V8 reads a year below 100 as one of the 20th century.
    publicationDate: row.published_on as string | null,
    bookImg: row.book_img as string | null,
    totalStock: Number(row.total_stock),
    availableStock: Number(row.available_stock),
    borrowCount: Number(row.borrow_count),
    version: Number(row.version),
    createdAt: instant(row.created_at),
    modifiedAt: instant(row.modified_at),
    deletedAt: optionalInstant(row.deleted_at),
  };
}

function copyOf(row: Row): Copy {
  return {
    id: Number(row.id),
    bookInfoId: Number(row.book_info_id),
    status: row.status as Copy['status'],
    kind: row.kind as string,
    barcode: row.barcode as string | null,
    deletedAt: optionalInstant(row.deleted_at),
  };
}

function borrowOf(row: Row): Borrow {
  const dueAt = instant(row.due_at);
  const isReminded = optionalInstant(row.reminder_due_at)?.getTime() === dueAt.getTime();
  return {
    id: Number(row.id),
    userId: Number(row.user_id),
    username: row.username as string,
    bookInfoId: Number(row.book_info_id),
    bookId: Number(row.book_id),
    title: row.book_title as string,
    status: row.status as Borrow['status'],
    borrowedAt: instant(row.borrowed_at),
    dueAt,
    returnedAt: optionalInstant(row.returned_at),
    renewalCount: Number(row.renewal_count),
    reminder: isReminded ? (row.reminder as Borrow['reminder']) : null,
  };
}

const applyTitles: Read<LendingState>['apply'] = (rows, state) => {
  state.load({ titles: rows.map(titleOf) });
  for (const row of rows) state.events.load(bookInfoKey(Number(row.id)), Number(row.event_count));
};
const applyCopies: Read<LendingState>['apply'] = (rows, state) => {
  state.load({ copies: rows.map(copyOf) });
};
const applyBorrows: Read<LendingState>['apply'] = (rows, state) => {
  const copies = rows.map((row) =>
    copyOf({
      id: row.book_id,
      book_info_id: row.copy_title_id,
      status: row.copy_status,
      kind: row.copy_kind,
      barcode: row.copy_barcode,
      deleted_at: row.copy_deleted_at,
    }),
  );
  state.load({ borrows: rows.map(borrowOf), copies });
  state.loadCategories(
    rows.map((row) => ({ id: Number(row.user_id), category: row.category as string })),
  );
};

const among = (sql: string, column: string, values: Iterable<unknown>): Statement => {
  const list = [...values];
  return { sql: `${sql} WHERE ${column} IN (${placeholders(list.length)})`, values: list };
};

/**
 * Locks rows that are read, so that none is removed as unused before the batch ends
 * (`unused-rows.ts`).
 */
const shared = ({ sql, values }: Statement, lockRows: boolean): Statement => ({
  sql: lockRows ? `${sql} LOCK IN SHARE MODE` : sql,
  values,
});

/**
 * Selects the first copies of each title, as many as the batch can use. One SELECT for all titles.
 */
function firstCopies(of: ReadonlyMap<number, number>, condition: string): Statement {
  const one = `SELECT * FROM (${COPIES} WHERE book_info_id = ? AND ${condition} ORDER BY id LIMIT ?) c`;
  return { sql: [...of].map(() => one).join(' UNION ALL '), values: [...of].flat() };
}

function openBorrowReads(wanted: Wanted): Read<LendingState>[] {
  const statements: Statement[] = [];
  if (wanted.borrows.size > 0) statements.push(among(BORROWS, 'l.id', wanted.borrows));
  if (wanted.openOfCopies.size > 0)
    statements.push(among(BORROWS, 'l.open_book_id', wanted.openOfCopies));
  if (wanted.openOfUsers.size > 0) {
    const pairs = [...wanted.openOfUsers.values()];
    const where = tuplesIn(BookUser, ['l.user_id', 'l.open_book_info_id'], pairs.length);
    statements.push({
      sql: `${BORROWS} WHERE ${where}`,
      values: pairs.flatMap(({ userId, bookInfoId }) => [userId, bookInfoId]),
    });
  }
  return statements.map((statement) => ({ statement, apply: applyBorrows }));
}

/**
 * Reads whether readers were erased, and locks their rows until COMMIT. The lock is shared. It is
 * exclusive where borrows or holds are limited, because different partitions decide the commands of
 * one user. Rows are locked in the order of ids, so no two batches wait for each other.
 */
function readerRead(
  readers: ReadonlySet<number>,
  { limited, holdsLimited, lockRows }: ReadOptions,
): Read<LendingState> {
  const { sql, values } = among(
    'SELECT id, username, category, erased_at FROM `user`',
    'id',
    [...readers].sort((a, b) => a - b),
  );
  const strength = limited || holdsLimited ? 'FOR UPDATE' : 'LOCK IN SHARE MODE';
  const lock = lockRows ? ` ORDER BY id ${strength}` : '';
  return {
    statement: { sql: `${sql}${lock}`, values },
    apply: (rows, state) => {
      state.loadReaders(
        rows.map((row) => ({
          id: Number(row.id),
          username: row.username as string,
          category: row.category as string,
          isErased: row.erased_at !== null,
        })),
      );
    },
  };
}

/** Returns the reads for a batch, in the order in which they must run. */
export function lendingReads(
  commands: readonly LendingCommand[],
  options: ReadOptions,
): Read<LendingState>[] {
  const wanted = gather(lendingNeeds, commands, new Wanted());
  const reads: Read<LendingState>[] = [];
  const add = (size: number, statement: () => Statement, apply: Read<LendingState>['apply']) => {
    if (size > 0) reads.push({ statement: statement(), apply });
  };
  add(wanted.titles.size, () => among(TITLES, 't.id', wanted.titles), applyTitles);
  add(wanted.isbns.size, () => among(TITLES, 't.live_isbn', wanted.isbns), applyTitles);
  add(wanted.copies.size, () => among(COPIES, 'id', wanted.copies), applyCopies);
  add(wanted.barcodes.size, () => among(COPIES, 'live_barcode', wanted.barcodes), applyCopies);
  add(
    wanted.labelledOfTitles.size,
    () => {
      const { sql, values } = among(COPIES, 'book_info_id', wanted.labelledOfTitles);
      return { sql: `${sql} AND live_barcode IS NOT NULL`, values };
    },
    applyCopies,
  );
  add(wanted.available.size, () => firstCopies(wanted.available, 'available = 1'), applyCopies);
  const asked = options.ruled && wanted.holders.size > 0 ? wanted.firstCopies : new Map();
  add(asked.size, () => firstCopies(asked, 'deleted_at IS NULL'), applyCopies);
  add(
    wanted.authors.size,
    () => shared(among('SELECT id, name FROM author', 'name', wanted.authors), options.lockRows),
    (rows, state) => {
      state.load({
        authors: rows.map((row) => ({ id: Number(row.id), name: row.name as string })),
      });
    },
  );
  add(
    wanted.openOfTitles.size,
    () => {
      // Finds them by the copies, because the borrows of a title are all that it ever had.
      const { sql, values } = among(
        'SELECT l.id, c.book_info_id FROM book c JOIN book_user l ON l.open_book_id = c.id',
        'c.book_info_id',
        wanted.openOfTitles,
      );
      return { sql: `${sql} AND c.available = 0 AND c.status = 'ON_LOAN'`, values };
    },
    (rows, state) => {
      state.loadOpen(
        rows.map((row) => ({ id: Number(row.id), bookInfoId: Number(row.book_info_id) })),
      );
    },
  );
  reads.push(
    ...openBorrowReads(wanted),
    ...holdReads(wanted),
    ...searchReads(wanted.texts).map((read) => ({
      ...read,
      statement: shared(read.statement, options.lockRows),
    })),
  );
  if (wanted.readers.size > 0) reads.push(readerRead(wanted.readers, options));
  return [...reads, ...ruleReads(wanted, options)];
}
