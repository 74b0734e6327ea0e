import { RENEWALS_MAX } from '../../shared/lending/commands';
import type { Lender } from '../../shared/lending/events';
import { borrowView } from '../../shared/lending/views';
import {
  accept,
  DAY_MS,
  event,
  noCopy,
  noTitle,
  refuse,
  restocked,
  shownBorrow,
  signedIn,
  type Decided,
  type Given,
} from './decided';
import type { Hold } from './hold-lines';
import { asideFor, close, release } from './line';
import type { Borrow, Copy, LendingView, Title } from './state';

/** Decisions about borrows, returns and renewals. */

const noBorrow = (): Decided =>
  refuse('BORROW_NOT_FOUND', 'You have no such borrow. List yours at GET /api/borrow-histories.');

/**
 * The copy that a borrow gets, or why it gets none: the one that it names, else the one set aside
 * for the user, else any that is available.
 */
function chooseCopy(
  state: LendingView,
  title: Title,
  named: Copy | undefined,
  hold: Hold | undefined,
): Copy | Decided {
  const aside = asideFor(state, hold);
  if (named) {
    if (named.status === 'AVAILABLE' || named.id === aside?.id) return named;
    return refuse(
      'COPY_NOT_AVAILABLE',
      `Copy ${named.id} is ${named.status}. Borrow by bookInfoId to get any available copy.`,
      { bookInfoId: title.id },
    );
  }
  if (aside) return aside;
  if (title.availableStock === 0)
    return refuse(
      'OUT_OF_STOCK',
      `No copy of "${title.title}" is available. Place a hold to wait for one.`,
      { bookInfoId: title.id },
    );
  const copy = state.availableCopy(title.id);
  if (!copy)
    throw new Error(
      `book info ${title.id} counts ${title.availableStock} available copies and has none`,
    );
  return copy;
}

/** Who gets the book: the sender, or the reader whom an administrator names. */
interface Borrower {
  readonly userId: number;
  /** Whom a refusal speaks of. */
  readonly have: 'You have' | 'The reader has';
  /** Null when they borrow it themselves. */
  readonly lentBy: Lender | null;
}

function borrowerOf({ state, command }: Given<'lending.borrow-book'>): Borrower | Decided {
  const { actor, payload } = command;
  const senderId = signedIn(actor.userId);
  const { userId = senderId } = payload;
  if (userId === senderId) return { userId, have: 'You have', lentBy: null };
  if (!state.isReader(userId)) return refuse('USER_NOT_FOUND', `There is no user ${userId}.`);
  const lentBy = { userId: senderId, username: actor.username };
  return { userId, have: 'The reader has', lentBy };
}

/** The copy that the borrower gets, or why they get none. */
function copyFor(
  { state, command, rules }: Given<'lending.borrow-book'>,
  title: Title,
  { userId, have }: Borrower,
): Copy | Decided {
  const { bookId } = command.payload;
  // What is not there comes before what stands in the way.
  const named = bookId === null ? undefined : state.copy(bookId);
  if (bookId !== null && (named?.bookInfoId !== title.id || named.deletedAt)) return noCopy(bookId);
  const open = state.openBorrow(userId, title.id);
  if (open)
    return refuse(
      'ALREADY_BORROWED',
      `${have} borrowed "${title.title}" already. Return or renew it.`,
      { borrowId: open.id },
    );
  const chosen = chooseCopy(state, title, named, state.holds.openOf(userId, title.id));
  if ('decision' in chosen) return chosen;
  if (rules.maxOpenBorrows > 0 && state.openBorrows(userId) >= rules.maxOpenBorrows)
    return refuse(
      'LOAN_LIMIT_REACHED',
      `${have} ${rules.maxOpenBorrows} books on loan, which is the limit. Return one first.`,
    );
  return chosen;
}

export function borrowBook(given: Given<'lending.borrow-book'>): Decided {
  const { state, command, context, rules } = given;
  const { bookInfoId } = command.payload;
  const before = state.title(bookInfoId);
  if (!before || before.deletedAt) return noTitle(bookInfoId);
  const borrower = borrowerOf(given);
  if ('decision' in borrower) return borrower;
  const chosen = copyFor(given, before, borrower);
  if ('decision' in chosen) return chosen;
  const { userId, lentBy } = borrower;
  const copy: Copy = { ...chosen, status: 'ON_LOAN' };
  const lent: Title = {
    ...restocked(before, chosen.status, 'ON_LOAN'),
    borrowCount: before.borrowCount + 1,
  };
  const borrow: Borrow = {
    id: context.takeId('borrow'),
    userId,
    username: state.username(userId),
    bookInfoId,
    bookId: copy.id,
    title: lent.title,
    status: 'BORROWED',
    borrowedAt: context.now,
    dueAt: new Date(context.now.getTime() + rules.loanDays * DAY_MS),
    returnedAt: null,
    renewalCount: 0,
  };
  const view = borrowView(borrow, context.now);
  const told = lentBy ? { ...view, lentBy } : view;
  const created = event('lending.borrow.created', bookInfoId, told);
  const hold = state.holds.openOf(userId, bookInfoId);
  if (!hold)
    return accept(view, { titles: [lent], copies: [copy], borrows: [borrow] }, [created], true);
  // Whoever names another copy than the one set aside leaves this one on the shelf.
  const aside = asideFor(state, hold);
  const served = close(given, lent, hold, 'FULFILLED', aside?.id === copy.id ? undefined : aside);
  return accept(
    view,
    { ...served, titles: [served.title], copies: [copy, ...served.copies], borrows: [borrow] },
    [created, ...served.events],
    true,
  );
}

/**
 * The borrow that a return means: by its own id, by the copy, or the caller's open one of the
 * title.
 */
function meantBorrow({ state, command }: Given<'lending.return-book'>): Borrow | undefined {
  const { borrowId, bookId, bookInfoId } = command.payload;
  if (borrowId !== null) return state.borrow(borrowId);
  if (bookId !== null) return state.openBorrowOfCopy(bookId);
  return state.openBorrow(signedIn(command.actor.userId), bookInfoId);
}

export function returnBook(given: Given<'lending.return-book'>): Decided {
  const { state, command, context } = given;
  const { bookInfoId } = command.payload;
  const borrow = meantBorrow(given);
  const mine = borrow && (command.actor.isAdmin || borrow.userId === command.actor.userId);
  if (!mine || borrow.bookInfoId !== bookInfoId) return noBorrow();
  if (borrow.status !== 'BORROWED')
    return refuse('ALREADY_RETURNED', `Borrow ${borrow.id} is closed already.`, {
      borrowId: borrow.id,
    });
  const before = state.title(bookInfoId);
  const copy = state.copy(borrow.bookId);
  if (!before || !copy) throw new Error(`borrow ${borrow.id} has lost its title or copy`);
  const returned: Borrow = { ...borrow, status: 'RETURNED', returnedAt: context.now };
  const served = release(given, before, [{ copy, from: copy.status }]);
  const view = shownBorrow(state, returned, context.now);
  return accept(view, { ...served, titles: [served.title], borrows: [returned] }, [
    event('lending.borrow.returned', bookInfoId, view),
    ...served.events,
  ]);
}

export function renewBorrow({
  state,
  command,
  context,
  rules,
}: Given<'lending.renew-borrow'>): Decided {
  const borrow = state.borrow(command.payload.borrowId);
  const mine = borrow && (command.actor.isAdmin || borrow.userId === command.actor.userId);
  if (!mine || borrow.bookInfoId !== command.payload.bookInfoId) return noBorrow();
  const ids = { borrowId: borrow.id };
  if (borrow.status !== 'BORROWED')
    return refuse('ALREADY_RETURNED', `Borrow ${borrow.id} is closed already.`, ids);
  if (borrow.renewalCount >= RENEWALS_MAX)
    return refuse(
      'RENEWAL_LIMIT_REACHED',
      `Borrow ${borrow.id} was renewed ${RENEWALS_MAX} times, which is the limit. Return the book by its due date.`,
      ids,
    );
  if (state.holds.line(borrow.bookInfoId).length > 0)
    return refuse(
      'HELD_BY_OTHERS',
      `Others wait for "${borrow.title}", so it cannot be renewed. Return it by its due date.`,
      { bookInfoId: borrow.bookInfoId },
    );
  // An overdue borrow is renewed from today, any other from its due date: renewing early costs
  // nobody a day.
  const from = Math.max(borrow.dueAt.getTime(), context.now.getTime());
  const renewed: Borrow = {
    ...borrow,
    dueAt: new Date(from + rules.loanDays * DAY_MS),
    renewalCount: borrow.renewalCount + 1,
  };
  const view = shownBorrow(state, renewed, context.now);
  return accept(view, { borrows: [renewed] }, [
    event('lending.borrow.renewed', borrow.bookInfoId, view),
  ]);
}
