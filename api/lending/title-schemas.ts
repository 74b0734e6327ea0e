import { COPY_STATUSES } from '../../shared/lending/commands';
import type { BookInfoView, CopyView } from '../../shared/lending/views';
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
import type { TitledCopy } from './queries';

/** Titles and copies as clients see them, for the document. */

export const dune: BookInfoView = {
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
  kind: text,
  barcode: nullable(text),
};
export const shelved: CopyView = {
  bookId: 108,
  bookInfoId: 42,
  available: true,
  status: 'AVAILABLE',
  kind: 'book',
  barcode: 'LIB-000108',
};
export const copy = object<CopyView>('Book', copyMembers, shelved);
export const titledCopy = object<TitledCopy>(
  'TitledBook',
  { ...copyMembers, title: text },
  { ...shelved, title: 'Dune' },
);
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
