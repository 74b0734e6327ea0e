import type {
  BookAttributes,
  BorrowStatus,
  CopyStatus,
  Reminder,
} from '../../shared/lending/commands';
import type { Hold } from './hold-lines';
import type { Policies } from './policies';

/** The rows of lending, as decisions see them. */

/**
 * A title, its stock and its deletion. Rows are never changed: a change is a new row in the state.
 */
export interface Title extends BookAttributes {
  readonly id: number;
  readonly authorId: number;
  readonly totalStock: number;
  readonly availableStock: number;
  readonly borrowCount: number;
  readonly version: number;
  readonly createdAt: Date;
  readonly modifiedAt: Date;
  readonly deletedAt: Date | null;
}

export interface Copy {
  readonly id: number;
  readonly bookInfoId: number;
  readonly status: CopyStatus;
  readonly kind: string;
  readonly barcode: string | null;
  readonly deletedAt: Date | null;
}

export interface Borrow {
  readonly id: number;
  readonly userId: number;
  readonly username: string;
  readonly bookInfoId: number;
  readonly bookId: number;
  readonly title: string;
  readonly status: BorrowStatus;
  readonly borrowedAt: Date;
  readonly dueAt: Date;
  readonly returnedAt: Date | null;
  readonly renewalCount: number;
  /** The last reminder of its due date. */
  readonly reminder: Reminder | null;
}

/** A user who borrows, holds, or lends to another. */
export interface Reader {
  readonly id: number;
  readonly username: string;
  readonly category: string;
  readonly isErased: boolean;
}

/** How many borrows of a kind a user has open. */
export interface OpenCount {
  readonly userId: number;
  readonly kind: string;
  readonly open: number;
}

/** Rows that a decision makes or replaces. */
export interface LendingChanges extends Partial<Policies> {
  readonly titles?: readonly Title[];
  readonly copies?: readonly Copy[];
  readonly borrows?: readonly Borrow[];
  readonly holds?: readonly Hold[];
  /** Authors that did not exist. */
  readonly authors?: readonly { readonly id: number; readonly name: string }[];
}
