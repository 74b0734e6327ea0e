import { col, literal, type FindAttributeOptions, type Includeable } from 'sequelize';
import type { BorrowStatus } from '../../shared/lending/commands';
import { Author, BookInfo } from '../../shared/lending/tables';
import { User } from '../../shared/identity/tables';
import {
  bookInfoView,
  borrowView,
  type BookInfoView,
  type BorrowView,
} from '../../shared/lending/views';
import { optionalDate, type StoredInstant } from '../reads/stored';

/**
 * Rows as both dialects return them when Sequelize builds no objects of them, and what clients see
 * of them.
 */

export interface StoredTitle {
  readonly id: number;
  readonly title: string;
  readonly authorName: string;
  readonly authorId: number;
  readonly isbn: string | null;
  readonly publicationDay: string | null;
  readonly bookImg: string | null;
  readonly totalStock: number;
  readonly availableStock: number;
  readonly version: number;
  readonly createdAt: StoredInstant;
  readonly modifiedAt: StoredInstant;
}

export interface StoredBorrow {
  readonly id: number;
  readonly userId: number | null;
  readonly username: string | null;
  readonly bookInfoId: number;
  readonly bookId: number;
  readonly title: string;
  readonly borrowedAt: StoredInstant;
  readonly dueAt: StoredInstant;
  readonly returnedAt: StoredInstant | null;
  readonly renewalCount: number;
  readonly status: BorrowStatus;
}

/**
 * Every title has an author; `required` is false so that the optimizer must begin at the title and
 * can use its indexes.
 */
export const withAuthor: Includeable = {
  model: Author,
  as: 'author',
  attributes: [],
  required: false,
};

/**
 * To be read together with `withAuthor`. The date is cut out of the text that both dialects make of
 * the column: JavaScript and the drivers take a year below 100 for one of the twentieth century.
 */
export const titleAttributes: FindAttributeOptions = [
  'id',
  'title',
  [col('author.name'), 'authorName'],
  'authorId',
  'isbn',
  [literal('SUBSTR(CAST(`BookInfo`.`publication_date` AS CHAR), 1, 10)'), 'publicationDay'],
  'bookImg',
  'totalStock',
  'availableStock',
  'version',
  'createdAt',
  'modifiedAt',
];

/** Not `required` for the same reason. */
export const withReader: Includeable[] = [
  { model: User, as: 'user', attributes: [], required: false },
  { model: BookInfo, as: 'bookInfo', attributes: [], required: false },
];

/** Who has or wants what, to be read together with `withReader`. A deleted title keeps its name. */
export const ofReader = [
  'userId',
  [col('user.username'), 'username'],
  'bookInfoId',
  [col('bookInfo.book_title'), 'title'],
] satisfies FindAttributeOptions;

export const borrowAttributes: FindAttributeOptions = [
  'id',
  'bookId',
  'borrowedAt',
  'dueAt',
  'returnedAt',
  'renewalCount',
  'status',
  ...ofReader,
];

export function titleView(row: StoredTitle): BookInfoView {
  const { authorName, publicationDay, createdAt, modifiedAt } = row;
  return bookInfoView({
    ...row,
    author: authorName,
    publicationDate: publicationDay,
    createdAt: new Date(createdAt),
    modifiedAt: new Date(modifiedAt),
  });
}

export function loanView(row: StoredBorrow, now: Date): BorrowView {
  const { borrowedAt, dueAt, returnedAt } = row;
  const dates = {
    borrowedAt: new Date(borrowedAt),
    dueAt: new Date(dueAt),
    returnedAt: optionalDate(returnedAt),
  };
  return borrowView({ ...row, ...dates }, now);
}
