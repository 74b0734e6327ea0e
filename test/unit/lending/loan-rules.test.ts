import {
  borrow,
  changeCopy,
  placeHold,
  renew,
  setLoanRules,
} from '../../support/models/lending/commands';
import type { Copy } from '../../../workers/lending/rows';
import { later, libraryWith, libraryWithLoan, NOW } from '../../support/models/lending/library';

/** Which loan rule counts, and what it does. */

const ofStudent = (library: ReturnType<typeof libraryWith>, userId = 1) => {
  library.state.loadCategories([{ id: userId, category: 'student' }]);
  return library;
};
/** Copy 20, of title 2. */
const copyOf = (kind: string): Copy => ({
  ...{ id: 20, bookInfoId: 2, status: 'AVAILABLE', kind },
  ...{ barcode: null, deletedAt: null },
});
const dueIn = (days: number) => ({ dueAt: later(days).toISOString() });

describe('the rule that counts', () => {
  const each = [
    { category: '*', kind: '*', loanDays: 1 },
    { category: '*', kind: 'book', loanDays: 2 },
    { category: 'student', kind: '*', loanDays: 3 },
    { category: 'student', kind: 'book', loanDays: 4 },
  ];

  it.each([
    [4, each],
    [3, each.slice(0, 3)],
    [2, each.slice(0, 2)],
    [1, each.slice(0, 1)],
    [14, []],
  ])('is the most particular, which lends for %d days', (days, rules) => {
    const library = ofStudent(libraryWith(1));
    library.done(setLoanRules([...rules].reverse()));
    expect(library.done(borrow(1, 1))).toMatchObject(dueIn(days));
  });

  it('is for no other category, and for no other kind', () => {
    const library = libraryWith(1);
    library.done(
      setLoanRules([
        { category: 'student', kind: '*', loanDays: 3 },
        { category: '*', kind: 'dvd', loanDays: 4 },
      ]),
    );
    expect(library.done(borrow(1, 1))).toMatchObject(dueIn(14));
  });

  it('takes missing values from the settings, not from the next rule', () => {
    const library = ofStudent(libraryWith(1, { rules: { loanDays: 9 } }));
    library.done(setLoanRules([{ loanDays: 1 }, { category: 'student', renewalsMax: 0 }]));
    expect(library.done(borrow(1, 1))).toMatchObject(dueIn(9));
    expect(library.refusal(renew(1, 1, 100))).toBe('RENEWAL_LIMIT_REACHED');
  });

  it('counts from the next command on, also within a batch', () => {
    const library = libraryWith(2);
    expect(library.done(borrow(1, 1))).toMatchObject(dueIn(14));
    library.done(setLoanRules([{ loanDays: 2 }]));
    expect(library.done(borrow(2, 1))).toMatchObject(dueIn(2));
  });
});

describe('a rule', () => {
  it('says how often a borrow is renewed, and for how long', () => {
    const library = libraryWithLoan(1);
    library.done(setLoanRules([{ loanDays: 5, renewalsMax: 1 }]));
    expect(library.done(renew(1, 1, 50))).toMatchObject(dueIn(19));
    expect(library.refusal(renew(1, 1, 50))).toBe('RENEWAL_LIMIT_REACHED');
  });

  it('for a kind limits the borrows of that kind, and a setting those of all', () => {
    const library = libraryWithLoan(1, {}, 2);
    library.state.load({ titles: [{ ...library.state.title(1)!, id: 2, availableStock: 1 }] });
    library.state.load({ copies: [copyOf('dvd')] });
    library.done(setLoanRules([{ kind: 'dvd', maxOpenBorrows: 1 }]));
    library.done(changeCopy(1, 1, { kind: 'dvd' }));
    expect(library.refusal(borrow(1, 2))).toBe('LOAN_LIMIT_REACHED');
    library.done(changeCopy(1, 1, { kind: 'book' }));
    expect(library.done(borrow(1, 2))).toMatchObject({ bookId: 20 });
  });

  it('limits holds over all titles; 0 means no limit', () => {
    const library = libraryWith(0);
    library.state.load({ titles: [{ ...library.state.title(1)!, id: 2 }] });
    library.done(setLoanRules([{ holdsMax: 1 }]));
    library.done(placeHold(1, 1));
    expect(library.refusal(placeHold(1, 2))).toBe('HOLD_LIMIT_REACHED');
    library.done(setLoanRules([{ holdsMax: 0 }]));
    library.done(placeHold(1, 2));
  });

  it('blocks a reader with a loan that is overdue for more than so many days', () => {
    const library = libraryWithLoan(1, { dueAt: NOW }, 2);
    library.state.load({ titles: [{ ...library.state.title(1)!, id: 2, availableStock: 1 }] });
    library.state.load({ copies: [copyOf('book')] });
    library.done(setLoanRules([{ blockOverdueDays: 2 }]));
    library.now = new Date(later(2).getTime() + 1);
    expect(library.refusal(borrow(1, 2))).toBe('OVERDUE_BLOCKED');
    expect(library.inTheWay(borrow(1, 2))).toEqual({ borrowId: 50 });
    library.now = later(2);
    library.done(borrow(1, 2));
  });

  it('blocks holds as well, until the loan is renewed', () => {
    const library = libraryWithLoan(1, { dueAt: NOW });
    library.state.load({ titles: [{ ...library.state.title(1)!, id: 2 }] });
    library.done(setLoanRules([{ blockOverdueDays: 0 }]));
    library.now = later(1);
    expect(library.inTheWay(placeHold(1, 2))).toEqual({ borrowId: 50 });
    library.done(renew(1, 1, 50));
    library.done(placeHold(1, 2));
  });
});

describe('setting the loan rules', () => {
  it('tells them once, and nothing when they are the same', () => {
    const library = libraryWith(0);
    const given = setLoanRules([{ loanDays: 3 }]);
    const { rules } = given.payload;
    const view = { rules, version: 1, modifiedAt: NOW.toISOString() };
    expect(library.decide(given)).toEqual({
      kind: 'done',
      created: false,
      result: view,
      events: [{ type: 'lending.loan-rules.changed', aggregateId: 'loan-rules', data: view }],
    });
    expect(library.decide(given)).toMatchObject({ result: view, events: [] });
  });

  it('is refused for another version than was read', () => {
    const library = libraryWith(0);
    library.done(setLoanRules([{ loanDays: 3 }], 0));
    expect(library.refusal(setLoanRules([], 0))).toBe('VERSION_MISMATCH');
    expect(library.done(setLoanRules([], 1))).toMatchObject({ version: 2 });
  });
});
