import type {
  BookAttributes,
  BorrowStatus,
  CopyStatus,
  HoldStatus,
  Reminder,
} from '../../../../shared/lending/commands';

/** What the reference remembers. */

export interface ReferenceTitle extends BookAttributes {
  readonly id: number;
  readonly authorId: number;
  readonly borrowCount: number;
  readonly version: number;
  readonly createdAt: Date;
  readonly modifiedAt: Date;
  readonly deletedAt: Date | null;
}

export interface ReferenceCopy {
  readonly id: number;
  readonly bookInfoId: number;
  readonly status: CopyStatus;
  readonly kind: string;
  readonly barcode: string | null;
  readonly deletedAt: Date | null;
}

export interface ReferenceBorrow {
  readonly id: number;
  readonly userId: number;
  readonly bookInfoId: number;
  readonly bookId: number;
  readonly status: BorrowStatus;
  readonly borrowedAt: Date;
  readonly dueAt: Date;
  readonly returnedAt: Date | null;
  readonly renewalCount: number;
  readonly reminder: Reminder | null;
}

export interface ReferenceHold {
  readonly id: number;
  readonly userId: number;
  readonly bookInfoId: number;
  readonly bookId: number | null;
  readonly status: HoldStatus;
  readonly placedAt: Date;
  readonly readyAt: Date | null;
  readonly expiresAt: Date | null;
  readonly closedAt: Date | null;
}

/** Rows as clients see them. */

export function titleView(title: ReferenceTitle, stock: object): object {
  const { id, title: name, author, authorId, isbn, publicationDate, bookImg, version } = title;
  return {
    bookInfoId: id,
    ...{ title: name, author, authorId, isbn, publicationDate, bookImg, version },
    ...stock,
    createdAt: title.createdAt.toISOString(),
    modifiedAt: title.modifiedAt.toISOString(),
  };
}

export function copyView({ id, bookInfoId, status, kind, barcode }: ReferenceCopy): object {
  return { bookId: id, bookInfoId, available: status === 'AVAILABLE', status, kind, barcode };
}

export function borrowView(
  { id, borrowedAt, dueAt, returnedAt, ...borrow }: ReferenceBorrow,
  now: Date,
  names: { readonly username: string; readonly title: string | undefined },
): object {
  const { userId, bookInfoId, bookId, status, renewalCount } = borrow;
  return {
    borrowId: id,
    ...{ userId, bookInfoId, bookId, status, renewalCount },
    ...names,
    borrowedAt: borrowedAt.toISOString(),
    dueAt: dueAt.toISOString(),
    returnedAt: returnedAt === null ? null : returnedAt.toISOString(),
    overdue: status === 'BORROWED' && dueAt.getTime() < now.getTime(),
  };
}

export function placedHoldView(
  { id, userId, bookInfoId, placedAt }: ReferenceHold,
  more: {
    readonly username: string;
    readonly title: string | undefined;
    readonly position: number;
  },
): object {
  return {
    ...{ holdId: id, userId, bookInfoId, status: 'WAITING', ...more },
    ...{ bookId: null, placedAt: placedAt.toISOString() },
    ...{ readyAt: null, expiresAt: null, closedAt: null },
  };
}

/** Returns whether it is time for a reminder of an open borrow that was not made yet. */
export function isDue(
  { dueAt, reminder: made }: ReferenceBorrow,
  reminder: Reminder,
  now: Date,
  dueSoonDays: number,
): boolean {
  const daysLeft = (dueAt.getTime() - now.getTime()) / 86_400_000;
  if (reminder === 'overdue') return daysLeft < 0 && made !== 'overdue';
  return dueSoonDays > 0 && daysLeft >= 0 && daysLeft <= dueSoonDays && made === null;
}

/** Returns the copy with another kind or barcode, where these are given. */
export const relabelled = (
  copy: ReferenceCopy,
  { kind = copy.kind, barcode = copy.barcode }: Partial<Pick<ReferenceCopy, 'kind' | 'barcode'>>,
): ReferenceCopy => ({ ...copy, kind, barcode });

/** Returns a hold that somebody has just placed. */
export const placedHold = (
  id: number,
  userId: number,
  bookInfoId: number,
  placedAt: Date,
): ReferenceHold => ({
  ...{ id, userId, bookInfoId, bookId: null, status: 'WAITING', placedAt },
  ...{ readyAt: null, expiresAt: null, closedAt: null },
});
