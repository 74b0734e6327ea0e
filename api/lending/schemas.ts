import { BORROW_STATUSES, COPY_STATUSES, HOLD_STATUSES } from '../../shared/lending/commands';
import type { BookInfoView, BorrowView, CopyView, HoldView } from '../../shared/lending/views';
import {
  arrayOf,
  count,
  day,
  flag,
  id,
  instant,
  nullable,
  object,
  oneOf,
  page,
  text,
} from '../openapi/schema';
import type { PopularTitle } from './popular-titles';

/** What clients see of library lending, for the document. */

const dune: BookInfoView = {
  ...{
    bookInfoId: 42,
    title: 'Dune',
    author: 'Frank Herbert',
    authorId: 5,
    isbn: '9780441172719',
    publicationDate: '1965-08-01',
    bookImg: null,
  },
  ...{
    totalStock: 2,
    availableStock: 1,
    version: 3,
    createdAt: '2026-03-01T09:30:00.000Z',
    modifiedAt: '2026-03-02T10:00:00.000Z',
  },
};

const title = {
  bookInfoId: id,
  title: text,
  author: text,
  authorId: id,
  isbn: nullable(text),
  publicationDate: nullable(day),
  bookImg: nullable(text),
  totalStock: count,
  availableStock: count,
  version: id,
  createdAt: instant,
  modifiedAt: instant,
};

export const bookInfo = object<BookInfoView>('BookInfo', title, dune);
const popularTitle = object<PopularTitle>(
  'PopularTitle',
  { ...title, borrowCount: count },
  { ...dune, borrowCount: 17 },
);
export const popularTitles = page(popularTitle, 'PopularTitleList', { days: id });

export const copyMembers = {
  bookId: id,
  bookInfoId: id,
  available: flag,
  status: oneOf(COPY_STATUSES),
};
export const copy = object<CopyView>('Book', copyMembers, {
  bookId: 108,
  bookInfoId: 42,
  available: true,
  status: 'AVAILABLE',
});
const stock = { bookInfoId: id, totalStock: count, availableStock: count };
export const copies = page(copy, 'BookList', stock);

export interface AddedCopies {
  readonly bookInfoId: number;
  readonly addedCount: number;
  readonly totalStock: number;
  readonly availableStock: number;
  readonly items: readonly CopyView[];
}

export const addedCopies = object<AddedCopies>('AddedBooks', {
  ...stock,
  addedCount: id,
  items: arrayOf(copy),
});

export const borrowMembers = {
  borrowId: id,
  userId: nullable(id),
  username: nullable(text),
  bookInfoId: id,
  bookId: id,
  title: text,
  borrowedAt: instant,
  dueAt: instant,
  returnedAt: nullable(instant),
  renewalCount: count,
  overdue: flag,
  status: oneOf(BORROW_STATUSES),
};
export const borrowed: BorrowView = {
  ...{
    borrowId: 9,
    userId: 7,
    username: 'ada',
    bookInfoId: 42,
    bookId: 108,
    title: 'Dune',
    renewalCount: 0,
    overdue: false,
    status: 'BORROWED',
  },
  ...{
    borrowedAt: '2026-03-02T10:00:00.000Z',
    dueAt: '2026-03-16T10:00:00.000Z',
    returnedAt: null,
  },
};
export const borrow = object<BorrowView>('Borrow', borrowMembers, borrowed);

export const hold = object<HoldView>(
  'Hold',
  {
    holdId: id,
    userId: id,
    username: text,
    bookInfoId: id,
    title: text,
    status: oneOf(HOLD_STATUSES),
    position: nullable(id),
    bookId: nullable(id),
    placedAt: instant,
    readyAt: nullable(instant),
    expiresAt: nullable(instant),
    closedAt: nullable(instant),
  },
  {
    ...{
      holdId: 3,
      userId: 7,
      username: 'ada',
      bookInfoId: 42,
      title: 'Dune',
      status: 'WAITING',
      position: 1,
      bookId: null,
    },
    ...{ placedAt: '2026-03-02T10:00:00.000Z', readyAt: null, expiresAt: null, closedAt: null },
  },
);
