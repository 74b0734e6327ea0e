import { refused, type Verdict } from '../verdict';
import { done, replaced, type CommandOfType, type ReferenceLibrary } from './reference-library';
import {
  isDue,
  type ReferenceBorrow,
  type ReferenceCopy,
  type ReferenceHold,
} from './reference-rows';

/** The rules of borrows a second time. */

function copyFor(
  library: ReferenceLibrary,
  bookInfoId: number,
  wanted: ReferenceCopy | undefined,
  hold: ReferenceHold | undefined,
): ReferenceCopy | undefined {
  const aside =
    hold?.status === 'READY' ? library.copies.find(({ id }) => id === hold.bookId) : undefined;
  if (!wanted) return aside ?? library.available(bookInfoId)[0];
  return wanted.status === 'AVAILABLE' || wanted.id === aside?.id ? wanted : undefined;
}

export function borrow(
  library: ReferenceLibrary,
  { actor, payload: { bookInfoId, bookId } }: CommandOfType<'lending.borrow-book'>,
  now: Date,
): Verdict {
  const userId = actor.userId ?? 0;
  const title = library.live(bookInfoId);
  if (!title) return refused('BOOK_INFO_NOT_FOUND');
  const wanted = bookId === null ? undefined : library.copyOf(bookInfoId, bookId);
  if (bookId !== null && !wanted) return refused('BOOK_NOT_FOUND');
  const mine = library.borrows.filter(
    (borrow) => borrow.userId === userId && borrow.status === 'BORROWED',
  );
  const already = mine.find((borrow) => borrow.bookInfoId === bookInfoId);
  if (already) return refused('ALREADY_BORROWED', { borrowId: already.id });
  const hold = library.openHold(userId, bookInfoId);
  const copy = copyFor(library, bookInfoId, wanted, hold);
  if (!copy) return refused(wanted ? 'COPY_NOT_AVAILABLE' : 'OUT_OF_STOCK', { bookInfoId });
  const blocked = library.loanRules.blocked(userId, copy.kind, library.borrows, now);
  if (blocked) return blocked;
  const kinds = mine.map((borrow) => library.kindOfCopy(borrow.bookId));
  if (library.loanRules.hasEnough(userId, copy.kind, kinds)) return refused('LOAN_LIMIT_REACHED');
  const borrow: ReferenceBorrow = {
    ...{
      id: library.next.borrow++,
      userId,
      bookInfoId,
      bookId: copy.id,
      status: 'BORROWED',
      returnedAt: null,
      renewalCount: 0,
      reminder: null,
      borrowedAt: now,
    },
    dueAt: library.calendar.end(now, library.loanRules.loanDays(userId, copy.kind)),
  };
  library.borrows.push(borrow);
  library.copies = replaced(library.copies, { ...copy, status: 'ON_LOAN' });
  library.titles = replaced(library.titles, { ...title, borrowCount: title.borrowCount + 1 });
  if (hold) library.closeHold(hold, 'FULFILLED', now);
  return done(
    library.borrowView(borrow, now),
    ['borrow.created', ...(hold ? ['hold.fulfilled'] : []), ...library.settle(bookInfoId, now)],
    true,
  );
}

export function giveBack(
  library: ReferenceLibrary,
  { actor, payload }: CommandOfType<'lending.return-book'>,
  now: Date,
): Verdict {
  const { bookInfoId, borrowId, bookId } = payload;
  const meant = library.borrows.find((borrow) => {
    if (borrowId !== null) return borrow.id === borrowId;
    if (borrow.status !== 'BORROWED') return false;
    return bookId !== null
      ? borrow.bookId === bookId
      : borrow.userId === actor.userId && borrow.bookInfoId === bookInfoId;
  });
  if (meant?.bookInfoId !== bookInfoId || !(actor.isAdmin || meant.userId === actor.userId))
    return refused('BORROW_NOT_FOUND');
  if (meant.status !== 'BORROWED') return refused('ALREADY_RETURNED', { borrowId: meant.id });
  const returned: ReferenceBorrow = { ...meant, status: 'RETURNED', returnedAt: now };
  library.borrows = replaced(library.borrows, returned);
  library.give(meant.bookId, 'AVAILABLE');
  return done(library.borrowView(returned, now), [
    'borrow.returned',
    ...library.settle(bookInfoId, now),
  ]);
}

export function renew(
  library: ReferenceLibrary,
  { actor, payload: { bookInfoId, borrowId } }: CommandOfType<'lending.renew-borrow'>,
  now: Date,
): Verdict {
  const borrow = library.borrows.find(({ id }) => id === borrowId);
  if (borrow?.bookInfoId !== bookInfoId || !(actor.isAdmin || borrow.userId === actor.userId))
    return refused('BORROW_NOT_FOUND');
  if (borrow.status !== 'BORROWED') return refused('ALREADY_RETURNED', { borrowId });
  const kind = library.kindOfCopy(borrow.bookId);
  if (borrow.renewalCount >= library.loanRules.renewalsMax(borrow.userId, kind))
    return refused('RENEWAL_LIMIT_REACHED', { borrowId });
  if (library.line(bookInfoId).length > 0) return refused('HELD_BY_OTHERS', { bookInfoId });
  const from = borrow.dueAt > now ? borrow.dueAt : now;
  const renewed = {
    ...borrow,
    dueAt: library.calendar.end(from, library.loanRules.loanDays(borrow.userId, kind)),
    renewalCount: borrow.renewalCount + 1,
    reminder: null,
  };
  library.borrows = replaced(library.borrows, renewed);
  return done(library.borrowView(renewed, now), ['borrow.renewed']);
}

export function remind(
  library: ReferenceLibrary,
  { payload: { bookInfoId, borrowId, reminder } }: CommandOfType<'lending.remind-borrower'>,
  now: Date,
): Verdict {
  const borrow = library.borrows.find(
    ({ id, bookInfoId: of, status }) =>
      id === borrowId && of === bookInfoId && status === 'BORROWED',
  );
  if (!borrow || !isDue(borrow, reminder, now, library.rules.dueSoonDays)) return done(null, []);
  library.borrows = replaced(library.borrows, { ...borrow, reminder });
  return done(null, [`borrow.${reminder}`]);
}
