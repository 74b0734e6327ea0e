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
  decisionsOf,
  type DecisionInput,
  type DecisionOf,
  type DomainEvent,
} from '../batch/service/decision';
import type { LendingIds } from './needs';
import type { Terms } from './loan-rules';
import type { Borrow, LendingChanges, Title } from './rows';
import type { LendingView } from './view';

/** Helpers that lending decisions share. Everything here is pure. */

/** The settings of the installation, which apply where loan rules say nothing. */
export interface LendingRules {
  /** Days until a borrow is due. */
  readonly loanDays: number;
  /** Most borrows that a user may have open; 0 for no limit. */
  readonly maxOpenBorrows: number;
  /** Days for which a copy stays set aside for a reader. Fractions count. */
  readonly holdPickupDays: number;
  /**
   * How many days before the due date a borrower is reminded. Fractions count, and 0 turns it off.
   */
  readonly dueSoonDays: number;
}

export type LendingDecision = DecisionOf<LendingChanges>;

/** What one decision is made from. */
export interface LendingInput<Type extends keyof LendingCommands> extends DecisionInput<
  LendingView,
  Extract<LendingCommand, { type: Type }>,
  LendingIds<Type>
> {
  readonly rules: LendingRules;
}

export const DAY_MS = 24 * 3600 * 1000;

export const {
  refuse,
  accept,
  event: eventOf,
} = decisionsOf<{
  refusals: LendingRefusal;
  changes: LendingChanges;
  events: LendingEvents;
}>({});

export const event = <Type extends keyof LendingEvents>(
  type: Type,
  bookInfoId: number,
  data: LendingEvents[Type],
): DomainEvent => eventOf(type, bookInfoKey(bookInfoId), data);
export const noTitle = (id: number): LendingDecision =>
  refuse('BOOK_INFO_NOT_FOUND', `There is no title ${id}.`);
/** Refuses a user who was erased after sending the command. */
export const noReader = (): LendingDecision =>
  refuse('TOKEN_REVOKED', 'The account of this token does not exist.');
export const noCopy = (id: number): LendingDecision =>
  refuse('BOOK_NOT_FOUND', `This title has no copy ${id}.`);

/** Returns the terms for a reader and a kind of copy. */
export const termsFor = (
  { state, rules }: { readonly state: LendingView; readonly rules: LendingRules },
  userId: number,
  kind: string,
): Terms => state.policies.loanRules.termsFor(state.categoryOf(userId), kind, rules);

/** Refuses a reader who has a loan that is overdue for longer than the terms allow. */
export function overdueRefusal(
  { state, context }: { readonly state: LendingView; readonly context: { readonly now: Date } },
  userId: number,
  { blockOverdueDays }: Terms,
  whose: 'Your' | "The reader's",
): LendingDecision | undefined {
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
 * Returns the user of a command. The API admits nobody without a token, so a command without a user
 * is broken and becomes a dead letter.
 */
export function signedIn(userId: number | null): number {
  if (userId === null) throw new Error('the command has no user');
  return userId;
}

/** Returns the stock after one copy changed its status. Null stands for a missing copy. */
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
 * Returns a borrow as clients see it, with the present name of its title, which an earlier command
 * of the batch may have changed.
 */
export function shownBorrow(state: LendingView, borrow: Borrow, now: Date) {
  return borrowView(
    { ...borrow, title: state.title(borrow.bookInfoId)?.title ?? borrow.title },
    now,
  );
}
