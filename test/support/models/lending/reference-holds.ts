import { refused, type Verdict } from '../verdict';
import { done, type CommandOfType, type ReferenceLibrary } from './reference-library';
import { placedHold, placedHoldView } from './reference-rows';

/** The rules of holds a second time. */

export function placeHold(
  library: ReferenceLibrary,
  { actor, payload: { bookInfoId } }: CommandOfType<'lending.place-hold'>,
  now: Date,
): Verdict {
  const userId = actor.userId ?? 0;
  if (!library.live(bookInfoId)) return refused('BOOK_INFO_NOT_FOUND');
  const open = library.openHold(userId, bookInfoId);
  if (open) return refused('ALREADY_HELD', { holdId: open.id });
  const borrow = library.borrows.find(
    (one) => one.userId === userId && one.bookInfoId === bookInfoId && one.status === 'BORROWED',
  );
  if (borrow) return refused('ALREADY_BORROWED', { borrowId: borrow.id });
  if (library.available(bookInfoId).length > 0) return refused('STOCK_AVAILABLE', { bookInfoId });
  const [first] = library.copies.filter(
    (copy) => copy.bookInfoId === bookInfoId && copy.deletedAt === null,
  );
  const kind = first?.kind ?? 'book';
  const blocked = library.loanRules.blocked(userId, kind, library.borrows, now);
  if (blocked) return blocked;
  const holdsMax = library.loanRules.holdsMax(userId, kind);
  const mine = library.holds.filter((hold) => hold.userId === userId && hold.closedAt === null);
  if (holdsMax && mine.length >= holdsMax) return refused('HOLD_LIMIT_REACHED');
  const hold = placedHold(library.next.hold++, userId, bookInfoId, now);
  library.holds.push(hold);
  const view = placedHoldView(hold, {
    username: library.usernameOf(userId),
    title: library.live(bookInfoId)?.title,
    position: library.line(bookInfoId).length,
  });
  return done(view, ['hold.placed'], true);
}

export function cancelHold(
  library: ReferenceLibrary,
  { actor, payload: { bookInfoId, holdId } }: CommandOfType<'lending.cancel-hold'>,
  now: Date,
): Verdict {
  const hold = library.holds.find(({ id }) => id === holdId);
  if (
    hold?.closedAt !== null ||
    hold.bookInfoId !== bookInfoId ||
    !(actor.isAdmin || hold.userId === actor.userId)
  )
    return refused('HOLD_NOT_FOUND');
  library.closeHold(hold, 'CANCELLED', now);
  return done(null, ['hold.cancelled', ...library.settle(bookInfoId, now)]);
}

export function expireHold(
  library: ReferenceLibrary,
  { payload: { bookInfoId, holdId } }: CommandOfType<'lending.expire-hold'>,
  now: Date,
): Verdict {
  const hold = library.holds.find(({ id }) => id === holdId);
  if (hold?.status !== 'READY' || hold.bookInfoId !== bookInfoId || (hold.expiresAt as Date) > now)
    return done(null, []);
  library.closeHold(hold, 'EXPIRED', now);
  return done(null, ['hold.expired', ...library.settle(bookInfoId, now)]);
}
