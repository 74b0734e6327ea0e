import { folded } from '../../shared/fields';
import { bookInfoKey } from '../../shared/lending/commands';
import { Author, Book, BookImg, BookInfo, BookUser } from '../../shared/lending/tables';
import type { EventCounts } from '../batch/service/event-counts';
import { insert, insertIgnoring, updateById } from '../batch/sql/statements';
import type { Statement } from '../batch/sql/transaction';
import { borrowDayWrites } from './borrow-days';
import { holdWrites } from './hold-store';
import { policyWrites } from './policy-store';
import type { Borrow, Copy, Title } from './rows';
import { searchWrites } from './search-store';
import type { LendingState } from './state';

/** Writes the changes of a batch of lending commands. */

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
const BORROW = [
  'id',
  'userId',
  'bookId',
  'bookInfoId',
  'status',
  'borrowedAt',
  'dueAt',
  'returnedAt',
  'renewalCount',
] as const satisfies readonly (keyof Borrow)[];

/** Returns the writes of the new state. Writes that free a unique key come first. */
export function lendingWrites(state: LendingState): Statement[] {
  const { authors, titles, copies, borrows, holds, policies } = state.pending();
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
    ...updateById(Book, ['status', 'available', 'deletedAt'], deleted.map(copyRow)),
    ...updateById(
      Book,
      ['barcode'],
      copies.relabelled.map(({ id }) => ({ id, barcode: null })),
    ),
    ...insert(Book, copies.inserted.map(copyRow)),
    ...updateById(Book, ['status', 'available'], kept.map(copyRow)),
    ...updateById(
      Book,
      ['barcode'],
      copies.relabelled.filter(({ barcode }) => barcode !== null),
    ),
    ...updateById(Book, ['kind'], copies.renamed),
    ...updateById(BookUser, ['status', 'dueAt', 'returnedAt', 'renewalCount'], borrows.updated),
    ...updateById(
      BookUser,
      ['reminder', 'reminderDueAt'],
      borrows.reminded.map(({ id, reminder, dueAt }) => ({
        id,
        reminder,
        reminderDueAt: reminder === null ? null : dueAt,
      })),
    ),
    ...insert(BookUser, borrows.inserted, BORROW),
    ...borrowDayWrites(borrows.inserted),
    ...holdWrites(holds),
    ...searchWrites(state, { authors, titles }),
    ...policyWrites(policies),
  ];
}
