import { folded } from '../../shared/fields';
import { bookInfoKey, type LendingCommand } from '../../shared/lending/commands';
import { Author, Book, BookImg, BookInfo, BookUser } from '../../shared/lending/tables';
import { lendingCacheKeys } from '../../shared/lending/views';
import type { EventCounts } from '../batch/event-counts';
import { gather } from '../batch/needs';
import type { Read } from '../batch/state-plan';
import {
  insert,
  insertIgnoring,
  instant,
  optionalInstant,
  placeholders,
  tuplesIn,
  updateById,
} from '../batch/statements';
import type { Row, Statement } from '../batch/transaction';
import { borrowDayWrites } from './borrow-days';
import { holdReads, holdWrites } from './hold-store';
import { lendingNeeds, Wanted } from './needs';
import { searchReads, searchWrites } from './search-store';
import type { Borrow, Copy, LendingState, Title } from './state';

/** Which rows a batch of lending commands needs, and how its changes are written. */

const TITLE_COLUMNS = `t.id, t.book_title, t.book_bookAuthor, a.name AS author, t.isbn, SUBSTR(CAST(t.publication_date AS CHAR), 1, 10) AS published_on, t.book_img, t.total_stock,
  t.available_stock, t.borrow_count, t.event_count, t.version, t.created_at, t.modified_at, t.deleted_at`;
const TITLES = `SELECT ${TITLE_COLUMNS} FROM book_info t JOIN author a ON a.id = t.book_bookAuthor`;
const COPIES = 'SELECT id, book_info_id, status, deleted_at FROM book';
/**
 * With each borrow its copy, because closing the one frees the other. Those of nobody are left out:
 * they are closed for good.
 */
const BORROWS = `SELECT l.id, l.user_id, u.username, l.book_info_id, l.book_id, t.book_title, l.status, l.borrowed_at, l.due_at, l.returned_at,
  l.renewal_count, c.book_info_id AS copy_title_id, c.status AS copy_status, c.deleted_at AS copy_deleted_at
  FROM book_user l JOIN \`user\` u ON u.id = l.user_id JOIN book_info t ON t.id = l.book_info_id JOIN book c ON c.id = l.book_id`;

function titleOf(row: Row): Title {
  return {
    id: Number(row.id),
    title: row.book_title as string,
    author: row.author as string,
    authorId: Number(row.book_bookAuthor),
    isbn: row.isbn as string | null,
    // Cut in SQL and not taken from a Date: V8 reads a year below 100 as one of the 20th century.
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
    deletedAt: optionalInstant(row.deleted_at),
  };
}

function borrowOf(row: Row): Borrow {
  return {
    id: Number(row.id),
    userId: Number(row.user_id),
    username: row.username as string,
    bookInfoId: Number(row.book_info_id),
    bookId: Number(row.book_id),
    title: row.book_title as string,
    status: row.status as Borrow['status'],
    borrowedAt: instant(row.borrowed_at),
    dueAt: instant(row.due_at),
    returnedAt: optionalInstant(row.returned_at),
    renewalCount: Number(row.renewal_count),
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
      deleted_at: row.copy_deleted_at,
    }),
  );
  state.load({ borrows: rows.map(borrowOf), copies });
};

const among = (sql: string, column: string, values: Iterable<unknown>): Statement => {
  const list = [...values];
  return { sql: `${sql} WHERE ${column} IN (${placeholders(list.length)})`, values: list };
};

/**
 * Keeps what is read from being removed as unused before the batch has ended (`unused-rows.ts`).
 */
const shared = ({ sql, values }: Statement, lockRows: boolean): Statement => ({
  sql: lockRows ? `${sql} LOCK IN SHARE MODE` : sql,
  values,
});

/** Some available copies of each title, as many as the batch can use; one SELECT for all titles. */
function availableCopies(available: ReadonlyMap<number, number>): Statement {
  const one = `SELECT * FROM (${COPIES} WHERE book_info_id = ? AND available = 1 ORDER BY id LIMIT ?) c`;
  return { sql: [...available].map(() => one).join(' UNION ALL '), values: [...available].flat() };
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
 * Whether readers were erased. Their rows stay locked until COMMIT, so that nobody is erased before
 * the batch is stored: shared, or, where borrows are limited, alone, because one user's borrows of
 * different titles are decided in different partitions. In the order of ids, so that no two batches
 * wait for each other.
 */
function readerRead(
  readers: ReadonlySet<number>,
  { limited, lockRows }: ReadOptions,
): Read<LendingState> {
  const { sql, values } = among(
    'SELECT id, username, erased_at FROM `user`',
    'id',
    [...readers].sort((a, b) => a - b),
  );
  const lock = lockRows ? ` ORDER BY id ${limited ? 'FOR UPDATE' : 'LOCK IN SHARE MODE'}` : '';
  return {
    statement: { sql: `${sql}${lock}`, values },
    apply: (rows, state) => {
      state.loadReaders(
        rows.map((row) => ({
          id: Number(row.id),
          username: row.username as string,
          isErased: row.erased_at !== null,
        })),
      );
    },
  };
}

/** Counts the open borrows of users whose borrows are limited; their rows are locked before. */
function limitRead(borrowers: ReadonlySet<number>): Read<LendingState> {
  const users = [...borrowers];
  return {
    statement: {
      sql: `SELECT user_id, COUNT(*) AS open FROM book_user WHERE user_id IN (${placeholders(users.length)}) AND open_book_info_id IS NOT NULL GROUP BY user_id`,
      values: users,
    },
    apply: (rows, state) => {
      state.loadCounts({
        openByUser: new Map(rows.map((row) => [Number(row.user_id), Number(row.open)])),
      });
    },
  };
}

interface ReadOptions {
  readonly limited: boolean;
  readonly lockRows: boolean;
}

/** The reads for a batch, in the order in which they must run. */
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
  add(wanted.available.size, () => availableCopies(wanted.available), applyCopies);
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
      // By way of the copies, because a title's borrows are all that it ever had.
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
  if (options.limited && wanted.borrowers.size > 0) reads.push(limitRead(wanted.borrowers));
  return reads;
}

const titleRow = (title: Title, events: EventCounts) => ({
  id: title.id,
  title: title.title,
  authorId: title.authorId,
  isbn: title.isbn,
  publicationDate:
    title.publicationDate === null ? null : new Date(`${title.publicationDate}T00:00:00Z`),
  bookImg: title.bookImg,
  totalStock: title.totalStock,
  availableStock: title.availableStock,
  borrowCount: title.borrowCount,
  eventCount: events.of(bookInfoKey(title.id)),
  version: title.version,
  searchTitle: folded(title.title),
  createdAt: title.createdAt,
  modifiedAt: title.modifiedAt,
  deletedAt: title.deletedAt,
});

const copyRow = (copy: Copy) => ({
  ...copy,
  available: copy.status === 'AVAILABLE' && copy.deletedAt === null ? 1 : 0,
});

const borrowRow = ({
  id,
  userId,
  bookId,
  bookInfoId,
  status,
  borrowedAt,
  dueAt,
  returnedAt,
  renewalCount,
}: Borrow) => ({
  id,
  userId,
  bookId,
  bookInfoId,
  status,
  borrowedAt,
  dueAt,
  returnedAt,
  renewalCount,
});

const STOCK = ['totalStock', 'availableStock', 'borrowCount', 'eventCount'] as const;
const ATTRIBUTES = [
  'title',
  'authorId',
  'isbn',
  'publicationDate',
  'bookImg',
  'version',
  'searchTitle',
  'modifiedAt',
  'deletedAt',
] as const;

/** Writes of the evolved state. What frees a unique key comes before what may take it. */
export function lendingWrites(state: LendingState): Statement[] {
  const { authors, titles, copies, borrows, holds } = state.pending();
  const rowOf = (title: Title) => titleRow(title, state.events);
  const images = new Set(
    [...titles.inserted, ...titles.described].flatMap(({ bookImg }) =>
      bookImg === null ? [] : [bookImg],
    ),
  );
  const deleted = copies.updated.filter(({ deletedAt }) => deletedAt !== null);
  const kept = copies.updated.filter(({ deletedAt }) => deletedAt === null);
  return [
    ...insert(
      Author,
      authors.map(({ id, name }) => ({ id, name, searchName: folded(name) })),
    ),
    ...insertIgnoring(
      BookImg,
      [...images].map((url) => ({ url })),
    ),
    ...updateById(BookInfo, STOCK, titles.stocked.map(rowOf)),
    ...updateById(
      BookInfo,
      ['isbn'],
      titles.leaving.map(({ id }) => ({ id, isbn: null })),
    ),
    ...updateById(BookInfo, [...STOCK, ...ATTRIBUTES], titles.described.map(rowOf)),
    ...insert(BookInfo, titles.inserted.map(rowOf)),
    ...insert(Book, copies.inserted.map(copyRow)),
    ...updateById(Book, ['status', 'available'], kept.map(copyRow)),
    ...updateById(Book, ['status', 'available', 'deletedAt'], deleted.map(copyRow)),
    ...updateById(
      BookUser,
      ['status', 'dueAt', 'returnedAt', 'renewalCount'],
      borrows.updated.map(borrowRow),
    ),
    ...insert(BookUser, borrows.inserted.map(borrowRow)),
    ...borrowDayWrites(borrows.inserted),
    ...holdWrites(holds),
    ...searchWrites(state, { authors, titles }),
  ];
}

function subjectsOfTitles(ids: readonly number[]): string[] {
  return ids.length === 0 ? [] : [lendingCacheKeys.titles, ...ids.map(lendingCacheKeys.bookInfo)];
}

/** Cache subjects whose views show something else now. */
export function lendingSubjects(state: LendingState): string[] {
  return subjectsOfTitles(state.touchedTitles());
}

/**
 * Those of a command that was carried out earlier: all of the title that it names, or that it made.
 */
export function lendingSubjectsOf({ payload }: LendingCommand, result: string | null): string[] {
  const title =
    'bookInfoId' in payload ? payload : (JSON.parse(result ?? '{}') as { bookInfoId?: number });
  return subjectsOfTitles(title.bookInfoId === undefined ? [] : [title.bookInfoId]);
}
