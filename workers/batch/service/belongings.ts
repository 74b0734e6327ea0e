import type { DueCommand } from './decision';
import type { Row, Statement } from '../sql/transaction';

/** What the services have of a user who is to be erased. */
export interface Belongings {
  /** Ids of open borrows, as many as can be told. They stand in the way. */
  readonly openBorrows: readonly number[];
  /** Commands that end what the user has not ended. */
  readonly followUps: readonly DueCommand[];
}

/** How one service finds a part of them. */
export interface BelongingsRead {
  statement(userId: number): Statement;
  of(rows: readonly Row[], userId: number): Partial<Belongings>;
}
