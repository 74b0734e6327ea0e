import { giveBack, remind, renew, setStatus } from '../../support/models/lending/commands';
import { later, libraryWithLoan, type Library } from '../../support/models/lending/library';

/** Borrow 50 of title 1, due in 14 days; due soon from two days before. */
const loan = (rules = {}) => libraryWithLoan(9, {}, 1, rules);

/** The events that a reminder makes. */
function told(library: Library, reminder: 'due-soon' | 'overdue'): string[] {
  const decision = library.decide(remind(1, 50, reminder));
  return decision.kind === 'done' ? decision.events.map(({ type }) => type) : [decision.kind];
}

describe('reminders', () => {
  it('tell that a borrow is due soon, and that it is overdue, each once', () => {
    const library = loan();
    library.now = later(12);
    expect(told(library, 'due-soon')).toEqual(['lending.borrow.due-soon']);
    expect(told(library, 'due-soon')).toEqual([]);
    library.now = later(14.1);
    expect(told(library, 'overdue')).toEqual(['lending.borrow.overdue']);
    expect(told(library, 'overdue')).toEqual([]);
    expect(told(library, 'due-soon')).toEqual([]);
  });

  it('carry the borrow, which is overdue only after its due date', () => {
    const library = loan();
    library.now = later(12);
    expect(library.decide(remind(1, 50, 'due-soon'))).toMatchObject({
      result: null,
      events: [{ aggregateId: 'book-info:1', data: { borrowId: 50, overdue: false } }],
    });
    library.now = later(15);
    expect(library.decide(remind(1, 50, 'overdue'))).toMatchObject({
      events: [{ aggregateId: 'book-info:1', data: { borrowId: 50, userId: 9, overdue: true } }],
    });
  });

  it('are too early before, and never of the other kind', () => {
    const library = loan();
    library.now = later(11.9);
    expect(told(library, 'due-soon')).toEqual([]);
    library.now = later(14);
    expect(told(library, 'overdue')).toEqual([]);
    library.now = later(14.1);
    expect(told(library, 'due-soon')).toEqual([]);
    expect(told(library, 'overdue')).toEqual(['lending.borrow.overdue']);
  });

  it('are sent again for the due date of a renewal', () => {
    const library = loan();
    library.now = later(13);
    expect(told(library, 'due-soon')).toHaveLength(1);
    library.done(renew(9, 1, 50));
    expect(told(library, 'due-soon')).toEqual([]);
    library.now = later(27);
    expect(told(library, 'due-soon')).toHaveLength(1);
    library.now = later(29);
    expect(told(library, 'overdue')).toHaveLength(1);
    library.done(renew(9, 1, 50));
    library.now = later(44);
    expect(told(library, 'overdue')).toHaveLength(1);
  });

  it.each([
    ['was returned', giveBack(9, 1)],
    ['was lost', setStatus(1, 1, 'LOST')],
  ])('skip a borrow that %s', (_what, closing) => {
    const library = loan();
    library.done(closing);
    for (const days of [13, 20]) {
      library.now = later(days);
      expect([...told(library, 'due-soon'), ...told(library, 'overdue')]).toEqual([]);
    }
  });

  it('skip another title, and borrows that do not exist', () => {
    const library = loan();
    library.now = later(20);
    expect(library.decide(remind(2, 50, 'overdue'))).toMatchObject({ kind: 'done', events: [] });
    expect(library.decide(remind(1, 51, 'overdue'))).toMatchObject({ kind: 'done', events: [] });
  });

  it('with 0 days remind only of overdue borrows', () => {
    const library = loan({ dueSoonDays: 0 });
    library.now = later(14);
    expect(told(library, 'due-soon')).toEqual([]);
    library.now = later(15);
    expect(told(library, 'overdue')).toHaveLength(1);
  });
});
