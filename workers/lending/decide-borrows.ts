import type { Lender } from '../../shared/lending/events';
import { ANY, DEFAULT_KIND } from '../../shared/lending/loan-rules';
import { borrowView } from '../../shared/lending/views';
import {
  accept,
  event,
  noCopy,
  noTitle,
  overdueRefusal,
  refuse,
  restocked,
  signedIn,
  termsFor,
  type LendingDecision,
  type LendingInput,
} from './decided';
import type { Hold } from './hold-lines';
import { asideFor, close } from './line';
import type { Terms } from './loan-rules';
import type { Borrow, Copy, Title } from './rows';
import type { LendingView } from './view';

/** Decisions about borrows. */

/**
 * Chooses the copy that a borrow gets: the named one, or the one set aside for the user, or any
 * available one. Otherwise returns the refusal.
 */
function chooseCopy(
  state: LendingView,
  title: Title,
  named: Copy | undefined,
  hold: Hold | undefined,
): Copy | LendingDecision {
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

/** The reader who gets the book: the sender, or the reader whom an administrator names. */
interface Borrower {
  readonly userId: number;
  /** How a refusal addresses the reader. */
  readonly have: 'You have' | 'The reader has';
  /** Null when they borrow it themselves. */
  readonly lentBy: Lender | null;
}

/** A borrow, or a dry run of one. */
type Asked = LendingInput<'lending.borrow-book'> | LendingInput<'lending.check-borrow'>;

function borrowerOf({ state, command }: Asked): Borrower | LendingDecision {
  const { actor, payload } = command;
  const senderId = signedIn(actor.userId);
  const { userId = senderId } = payload;
  if (userId === senderId) return { userId, have: 'You have', lentBy: null };
  if (!state.isReader(userId)) return refuse('USER_NOT_FOUND', `There is no user ${userId}.`);
  const lentBy = { userId: senderId, username: actor.username };
  return { userId, have: 'The reader has', lentBy };
}

/** Who gets which copy of which title, and the terms on which it is lent. */
interface Loan {
  readonly title: Title;
  readonly borrower: Borrower;
  readonly chosen: Copy;
  readonly terms: Terms;
}

/**
 * Yields every refusal of a borrow, the most important first. Returns the loan when there is none.
 */
function* loanFor(input: Asked): Generator<LendingDecision, Loan | null> {
  const { state, command } = input;
  const { bookInfoId, bookId } = command.payload;
  const title = state.title(bookInfoId);
  if (!title || title.deletedAt) {
    yield noTitle(bookInfoId);
    return null;
  }
  const borrower = borrowerOf(input);
  if ('decision' in borrower) {
    yield borrower;
    return null;
  }
  // Missing things come before other refusals.
  const named = bookId === null ? undefined : state.copy(bookId);
  if (bookId !== null && (named?.bookInfoId !== title.id || named.deletedAt)) {
    yield noCopy(bookId);
    return null;
  }
  const { userId, have } = borrower;
  const open = state.openBorrow(userId, title.id);
  if (open)
    yield refuse(
      'ALREADY_BORROWED',
      `${have} already borrowed "${title.title}". Return or renew it.`,
      { borrowId: open.id },
    );
  const chosen = chooseCopy(state, title, named, state.holds.openOf(userId, title.id));
  if ('decision' in chosen) yield chosen;
  const { kind } = 'decision' in chosen ? (named ?? { kind: DEFAULT_KIND }) : chosen;
  const terms = termsFor(input, userId, kind);
  yield* ruleRefusals(input, terms, borrower);
  return 'decision' in chosen ? null : { title, borrower, chosen, terms };
}

/** Yields what the loan rules have against one more loan. */
function* ruleRefusals(
  input: Asked,
  terms: Terms,
  { userId, have, lentBy }: Borrower,
): Generator<LendingDecision, void> {
  const { maxOpenBorrows, counted } = terms;
  const overdue = overdueRefusal(input, userId, terms, lentBy ? "The reader's" : 'Your');
  if (overdue) yield overdue;
  if (maxOpenBorrows === 0 || input.state.openBorrows(userId, counted) < maxOpenBorrows) return;
  const what = counted === ANY ? 'books' : `copies of the kind "${counted}"`;
  yield refuse(
    'LOAN_LIMIT_REACHED',
    `${have} ${maxOpenBorrows} ${what} on loan, which is the limit. Return one first.`,
  );
}

/** Lists every refusal of a borrow. */
export function checkBorrow(input: LendingInput<'lending.check-borrow'>): LendingDecision {
  const blockers = Array.from(loanFor(input), ({ decision }) => {
    if (decision.kind !== 'refused') throw new Error('a blocker is no refusal');
    const { code, detail, ids } = decision.refusal;
    return { code, detail, ...ids };
  });
  return accept({ allowed: blockers.length === 0, blockers }, {}, []);
}

export function borrowBook(input: LendingInput<'lending.borrow-book'>): LendingDecision {
  const { state, command, context } = input;
  const { bookInfoId } = command.payload;
  const first = loanFor(input).next();
  if (!first.done) return first.value;
  if (!first.value) throw new Error('a loan is missing and nothing stands in its way');
  const { title: before, borrower, chosen, terms } = first.value;
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
    dueAt: state.policies.calendar.end(context.now, terms.loanDays),
    returnedAt: null,
    renewalCount: 0,
    reminder: null,
  };
  const view = borrowView(borrow, context.now);
  const told = lentBy ? { ...view, lentBy } : view;
  const created = event('lending.borrow.created', bookInfoId, told);
  const hold = state.holds.openOf(userId, bookInfoId);
  if (!hold)
    return accept(view, { titles: [lent], copies: [copy], borrows: [borrow] }, [created], true);
  // A reader who names another copy than the one set aside leaves that one on the shelf.
  const aside = asideFor(state, hold);
  const served = close(input, lent, hold, 'FULFILLED', aside?.id === copy.id ? undefined : aside);
  return accept(
    view,
    { ...served, titles: [served.title], copies: [copy, ...served.copies], borrows: [borrow] },
    [created, ...served.events],
    true,
  );
}
