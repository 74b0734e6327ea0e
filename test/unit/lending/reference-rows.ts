import type {
  BookAttributes,
  BorrowStatus,
  CopyStatus,
  HoldStatus,
} from '../../../shared/lending/commands';

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
