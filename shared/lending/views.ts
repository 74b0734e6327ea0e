import type { BorrowStatus, CopyStatus, HoldStatus } from './commands';

/** The views that clients get. Workers' rows and queries' rows give the same view. */

export interface BookInfoRow {
  readonly id: number;
  readonly title: string;
  readonly author: string;
  readonly authorId: number;
  readonly isbn: string | null;
  readonly publicationDate: string | null;
  readonly bookImg: string | null;
  readonly totalStock: number;
  readonly availableStock: number;
  readonly version: number;
  readonly createdAt: Date;
  readonly modifiedAt: Date;
}

export interface BorrowRow {
  readonly id: number;
  /** Null, like the name, for an old borrow whose reader is no longer kept. */
  readonly userId: number | null;
  readonly username: string | null;
  readonly bookInfoId: number;
  readonly bookId: number;
  readonly title: string;
  readonly borrowedAt: Date;
  readonly dueAt: Date;
  readonly returnedAt: Date | null;
  readonly renewalCount: number;
  readonly status: BorrowStatus;
}

export function bookInfoView(row: BookInfoRow) {
  return {
    bookInfoId: row.id,
    title: row.title,
    author: row.author,
    authorId: row.authorId,
    isbn: row.isbn,
    publicationDate: row.publicationDate,
    bookImg: row.bookImg,
    totalStock: row.totalStock,
    availableStock: row.availableStock,
    version: row.version,
    createdAt: row.createdAt.toISOString(),
    modifiedAt: row.modifiedAt.toISOString(),
  };
}

export function copyView(row: {
  readonly id: number;
  readonly bookInfoId: number;
  readonly status: CopyStatus;
  readonly kind: string;
  readonly barcode: string | null;
}) {
  return {
    bookId: row.id,
    bookInfoId: row.bookInfoId,
    available: row.status === 'AVAILABLE',
    status: row.status,
    kind: row.kind,
    barcode: row.barcode,
  };
}

/** Returns the view of a borrow. `now` decides whether an open borrow is overdue. */
export function borrowView(row: BorrowRow, now: Date) {
  return {
    borrowId: row.id,
    userId: row.userId,
    username: row.username,
    bookInfoId: row.bookInfoId,
    bookId: row.bookId,
    title: row.title,
    borrowedAt: row.borrowedAt.toISOString(),
    dueAt: row.dueAt.toISOString(),
    returnedAt: row.returnedAt?.toISOString() ?? null,
    renewalCount: row.renewalCount,
    overdue: row.status === 'BORROWED' && row.dueAt < now,
    status: row.status,
  };
}

export interface HoldRow {
  readonly id: number;
  readonly userId: number;
  readonly username: string;
  readonly bookInfoId: number;
  readonly title: string;
  readonly status: HoldStatus;
  /** Place in line, from 1. Null for a hold that does not wait. */
  readonly position: number | null;
  readonly bookId: number | null;
  readonly placedAt: Date;
  readonly readyAt: Date | null;
  readonly expiresAt: Date | null;
  readonly closedAt: Date | null;
}

export function holdView(row: HoldRow) {
  return {
    holdId: row.id,
    userId: row.userId,
    username: row.username,
    bookInfoId: row.bookInfoId,
    title: row.title,
    status: row.status,
    position: row.position,
    bookId: row.bookId,
    placedAt: row.placedAt.toISOString(),
    readyAt: row.readyAt?.toISOString() ?? null,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    closedAt: row.closedAt?.toISOString() ?? null,
  };
}

export type HoldView = ReturnType<typeof holdView>;
export type BookInfoView = ReturnType<typeof bookInfoView>;
export type CopyView = ReturnType<typeof copyView>;
export type BorrowView = ReturnType<typeof borrowView>;

/**
 * Returns the ETag of a title: the version of its attributes first, for If-Match, and then the
 * stock. A borrow makes a new representation without a new version.
 */
export function bookInfoEtag(
  view: Pick<BookInfoView, 'version' | 'totalStock' | 'availableStock'>,
): string {
  return `"${view.version}.${view.availableStock}-${view.totalStock}"`;
}

/** Returns the ETag of loan rules or of the calendar. */
export const policyEtag = ({ version }: { readonly version: number }): string => `"${version}"`;

/**
 * Cache subjects that a worker bumps when a view changes (see `shared/cache/cache.ts`). `titles`
 * stands for every list that a change of any title may alter.
 */
export const lendingCacheKeys = {
  bookInfo: (bookInfoId: number): string => `lending:book-info:${bookInfoId}`,
  titles: 'lending:titles',
  loanRules: 'lending:loan-rules',
  calendar: 'lending:calendar',
  popular: (days: number, size: number): string => `lending:popular:${days}:${size}`,
};
