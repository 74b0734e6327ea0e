import type {
  History,
  HistoryEvent,
  Operation,
  Result,
} from '../../support/check/histories/history';
import { withoutOrder, type SearchOptions } from '../../support/check/histories/legal-order';

/** A history is written as operations, each with its beginning and its end on a common clock. */
interface Written extends Operation {
  readonly from: number;
  /** Absent when the client never learned how it ended. */
  readonly to?: number;
  readonly answer?: Result | 'no effect';
}

function historyOf(written: readonly Written[]): History {
  const events = written.flatMap(
    ({ from, to = Infinity, answer, ...operation }, index): HistoryEvent[] => {
      const end = answer === undefined ? 'info' : answer === 'no effect' ? 'fail' : 'ok';
      const common = { history: 'small', operation: index + 1 };
      return [
        { ...common, type: 'invoke', time: from, value: operation },
        { ...common, type: end, time: to, value: typeof answer === 'object' ? answer : null },
      ];
    },
  );
  return events.sort((a, b) => a.time - b.time);
}

const withoutOrderOf = (written: readonly Written[], reads: SearchOptions['reads'] = 'atomic') =>
  withoutOrder(historyOf(written), { reads });

const stock = (totalStock: number, availableStock: number) => ({ totalStock, availableStock });
const add = (copies: number, from: number, to: number): Written => ({
  user: 9,
  f: 'add',
  copies,
  from,
  to,
  answer: { status: 201, addedCount: copies, ...stock(copies, copies) },
});
const read = (from: number, to: number, totalStock: number, availableStock: number): Written => ({
  user: 8,
  f: 'read',
  from,
  to,
  answer: { status: 200, ...stock(totalStock, availableStock) },
});
const borrowed = (user: number, from: number, to: number, borrowId = user + 1): Written => ({
  user,
  f: 'borrow',
  from,
  to,
  answer: { status: 201, borrowId },
});
const returned = (user: number, from: number, to: number, borrowId = user + 1): Written => ({
  user,
  f: 'return',
  from,
  to,
  answer: { status: 200, borrowId },
});
const held = (user: number, from: number, to: number, position: number): Written => ({
  user,
  f: 'hold',
  from,
  to,
  answer: { status: 201, position },
});
const refused = (
  user: number,
  f: Operation['f'],
  from: number,
  to: number,
  code: string,
  more: Result = {},
): Written => ({
  user,
  f,
  from,
  to,
  answer: { status: code === 'BORROW_NOT_FOUND' ? 404 : 409, code, ...more },
});
const lost = (user: number, f: Operation['f'], from: number): Written => ({ user, f, from });

const legal: Readonly<Record<string, readonly Written[]>> = {
  'operations one after the other': [
    add(1, 0, 1),
    borrowed(1, 2, 3),
    read(4, 5, 1, 0),
    returned(1, 6, 7),
    read(8, 9, 1, 1),
  ],
  'of two borrows at the same time that want one copy, either one wins': [
    add(1, 0, 1),
    refused(1, 'borrow', 2, 5, 'OUT_OF_STOCK'),
    borrowed(2, 3, 4),
  ],
  'a read beside a borrow shows the title before or after it': [
    add(1, 0, 1),
    borrowed(1, 2, 9),
    read(3, 4, 1, 1),
    read(5, 6, 1, 0),
  ],
  'a copy that comes back is set aside for the first in line': [
    ...[
      add(1, 0, 1),
      borrowed(1, 2, 3),
      held(2, 4, 5, 1),
      held(3, 6, 7, 2),
      returned(1, 8, 9),
      read(10, 11, 1, 0),
    ],
    ...[
      refused(3, 'borrow', 12, 13, 'OUT_OF_STOCK'),
      borrowed(2, 14, 15),
      refused(2, 'hold', 16, 17, 'ALREADY_BORROWED', { borrowId: 3 }),
    ],
  ],
  'new copies go to those who wait, the rest to the shelf': [
    ...[
      held(1, 0, 1, 1),
      { ...add(3, 2, 3), answer: { status: 201, addedCount: 3, ...stock(3, 2) } },
    ],
    ...[borrowed(1, 4, 5), refused(2, 'hold', 6, 7, 'STOCK_AVAILABLE')],
  ],
  'an operation without an end takes effect late': [
    add(1, 0, 1),
    lost(1, 'borrow', 2),
    read(3, 4, 1, 1),
    read(5, 6, 1, 0),
  ],
  'an operation without an end never takes effect': [
    add(1, 0, 1),
    lost(1, 'borrow', 2),
    read(3, 4, 1, 1),
    borrowed(2, 5, 6),
  ],
  'a borrow without an end is named by the refusal of the next': [
    add(1, 0, 1),
    lost(1, 'borrow', 2),
    refused(1, 'borrow', 3, 4, 'ALREADY_BORROWED', { borrowId: 7 }),
    returned(1, 5, 6, 7),
  ],
  'what had no effect does not count': [
    add(1, 0, 1),
    { user: 1, f: 'borrow', from: 2, to: 3, answer: 'no effect' },
    read(4, 5, 1, 1),
  ],
};

const illegal: Readonly<Record<string, readonly Written[]>> = {
  'a stale read': [add(1, 0, 1), borrowed(1, 2, 3), read(4, 5, 1, 1)],
  'a doubled effect': [add(1, 0, 1), read(2, 3, 2, 2)],
  'a lost effect': [
    add(1, 0, 1),
    borrowed(1, 2, 3),
    refused(1, 'return', 4, 5, 'BORROW_NOT_FOUND'),
  ],
  'one copy lent to two': [add(1, 0, 1), borrowed(1, 2, 5), borrowed(2, 3, 4)],
  'two borrows of one user': [add(2, 0, 1), borrowed(1, 2, 3, 5), borrowed(1, 4, 5, 6)],
  'a refusal that names another borrow': [
    add(1, 0, 1),
    borrowed(1, 2, 3, 5),
    refused(1, 'borrow', 4, 5, 'ALREADY_BORROWED', { borrowId: 6 }),
  ],
  'a refusal without a reason': [add(1, 0, 1), refused(1, 'borrow', 2, 3, 'OUT_OF_STOCK')],
  'a copy that passes by the line': [
    add(1, 0, 1),
    borrowed(1, 2, 3),
    held(2, 4, 5, 1),
    returned(1, 6, 7),
    borrowed(3, 8, 9),
  ],
  'a place in line that is wrong': [held(1, 0, 1, 1), held(2, 2, 3, 1)],
  'an effect before its operation began': [add(1, 0, 1), read(2, 3, 1, 0), lost(1, 'borrow', 4)],
  'two effects of an operation without an end': [
    add(3, 0, 1),
    lost(1, 'borrow', 2),
    read(3, 4, 3, 1),
  ],
  'an operation without an end that is taken back': [
    add(1, 0, 1),
    lost(1, 'borrow', 2),
    read(3, 4, 1, 0),
    read(5, 6, 1, 1),
  ],
  'what had no effect and is seen': [
    add(1, 0, 1),
    { user: 1, f: 'borrow', from: 2, to: 3, answer: 'no effect' },
    read(4, 5, 1, 0),
  ],
};

/** Reads that disagree about a borrow that was not answered yet. */
const disagreeing = [add(1, 0, 1), borrowed(1, 2, 9), read(3, 4, 1, 0), read(5, 6, 1, 1)];

describe('the search for a legal order', () => {
  it.each(Object.keys(legal))('finds one: %s', (name) => {
    expect(withoutOrderOf(legal[name] ?? [])).toBeNull();
    expect(withoutOrderOf(legal[name] ?? [], 'answered')).toBeNull();
  });

  it.each(Object.keys(illegal))('finds none: %s', (name) => {
    expect(withoutOrderOf(illegal[name] ?? [])).toMatch(/^operation \d+/);
  });

  it('lets reads disagree about a write until that is answered, when only answered writes have to be shown', () => {
    expect(withoutOrderOf(disagreeing)).toMatch(/^operation 4/);
    expect(withoutOrderOf(disagreeing, 'answered')).toBeNull();
    for (const name of ['a stale read', 'a doubled effect', 'what had no effect and is seen'])
      expect(withoutOrderOf(illegal[name] ?? [], 'answered')).toMatch(/^operation/);
    expect(withoutOrderOf([...disagreeing, read(10, 11, 1, 1)], 'answered')).toMatch(
      /^operation 5/,
    );
  });

  it('says so when too little is known to decide', () => {
    const unknown = Array.from({ length: 12 }, (_, user) => [
      lost(user, 'hold', 2 + user),
      lost(user, 'borrow', 20 + user),
    ]).flat();
    expect(withoutOrderOf([add(1, 0, 1), ...unknown, read(50, 51, 7, 7)])).toMatch(/^not decided/);
  });
});
