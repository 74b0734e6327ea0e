import { setTimeout as pause } from 'node:timers/promises';
import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { folded } from '../../shared/fields';
import { User } from '../../shared/identity/tables';
import { signToken } from '../../shared/identity/token';
import { Author, Book, BookInfo } from '../../shared/lending/tables';
import { BOOKS, shareOf } from './popularity';

/**
 * The library on which all subjects of a benchmark work: the same users, titles and copies for
 * each.
 */

/** Users, each of whom has a token. */
const READERS = 60_000;
/** The ids before it are those of the accounts that a service makes by itself. */
export const FIRST_READER = 1001;
/** The title of rank n has the id n; the hot one comes after them. */
export const HOT_TITLE = BOOKS + 1;
const HOT_COPIES = 30_000;
/** A title of which there are fewer copies than readers who want one. */
export const SCARCE_TITLE = BOOKS + 2;
export const SCARCE_COPIES = 40;
const TITLES = SCARCE_TITLE;
/** Copies of all other titles together, by how often each is wanted, and of each one besides. */
const COPIES = 60_000;
const COPIES_MORE = 8;
const ROWS_AT_ONCE = 5000;
const TOKEN_LIFETIME_S = 24 * 3600;
/** When nothing was stored for so long, nothing is under way, milliseconds. */
const QUIET_MS = 700;

function copiesOf(title: number): number {
  if (title === HOT_TITLE) return HOT_COPIES;
  return title === SCARCE_TITLE ? SCARCE_COPIES : COPIES_MORE + Math.ceil(COPIES * shareOf(title));
}

/** Copies of each title, in the order of their ids. */
export const copiesByTitle = (): number[] =>
  Array.from({ length: TITLES }, (_, index) => copiesOf(index + 1));

const readerName = (reader: number): string => `reader-${reader}`;

/** The tokens of all readers, or of the first ones, as a sign-in gives them. */
export function readerTokens(secret: string, readers = READERS): string[] {
  const token = (userId: number) =>
    signToken(
      { userId, username: readerName(userId), role: 'user', isAdmin: false, generation: 0 },
      { secret },
      TOKEN_LIFETIME_S,
    );
  return Array.from({ length: Math.min(readers, READERS) }, (_, index) =>
    token(FIRST_READER + index),
  );
}

/**
 * What `make` makes of the numbers from 1 to `count`, so much at a time as one statement carries.
 */
function* chunks<T>(count: number, make: (number: number) => T[]): Generator<T[]> {
  let rows: T[] = [];
  for (let number = 1; number <= count; number += 1) {
    rows.push(...make(number));
    if (rows.length < ROWS_AT_ONCE && number < count) continue;
    yield rows;
    rows = [];
  }
}

/**
 * Fills an empty installation, on which nobody works yet, and takes the ids away from those who
 * will.
 */
export async function fillLibrary(database: Sequelize): Promise<void> {
  const at = new Date();
  const reader = (id: number) => ({
    id,
    username: readerName(id),
    role: 'user' as const,
    loginName: null,
    passwordHash: null,
    createdAt: at,
  });
  for (const rows of chunks(READERS, (number) => [reader(FIRST_READER + number - 1)]))
    await User.bulkCreate(rows);
  await Author.create({
    id: 1,
    name: 'Ursula K. Le Guin',
    searchName: folded('Ursula K. Le Guin'),
  });
  const title = (id: number) => ({
    id,
    title: `Book ${id}`,
    authorId: 1,
    isbn: null,
    publicationDate: null,
    bookImg: null,
    totalStock: copiesOf(id),
    availableStock: copiesOf(id),
    borrowCount: 0,
    version: 1,
    searchTitle: `book ${id}`,
    createdAt: at,
    modifiedAt: at,
    deletedAt: null,
  });
  for (const rows of chunks(TITLES, (id) => [title(id)])) await BookInfo.bulkCreate(rows);
  let id = 0;
  const copies = (bookInfoId: number) =>
    Array.from({ length: copiesOf(bookInfoId) }, () => ({
      id: (id += 1),
      bookInfoId,
      available: true,
      status: 'AVAILABLE' as const,
      deletedAt: null,
    }));
  for (const rows of chunks(TITLES, copies)) await Book.bulkCreate(rows);
  for (const [kind, next] of [
    ['user', FIRST_READER + READERS],
    ['author', 2],
    ['book-info', TITLES + 1],
    ['book', id + 1],
  ]) {
    await database.query('UPDATE id_block SET next_id = :next WHERE kind = :kind', {
      replacements: { kind, next },
    });
  }
}

/** Waits until what was sent is carried out, also for those who did not wait for it. */
export async function settled(database: Sequelize): Promise<void> {
  for (let before = -1, now = await borrowsStored(database); now !== before;) {
    await pause(QUIET_MS);
    [before, now] = [now, await borrowsStored(database)];
  }
}

/** Takes back every borrow, past the services, while none of them works. */
export async function returnAll(database: Sequelize): Promise<void> {
  const now = new Date();
  await database.query(
    "UPDATE book_user SET status = 'RETURNED', returned_at = :now WHERE returned_at IS NULL",
    { replacements: { now } },
  );
  await database.query(
    "UPDATE book SET available = 1, status = 'AVAILABLE' WHERE status = 'ON_LOAN'",
  );
  await database.query(
    'UPDATE book_info SET available_stock = total_stock WHERE available_stock <> total_stock',
  );
}

/** How many borrows there ever were, and how many came back: it changes with each. */
async function borrowsStored(database: Sequelize): Promise<number> {
  return count(database, 'SELECT COUNT(*) + COUNT(returned_at) AS found FROM book_user');
}

async function count(
  database: Sequelize,
  sql: string,
  replacements: Record<string, number> = {},
): Promise<number> {
  const [row] = await database.query<{ found: number }>(sql, {
    replacements,
    type: QueryTypes.SELECT,
  });
  return Number(row?.found);
}

/** The id of the borrow that was stored last. */
export const lastBorrow = (database: Sequelize): Promise<number> =>
  count(database, 'SELECT MAX(id) AS found FROM book_user');

/**
 * How many borrows were stored after that one. Only they are looked at: to count them all would
 * keep the database from its work.
 */
export const borrowsAfter = (database: Sequelize, id: number): Promise<number> =>
  count(database, 'SELECT COUNT(*) AS found FROM book_user WHERE id > :id', { id });

/**
 * Adds so many past borrows, of all titles and readers alike, before the ids that a service gives.
 */
export async function addHistory(database: Sequelize, borrows: number): Promise<void> {
  const [first] = await database.query<{ id: number }>('SELECT MIN(id) AS id FROM book', {
    type: QueryTypes.SELECT,
  });
  const copies = await count(database, 'SELECT COUNT(*) AS found FROM book');
  const columns = 'id, user_id, book_id, book_info_id, status, borrowed_at, due_at, returned_at';
  for (let from = 0; from < borrows; from += copies) {
    const past = 'DATE_SUB(UTC_TIMESTAMP(3), INTERVAL :days DAY)';
    const id = `b.id - ${first?.id ?? 1} + 1 + :from`;
    const row = `${id}, ${FIRST_READER} + (${id}) % ${READERS}, b.id, b.book_info_id, 'RETURNED', ${past}, ${past}, ${past}`;
    const sql = `INSERT INTO book_user (${columns}) SELECT ${row} FROM book b ORDER BY b.id LIMIT ${Math.min(copies, borrows - from)}`;
    await database.query(sql, { replacements: { from, days: 400 + from / copies } });
  }
  await database.query(
    "UPDATE id_block SET next_id = GREATEST(next_id, :next) WHERE kind = 'borrow'",
    { replacements: { next: borrows + 1 } },
  );
}

/** What no service may ever leave behind. Empty when all is well. */
export async function faultsOf(database: Sequelize): Promise<string[]> {
  const rules = {
    'titles whose stock is not that of their copies':
      'SELECT COUNT(*) AS found FROM book_info t WHERE t.available_stock <> (SELECT COUNT(*) FROM book b WHERE b.book_info_id = t.id AND b.available = 1)',
    'copies on loan without one open borrow':
      "SELECT COUNT(*) AS found FROM book b WHERE b.status = 'ON_LOAN' AND 1 <> (SELECT COUNT(*) FROM book_user l WHERE l.book_id = b.id AND l.returned_at IS NULL)",
    'open borrows of a copy that is not on loan':
      "SELECT COUNT(*) AS found FROM book_user l JOIN book b ON b.id = l.book_id WHERE l.returned_at IS NULL AND b.status <> 'ON_LOAN'",
  };
  const found: string[] = [];
  for (const [rule, sql] of Object.entries(rules)) {
    const faults = await count(database, sql);
    if (faults > 0) found.push(`${faults} ${rule}`);
  }
  return found;
}
