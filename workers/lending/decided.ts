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
import {
  done,
  type Decision,
  type DecisionContext,
  type DomainEvent,
} from '../batch/service/decision';
import type { LendingIds } from './needs';
import type { Terms } from './loan-rules';
import type { Borrow, LendingChanges, Title } from './rows';
import type { LendingView } from './view';

/** The words in which lending decides. Everything here is pure. */

/** The settings of the installation, which stand behind the loan rules. */
export interface LendingRules {
  /** Days until a borrow is due. */
  readonly loanDays: number;
  /** Most borrows that a user may have open; 0 for no limit. */
  readonly maxOpenBorrows: number;
  /** Days for which a copy stays set aside for the one whose hold it serves; fractions count. */
  readonly holdPickupDays: number;
  /** How long before its due date a borrower is told, days; fractions count, 0 for not at all. */
  readonly dueSoonDays: number;
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

export const eventOf = <Type extends keyof LendingEvents>(
  type: Type,
  aggregateId: string,
  data: LendingEvents[Type],
): DomainEvent => ({ type, aggregateId, data });
export const event = <Type extends keyof LendingEvents>(
  type: Type,
  bookInfoId: number,
  data: LendingEvents[Type],
): DomainEvent => eventOf(type, bookInfoKey(bookInfoId), data);
export const noTitle = (id: number): Decided =>
  refuse('BOOK_INFO_NOT_FOUND', `There is no title ${id}.`);
/** Refusal of somebody who was erased after they had sent the command. */
export const noReader = (): Decided =>
  refuse('TOKEN_REVOKED', 'The account of this token does not exist.');
export const noCopy = (id: number): Decided =>
  refuse('BOOK_NOT_FOUND', `This title has no copy ${id}.`);

/** What counts for a reader and a kind of copies. */
export const termsFor = (
  { state, rules }: { readonly state: LendingView; readonly rules: LendingRules },
  userId: number,
  kind: string,
): Terms => state.policies.loanRules.termsFor(state.categoryOf(userId), kind, rules);

/**
 * Refusal of a reader who has a loan that is overdue for longer than the terms let pass.
 */
export function overdueRefusal(
  { state, context }: { readonly state: LendingView; readonly context: { readonly now: Date } },
  userId: number,
  { blockOverdueDays }: Terms,
  whose: 'Your' | "The reader's",
): Decided | undefined {
  const first = blockOverdueDays === null ? undefined : state.firstDue(userId);
  if (!first || blockOverdueDays === null) return undefined;
  if (first.dueAt.getTime() + blockOverdueDays * DAY_MS >= context.now.getTime()) return undefined;
  return refuse(
    'OVERDUE_BLOCKED',
    `${whose} borrow ${first.borrowId} is overdue. Return it first.`,
    {
      borrowId: first.borrowId,
    },
  );
}

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
