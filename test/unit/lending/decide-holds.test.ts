import { WAITING_MAX } from '../../../shared/lending/commands';
import type { LendingCommand } from '../../../shared/lending/commands';
import {
  addCopies,
  borrow,
  cancelHold,
  deleteCopy,
  deleteTitle,
  expireHold,
  giveBack,
  placeHold,
  register,
  renew,
  setStatus,
} from '../../support/models/lending/commands';
import {
  ISBN,
  later,
  libraryWith,
  libraryWithLoan,
  NOW,
  type Library,
} from '../../support/models/lending/library';

/**
 * Title 1, its only copy lent to user 1 as borrow 50, and the given users in line: holds 100, 101
 * and so on.
 */
function lineOf(...users: number[]): Library {
  const library = libraryWithLoan(1);
  for (const userId of users) library.done(placeHold(userId, 1));
  return library;
}

/** The same, and the copy came back: it is set aside for the first. */
function servedLineOf(...users: number[]): Library {
  const library = lineOf(...users);
  library.done(giveBack(1, 1));
  return library;
}

const statusOf = (library: Library, ...ids: number[]) =>
  ids.map((id) => library.state.holds.hold(id)?.status);

function events(library: Library, given: LendingCommand): string[] {
  const decision = library.decide(given);
  return decision.kind === 'done'
    ? decision.events.map(({ type }) => type.slice('lending.'.length))
    : [decision.kind];
}

describe('placing a hold', () => {
  it('is a thing made, with the place in line', () => {
    const library = lineOf(2);
    const decision = library.decide(placeHold(3, 1));
    const result = {
      ...{
        holdId: 101,
        userId: 3,
        username: 'user-3',
        bookInfoId: 1,
        title: 'Demian',
        status: 'WAITING',
        position: 2,
        bookId: null,
      },
      ...{ placedAt: NOW.toISOString(), readyAt: null, expiresAt: null, closedAt: null },
    };
    expect(decision).toEqual({
      kind: 'done',
      created: true,
      result,
      events: [{ type: 'lending.hold.placed', aggregateId: 'book-info:1', data: result }],
    });
  });

  it('is refused while a copy can be borrowed', () => {
    expect(libraryWith(1).refusal(placeHold(2, 1))).toBe('STOCK_AVAILABLE');
  });

  it('is refused a second time, also when the copy is ready, and names the hold', () => {
    expect(lineOf(2).inTheWay(placeHold(2, 1))).toEqual({ holdId: 100 });
    const library = servedLineOf(2);
    expect(library.refusal(placeHold(2, 1))).toBe('ALREADY_HELD');
  });

  it('is refused to a reader who has the title, and names the borrow', () => {
    const library = lineOf();
    expect(library.refusal(placeHold(1, 1))).toBe('ALREADY_BORROWED');
    expect(library.inTheWay(placeHold(1, 1))).toEqual({ borrowId: 50 });
  });

  it('is refused for a title that is not there', () => {
    expect(libraryWith(0).refusal(placeHold(2, 9))).toBe('BOOK_INFO_NOT_FOUND');
  });

  it('is possible for a title that has no copies yet', () => {
    expect(libraryWith(0).done(placeHold(2, 1))).toMatchObject({ status: 'WAITING', position: 1 });
  });

  it(`is refused when ${WAITING_MAX} wait`, () => {
    const library = libraryWith(0);
    library.state.holds.loadTail(1, { waiting: WAITING_MAX - 1, lastLineNo: 7000 });
    expect(library.done(placeHold(2, 1))).toMatchObject({ position: WAITING_MAX });
    expect(library.refusal(placeHold(3, 1))).toBe('HOLD_LINE_FULL');
  });
});

describe('a copy that comes free', () => {
  it('by a return is set aside only for the first in line', () => {
    const library = lineOf(2, 3);
    expect(events(library, giveBack(1, 1))).toEqual(['borrow.returned', 'hold.ready']);
    expect(library.state.holds.hold(100)).toMatchObject({
      status: 'READY',
      bookId: 1,
      readyAt: NOW,
      expiresAt: later(3),
    });
    expect(library.stock(1)).toEqual([0, 1]);
    expect(library.refusal(borrow(3, 1))).toBe('OUT_OF_STOCK');
    expect(library.refusal(borrow(4, 1, 1))).toBe('COPY_NOT_AVAILABLE');
    expect(library.done(borrow(2, 1))).toMatchObject({ userId: 2, bookId: 1 });
    expect(statusOf(library, 100, 101)).toEqual(['FULFILLED', 'WAITING']);
  });

  it('as one of several new ones serves as many as wait; the rest is available', () => {
    const library = lineOf(2, 3);
    const { items } = library.done(addCopies(1, 3)) as { items: { status: string }[] };
    expect(items.map(({ status }) => status)).toEqual(['ON_HOLD', 'ON_HOLD', 'AVAILABLE']);
    expect(statusOf(library, 100, 101)).toEqual(['READY', 'READY']);
    expect(library.stock(1)).toEqual([1, 4]);
  });

  it('by a registration of the same ISBN serves the line', () => {
    const library = lineOf(2);
    expect(events(library, register({ isbn: ISBN, copies: 1 }, 'book-info:1'))).toEqual([
      'copies.added',
      'hold.ready',
    ]);
  });

  it('from repair serves the line', () => {
    const library = libraryWith(1);
    library.done(setStatus(1, 1, 'DAMAGED'));
    library.done(placeHold(2, 1));
    expect(library.done(setStatus(1, 1, 'AVAILABLE'))).toMatchObject({
      status: 'ON_HOLD',
      available: false,
    });
    expect(statusOf(library, 100)).toEqual(['READY']);
  });
});

describe('a renewal', () => {
  it('is refused while others wait, after the limit of renewals', () => {
    const library = lineOf(2);
    expect(library.refusal(renew(1, 1, 50))).toBe('HELD_BY_OTHERS');
    library.done(cancelHold(2, 1, 100));
    library.done(renew(1, 1, 50));
    library.done(renew(1, 1, 50));
    library.done(placeHold(2, 1));
    expect(library.refusal(renew(1, 1, 50))).toBe('RENEWAL_LIMIT_REACHED');
  });
});

describe('a hold that is ready', () => {
  it('expires on time; the copy goes to the next in line, then back to the shelf', () => {
    const library = servedLineOf(2, 3);
    library.now = new Date(later(3).getTime() - 1);
    expect(events(library, expireHold(1, 100))).toEqual([]);
    library.now = later(3);
    expect(events(library, expireHold(1, 100))).toEqual(['hold.expired', 'hold.ready']);
    expect(library.state.holds.hold(101)).toMatchObject({
      status: 'READY',
      bookId: 1,
      expiresAt: later(6),
    });
    library.now = later(6);
    expect(events(library, expireHold(1, 101))).toEqual(['hold.expired']);
    expect(library.stock(1)).toEqual([1, 1]);
  });

  it('expires once, however often the clock says so', () => {
    const library = servedLineOf(2);
    library.now = later(3);
    library.done(expireHold(1, 100));
    expect(events(library, expireHold(1, 100))).toEqual([]);
    expect(events(library, expireHold(1, 999))).toEqual([]);
  });

  it('can be borrowed by its copy too', () => {
    expect(servedLineOf(2).done(borrow(2, 1, 1))).toMatchObject({ bookId: 1 });
  });

  it('leaves its copy on the shelf when the reader takes another one from there', () => {
    const library = lineOf(2);
    library.done(addCopies(1, 2));
    expect(events(library, borrow(2, 1, 101))).toEqual(['borrow.created', 'hold.fulfilled']);
    expect(library.state.copy(100)?.status).toBe('AVAILABLE');
    expect(library.stock(1)).toEqual([1, 3]);
  });

  it('goes back to the head of the line when its copy is lost, damaged, withdrawn or deleted', () => {
    for (const loss of [setStatus(1, 1, 'LOST'), setStatus(1, 1, 'WITHDRAWN'), deleteCopy(1, 1)]) {
      const library = servedLineOf(2, 3);
      expect(events(library, loss)).toEqual(['copies.changed', 'hold.requeued']);
      expect(library.state.holds.line(1).map(({ id }) => id)).toEqual([100, 101]);
      expect(library.state.holds.hold(100)).toMatchObject({
        status: 'WAITING',
        bookId: null,
        readyAt: null,
        expiresAt: null,
      });
    }
  });

  it('gets another copy at once when one is on the shelf', () => {
    const library = lineOf(2);
    library.done(addCopies(1, 2));
    expect(events(library, setStatus(1, 100, 'LOST'))).toEqual([
      'copies.changed',
      'hold.requeued',
      'hold.ready',
    ]);
    expect(library.state.holds.hold(100)).toMatchObject({ status: 'READY', bookId: 101 });
    expect(library.stock(1)).toEqual([0, 3]);
  });

  it('keeps its copy from being declared available', () => {
    const library = servedLineOf(2);
    expect(library.refusal(setStatus(1, 1, 'AVAILABLE'))).toBe('COPY_ON_HOLD');
    expect(library.inTheWay(setStatus(1, 1, 'AVAILABLE'))).toEqual({ holdId: 100 });
  });

  it('does not lift the limit of open borrows, and stays ready', () => {
    const library = libraryWith(1, { rules: { maxOpenBorrows: 1 } });
    const { bookInfoId } = library.done(register({ copies: 1 })) as { bookInfoId: number };
    library.done(borrow(1, 1));
    library.done(borrow(2, bookInfoId));
    library.done(placeHold(2, 1));
    library.done(giveBack(1, 1));
    expect(library.refusal(borrow(2, 1))).toBe('LOAN_LIMIT_REACHED');
    expect(statusOf(library, 100)).toEqual(['READY']);
  });
});

describe('giving a hold up', () => {
  it('is for its reader and for an administrator', () => {
    const library = lineOf(2, 3);
    expect(library.refusal(cancelHold(3, 1, 100))).toBe('HOLD_NOT_FOUND');
    expect(library.done(cancelHold(2, 1, 100))).toBeNull();
    expect(library.refusal(cancelHold(2, 1, 100))).toBe('HOLD_NOT_FOUND');
    expect(statusOf(library, 100, 101)).toEqual(['CANCELLED', 'WAITING']);
  });

  it('passes a copy that was set aside to the next in line', () => {
    const library = servedLineOf(2, 3);
    expect(events(library, cancelHold(2, 1, 100))).toEqual(['hold.cancelled', 'hold.ready']);
    expect(library.done(borrow(3, 1))).toMatchObject({ bookId: 1 });
  });

  it('happens to all of them when the title is deleted', () => {
    const library = servedLineOf(2, 3);
    expect(events(library, deleteTitle(1))).toEqual([
      'hold.cancelled',
      'hold.cancelled',
      'book-info.deleted',
    ]);
    expect(statusOf(library, 100, 101)).toEqual(['CANCELLED', 'CANCELLED']);
    expect(library.state.copy(1)?.status).toBe('AVAILABLE');
  });
});
