import { WAITING_MAX } from '../../shared/lending/commands';
import {
  accept,
  event,
  noTitle,
  overdueRefusal,
  refuse,
  signedIn,
  termsFor,
  type LendingDecision,
  type LendingInput,
} from './decided';
import type { Hold } from './hold-lines';
import { asideFor, close, shownHold } from './line';

/** Decisions about holds: who may wait for a title, and how a wait ends. */

/** Returns what the loan rules have against one more hold of the user, or null. */
function ruleRefusal(
  input: LendingInput<'lending.place-hold'>,
  userId: number,
  bookInfoId: number,
): LendingDecision | undefined {
  const { state } = input;
  const terms = termsFor(input, userId, state.kindOfTitle(bookInfoId));
  const overdue = overdueRefusal(input, userId, terms, 'Your');
  if (overdue || terms.holdsMax === 0 || state.holds.openHolds(userId) < terms.holdsMax)
    return overdue;
  return refuse(
    'HOLD_LIMIT_REACHED',
    `You have ${terms.holdsMax} holds, which is the limit. Cancel one first.`,
  );
}

export function placeHold(input: LendingInput<'lending.place-hold'>): LendingDecision {
  const { state, command, context } = input;
  const { bookInfoId } = command.payload;
  const userId = signedIn(command.actor.userId);
  const title = state.title(bookInfoId);
  if (!title || title.deletedAt) return noTitle(bookInfoId);
  const open = state.holds.openOf(userId, bookInfoId);
  if (open)
    return refuse('ALREADY_HELD', `You already have a hold on "${title.title}".`, {
      holdId: open.id,
    });
  const borrow = state.openBorrow(userId, bookInfoId);
  if (borrow)
    return refuse('ALREADY_BORROWED', `You have already borrowed "${title.title}".`, {
      borrowId: borrow.id,
    });
  if (title.availableStock > 0)
    return refuse('STOCK_AVAILABLE', `A copy of "${title.title}" is available. Borrow it.`, {
      bookInfoId,
    });
  const refusal = ruleRefusal(input, userId, bookInfoId);
  if (refusal) return refusal;
  const { waiting, nextLineNo } = state.holds.tail(bookInfoId);
  if (waiting >= WAITING_MAX)
    return refuse(
      'HOLD_LINE_FULL',
      `${WAITING_MAX} readers wait for "${title.title}", which is the limit. Try again later.`,
      { bookInfoId },
    );
  const hold: Hold = {
    ...{
      id: context.takeId('hold'),
      userId,
      username: state.username(userId),
      bookInfoId,
      title: title.title,
      status: 'WAITING',
      lineNo: nextLineNo,
    },
    ...{ bookId: null, placedAt: context.now, readyAt: null, expiresAt: null, closedAt: null },
  };
  const view = shownHold(state, hold, waiting + 1);
  return accept(view, { holds: [hold] }, [event('lending.hold.placed', bookInfoId, view)], true);
}

const isOpen = (hold: Hold | undefined): hold is Hold =>
  hold?.status === 'WAITING' || hold?.status === 'READY';

export function cancelHold(input: LendingInput<'lending.cancel-hold'>): LendingDecision {
  const { state, command } = input;
  const { bookInfoId, holdId } = command.payload;
  const hold = state.holds.hold(holdId);
  const title = state.title(bookInfoId);
  const mine = isOpen(hold) && (command.actor.isAdmin || hold.userId === command.actor.userId);
  if (!mine || hold.bookInfoId !== bookInfoId || !title)
    return refuse('HOLD_NOT_FOUND', 'You have no such hold.');
  const served = close(input, title, hold, 'CANCELLED', asideFor(state, hold));
  return accept(null, { ...served, titles: [served.title] }, served.events);
}

/**
 * Expires a hold whose pick-up time is over. The command may come late or more than once. A hold
 * that is not due any more stays.
 */
export function expireHold(input: LendingInput<'lending.expire-hold'>): LendingDecision {
  const { state, command, context } = input;
  const { bookInfoId, holdId } = command.payload;
  const hold = state.holds.hold(holdId);
  const title = state.title(bookInfoId);
  const due =
    hold?.status === 'READY' &&
    hold.bookInfoId === bookInfoId &&
    hold.expiresAt !== null &&
    hold.expiresAt <= context.now;
  if (!due || !title) return accept(null, {}, []);
  const served = close(input, title, hold, 'EXPIRED', asideFor(state, hold));
  return accept(null, { ...served, titles: [served.title] }, served.events);
}
