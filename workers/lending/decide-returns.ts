import type { Reminder } from '../../shared/lending/commands';
import { DEFAULT_KIND } from '../../shared/lending/loan-rules';
import {
  accept,
  DAY_MS,
  event,
  refuse,
  shownBorrow,
  signedIn,
  termsFor,
  type LendingDecision,
  type LendingInput,
  type LendingRules,
} from './decided';
import { release } from './line';
import type { Borrow } from './rows';

/** Decisions about what is on loan: returns, renewals, reminders. */

const noBorrow = (): LendingDecision =>
  refuse('BORROW_NOT_FOUND', 'You have no such borrow. List yours at GET /api/borrow-histories.');

/**
 * Returns the borrow to close: by its id, by the copy, or the caller's open borrow of the title.
 */
function meantBorrow({ state, command }: LendingInput<'lending.return-book'>): Borrow | undefined {
  const { borrowId, bookId, bookInfoId } = command.payload;
  if (borrowId !== null) return state.borrow(borrowId);
  if (bookId !== null) return state.openBorrowOfCopy(bookId);
  return state.openBorrow(signedIn(command.actor.userId), bookInfoId);
}

export function returnBook(input: LendingInput<'lending.return-book'>): LendingDecision {
  const { state, command, context } = input;
  const { bookInfoId } = command.payload;
  const borrow = meantBorrow(input);
  const mine = borrow && (command.actor.isAdmin || borrow.userId === command.actor.userId);
  if (!mine || borrow.bookInfoId !== bookInfoId) return noBorrow();
  if (borrow.status !== 'BORROWED')
    return refuse('ALREADY_RETURNED', `Borrow ${borrow.id} is already closed.`, {
      borrowId: borrow.id,
    });
  const before = state.title(bookInfoId);
  const copy = state.copy(borrow.bookId);
  if (!before || !copy) throw new Error(`borrow ${borrow.id} has lost its title or copy`);
  const returned: Borrow = { ...borrow, status: 'RETURNED', returnedAt: context.now };
  const served = release(input, before, [{ copy, from: copy.status }]);
  const view = shownBorrow(state, returned, context.now);
  return accept(view, { ...served, titles: [served.title], borrows: [returned] }, [
    event('lending.borrow.returned', bookInfoId, view),
    ...served.events,
  ]);
}

export function renewBorrow(input: LendingInput<'lending.renew-borrow'>): LendingDecision {
  const { state, command, context } = input;
  const borrow = state.borrow(command.payload.borrowId);
  const mine = borrow && (command.actor.isAdmin || borrow.userId === command.actor.userId);
  if (!mine || borrow.bookInfoId !== command.payload.bookInfoId) return noBorrow();
  const ids = { borrowId: borrow.id };
  if (borrow.status !== 'BORROWED')
    return refuse('ALREADY_RETURNED', `Borrow ${borrow.id} is already closed.`, ids);
  const { loanDays, renewalsMax } = termsFor(
    input,
    borrow.userId,
    state.copy(borrow.bookId)?.kind ?? DEFAULT_KIND,
  );
  if (borrow.renewalCount >= renewalsMax)
    return refuse(
      'RENEWAL_LIMIT_REACHED',
      `Borrow ${borrow.id} was renewed ${borrow.renewalCount} times, and the limit is ${renewalsMax}. Return the book by its due date.`,
      ids,
    );
  if (state.holds.line(borrow.bookInfoId).length > 0)
    return refuse(
      'HELD_BY_OTHERS',
      `Others wait for "${borrow.title}", so it cannot be renewed. Return it by its due date.`,
      { bookInfoId: borrow.bookInfoId },
    );
  // An overdue borrow is renewed from today, any other from its due date. Renewing early loses no
  // day.
  const from = borrow.dueAt > context.now ? borrow.dueAt : context.now;
  const renewed: Borrow = {
    ...borrow,
    dueAt: state.policies.calendar.end(from, loanDays),
    renewalCount: borrow.renewalCount + 1,
    reminder: null,
  };
  const view = shownBorrow(state, renewed, context.now);
  return accept(view, { borrows: [renewed] }, [
    event('lending.borrow.renewed', borrow.bookInfoId, view),
  ]);
}

/** Returns the reminder that a borrow is due for now, if any. */
function dueReminder(
  { status, dueAt, reminder }: Borrow,
  now: Date,
  { dueSoonDays }: LendingRules,
): Reminder | null {
  if (status !== 'BORROWED' || reminder === 'overdue') return null;
  if (dueAt < now) return 'overdue';
  const soonFrom = dueAt.getTime() - dueSoonDays * DAY_MS;
  return dueSoonDays > 0 && reminder === null && soonFrom <= now.getTime() ? 'due-soon' : null;
}

/**
 * Reminds a borrower. The command may come late or more than once. A borrow that was returned,
 * renewed or announced meanwhile stays as it is.
 */
export function remindBorrower(input: LendingInput<'lending.remind-borrower'>): LendingDecision {
  const { state, command, context, rules } = input;
  const { bookInfoId, borrowId, reminder } = command.payload;
  const borrow = state.borrow(borrowId);
  if (borrow?.bookInfoId !== bookInfoId) return accept(null, {}, []);
  if (dueReminder(borrow, context.now, rules) !== reminder) return accept(null, {}, []);
  return accept(null, { borrows: [{ ...borrow, reminder }] }, [
    event(`lending.borrow.${reminder}`, bookInfoId, shownBorrow(state, borrow, context.now)),
  ]);
}
