import type { Refusal } from '../../shared/command';
import {
  bookInfoKey,
  type CopyStatus,
  type LendingCommand,
  type LendingCommands,
  type LendingRefusal,
} from '../../shared/lending/commands';
import type { LendingEvents } from '../../shared/lending/events';
import { borrowView } from '../../shared/lending/views';
import { done, type Decision, type DecisionContext, type DomainEvent } from '../batch/decision';
import type { LendingIds } from './needs';
import type { Borrow, LendingChanges, LendingView, Title } from './state';

/** The words in which lending decides. Everything here is pure. */

export interface LendingRules {
  /** Days until a borrow is due. */
  readonly loanDays: number;
  /** Most borrows that a user may have open; 0 for no limit. */
  readonly maxOpenBorrows: number;
  /** Days for which a copy stays set aside for the one whose hold it serves; fractions count. */
  readonly holdPickupDays: number;
}

export interface Decided {
  readonly decision: Decision;
  readonly changes: LendingChanges;
}

/** What one decision is made of. */
export interface Given<Type extends keyof LendingCommands> {
  readonly state: LendingView;
  readonly command: Extract<LendingCommand, { type: Type }>;
  readonly context: DecisionContext<LendingIds<Type>>;
  readonly rules: LendingRules;
}

export const DAY_MS = 24 * 3600 * 1000;

export function refuse(code: LendingRefusal, detail: string, ids?: Refusal['ids']): Decided {
  return {
    decision: { kind: 'refused', refusal: { code, detail, ...(ids && { ids }) } },
    changes: {},
  };
}

export function accept(
  result: object | null,
  changes: LendingChanges,
  events: readonly DomainEvent[],
  created = false,
): Decided {
  return { decision: done(result, events, created), changes };
}

export const event = <Type extends keyof LendingEvents>(
  type: Type,
  bookInfoId: number,
  data: LendingEvents[Type],
): DomainEvent => ({ type, aggregateId: bookInfoKey(bookInfoId), data });
export const noTitle = (id: number): Decided =>
  refuse('BOOK_INFO_NOT_FOUND', `There is no title ${id}.`);
/** Refusal of somebody who was erased after they had sent the command. */
export const noReader = (): Decided =>
  refuse('TOKEN_REVOKED', 'The account of this token does not exist.');
export const noCopy = (id: number): Decided =>
  refuse('BOOK_NOT_FOUND', `This title has no copy ${id}.`);

/**
 * The API lets nobody in without a token; a command that says otherwise is broken and becomes a
 * dead letter.
 */
export function signedIn(userId: number | null): number {
  if (userId === null) throw new Error('the command has no user');
  return userId;
}

/**
 * The stock after one copy went from one status to another; null stands for a copy that is not
 * there.
 */
export function restocked(title: Title, from: CopyStatus | null, to: CopyStatus | null): Title {
  const counts = (status: CopyStatus | null) => Number(status !== null && status !== 'WITHDRAWN');
  return {
    ...title,
    totalStock: title.totalStock + counts(to) - counts(from),
    availableStock:
      title.availableStock + Number(to === 'AVAILABLE') - Number(from === 'AVAILABLE'),
  };
}

/**
 * A borrow as clients see it, under the name that its title has now: a command before it in the
 * batch may have changed that.
 */
export function shownBorrow(state: LendingView, borrow: Borrow, now: Date) {
  return borrowView(
    { ...borrow, title: state.title(borrow.bookInfoId)?.title ?? borrow.title },
    now,
  );
}
