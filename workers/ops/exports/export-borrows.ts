import { col, Op } from 'sequelize';
import type { BorrowStatus } from '../../../shared/lending/commands';
import { BookInfo, BookUser } from '../../../shared/lending/tables';
import { User } from '../../../shared/identity/tables';
import { exportCommand, type Rows } from './export-command';

interface BorrowRow {
  readonly borrowId: number;
  readonly userId: number | null;
  readonly username: string | null;
  readonly bookInfoId: number;
  readonly title: string;
  readonly isbn: string | null;
  readonly bookId: number;
  readonly borrowedAt: string;
  readonly dueAt: string;
  readonly returnedAt: string | null;
  readonly renewalCount: number;
  readonly status: BorrowStatus;
}

type Stored = Omit<BorrowRow, 'borrowId' | 'borrowedAt' | 'dueAt' | 'returnedAt'> & {
  readonly id: number;
  readonly borrowedAt: Date | string;
  readonly dueAt: Date | string;
  readonly returnedAt: Date | string | null;
};

/** SQLite keeps instants as text. */
const instant = (value: Date | string): string => new Date(value).toISOString();

async function read(after: number, limit: number): Promise<Rows<BorrowRow>> {
  const borrows = (await BookUser.findAll({
    attributes: [
      ...['id', 'userId', 'bookInfoId', 'bookId', 'borrowedAt', 'dueAt', 'returnedAt'],
      ...['renewalCount', 'status'],
      [col('user.username'), 'username'],
      [col('bookInfo.book_title'), 'title'],
      [col('bookInfo.isbn'), 'isbn'],
    ],
    include: [
      { model: User, as: 'user', attributes: [] },
      { model: BookInfo, as: 'bookInfo', attributes: [] },
    ],
    where: { id: { [Op.gt]: after } },
    order: [['id', 'ASC']],
    limit,
    raw: true,
  })) as unknown as Stored[];
  const rows = borrows.map((row): BorrowRow => ({
    ...{ borrowId: row.id, userId: row.userId, username: row.username },
    ...{ bookInfoId: row.bookInfoId, title: row.title, isbn: row.isbn, bookId: row.bookId },
    borrowedAt: instant(row.borrowedAt),
    dueAt: instant(row.dueAt),
    returnedAt: row.returnedAt === null ? null : instant(row.returnedAt),
    ...{ renewalCount: row.renewalCount, status: row.status },
  }));
  return { rows, last: borrows.at(-1)?.id ?? null };
}

export const exportBorrows = exportCommand<BorrowRow>({
  things: 'borrows',
  notes: [
    'Columns: borrowId, userId, username, bookInfoId, title, isbn, bookId, borrowedAt, dueAt, returnedAt, renewalCount, status;',
    'open and returned borrows. Borrows cannot be imported.',
  ],
  columns: [
    ...(['borrowId', 'userId', 'username', 'bookInfoId', 'title', 'isbn', 'bookId'] as const),
    ...(['borrowedAt', 'dueAt', 'returnedAt', 'renewalCount', 'status'] as const),
  ],
  count: () => BookUser.count(),
  read,
});
