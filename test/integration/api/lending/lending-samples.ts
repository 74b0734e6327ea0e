import { folded } from '../../../../shared/fields';
import { User } from '../../../../shared/identity/tables';
import type { CopyStatus } from '../../../../shared/lending/commands';
import { endingsOf, wordsOf, type WordKind } from '../../../../shared/search/words';
import {
  Author,
  Book,
  BookInfo,
  BookUser,
  BorrowDay,
  dayOf,
} from '../../../../shared/lending/tables';
import { SearchEnding, SearchWord } from '../../../../shared/search/tables';

/** Titles, copies and borrows with everything in them that a dialect may get wrong. */

export const NOW = new Date('2024-06-30T12:00:00.000Z');
const DAY_MS = 24 * 3600 * 1000;
export const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS);

/** The largest id: it must come out exact. */
export const LARGE_ID = Number.MAX_SAFE_INTEGER;

const AUTHORS = ['Herman Hesse', '박경리', 'Émile Zola', '100%_\\Author'];

interface Sample {
  id: number;
  title: string;
  author: number;
  isbn?: string;
  published?: string;
  stock?: number;
  borrows?: number;
  deleted?: boolean;
}

const TITLES: Sample[] = [
  {
    id: 1,
    title: 'Demian',
    author: 1,
    isbn: '9780306406157',
    published: '1919-01-01',
    stock: 2,
    borrows: 5,
  },
  { id: 2, title: '토지', author: 2, published: '0800-12-31', borrows: 9 },
  { id: 3, title: 'GERMINAL à Paris', author: 3, published: '0050-02-01', stock: 1 },
  { id: 4, title: '100% sure', author: 4, published: '9999-12-31' },
  { id: 5, title: '100 percent', author: 4, published: '2024-02-29' },
  { id: 6, title: 'snake_case', author: 4 },
  { id: 7, title: "snakeXcase \\ O'Brien!", author: 4 },
  { id: 8, title: 'Demian, deleted', author: 1, isbn: '9780306406158', deleted: true },
  { id: LARGE_ID, title: 'demian again', author: 1, stock: 1, borrows: 5 },
];

const COPIES: [number, CopyStatus, boolean?][] = [
  [11, 'AVAILABLE'],
  [12, 'ON_LOAN'],
  [13, 'WITHDRAWN'],
  [14, 'LOST'],
  [15, 'AVAILABLE', true],
];

/** Stores by which words the samples are found. */
async function fillWords(): Promise<void> {
  const live = TITLES.filter(({ deleted }) => !deleted);
  const texts: [WordKind, number, string][] = [
    ...AUTHORS.map((name, index): [WordKind, number, string] => ['author', index + 1, name]),
    ...live.map(({ id, title }): [WordKind, number, string] => ['title', id, title]),
    ...live.flatMap(({ id, isbn }): [WordKind, number, string][] =>
      isbn ? [['isbn', id, isbn]] : [],
    ),
  ];
  const words = texts.flatMap(([kind, id, text]) =>
    wordsOf(kind, text).map((word) => ({ kind, word, id })),
  );
  await SearchWord.bulkCreate(words);
  await SearchEnding.bulkCreate(
    words.flatMap(({ kind, word }) =>
      endingsOf(kind, word).map((ending) => ({ kind, ending, word })),
    ),
    { ignoreDuplicates: true },
  );
}

/** Fills an empty database that was migrated. */
export async function fillWithSamples(): Promise<void> {
  await User.bulkCreate([
    { id: 1, username: 'ada', role: 'user', createdAt: NOW, loginName: null, passwordHash: null },
    { id: 2, username: '보라', role: 'user', createdAt: NOW, loginName: null, passwordHash: null },
  ]);
  await Author.bulkCreate(
    AUTHORS.map((name, index) => ({ id: index + 1, name, searchName: folded(name) })),
  );
  await BookInfo.bulkCreate(
    TITLES.map(
      ({ id, title, author, isbn, published, stock = 0, borrows = 0, deleted }, index) => ({
        id,
        title,
        authorId: author,
        isbn: isbn ?? null,
        publicationDate: published ? new Date(`${published}T00:00:00Z`) : null,
        bookImg: null,
        totalStock: stock,
        availableStock: stock,
        borrowCount: borrows,
        version: 1,
        searchTitle: folded(title),
        createdAt: daysAgo(100 - Math.min(index, 6)),
        modifiedAt: NOW,
        deletedAt: deleted ? NOW : null,
      }),
    ),
  );
  await Book.bulkCreate(
    COPIES.map(([id, status, deleted]) => ({
      id,
      bookInfoId: 1,
      status,
      available: status === 'AVAILABLE' && !deleted,
      deletedAt: deleted ? NOW : null,
    })),
  );
  await Book.bulkCreate(
    [16, 17].map((id, index) => ({
      id,
      bookInfoId: index === 0 ? 2 : 8,
      status: 'AVAILABLE',
      available: true,
      deletedAt: null,
    })),
  );
  const borrow = (
    id: number,
    userId: number,
    bookId: number,
    bookInfoId: number,
    borrowed: number,
    status: BookUser['status'],
  ) => ({
    ...{ id, userId, bookId, bookInfoId, status, renewalCount: 0 },
    borrowedAt: daysAgo(borrowed),
    dueAt: daysAgo(borrowed - 14),
    returnedAt: status === 'RETURNED' ? daysAgo(borrowed - 1) : null,
  });
  const borrows = [
    borrow(21, 1, 11, 1, 60, 'RETURNED'),
    borrow(22, 1, 12, 1, 20, 'BORROWED'),
    borrow(23, 2, 14, 1, 20, 'LOST'),
    borrow(24, 2, 16, 2, 5, 'BORROWED'),
    borrow(25, 2, 11, 1, 3, 'RETURNED'),
    borrow(26, 1, 17, 8, 2, 'RETURNED'),
  ];
  await BookUser.bulkCreate(borrows);
  for (const { bookInfoId, borrowedAt } of borrows) {
    const [counted] = await BorrowDay.findOrCreate({
      where: { day: dayOf(borrowedAt), bookInfoId },
      defaults: { day: dayOf(borrowedAt), bookInfoId, borrows: 0 },
    });
    await counted.increment('borrows');
  }
  await fillWords();
}
