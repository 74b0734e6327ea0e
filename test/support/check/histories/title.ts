import type { Operation, Result } from './history';

/**
 * The sequential specification of one title: what each operation does, and answers, when operations
 * come one after the other. It is written from the HTTP contract and shares no code with the
 * product. The title begins without copies.
 */

/** A borrow whose answer nobody saw has an id that nobody knows, until an answer names it. */
const UNKNOWN_ID = 0;

export interface Title {
  readonly totalStock: number;
  readonly availableStock: number;
  /** Ids of open borrows by user. */
  readonly loans: Readonly<Record<number, number>>;
  /** Users who wait, in order. */
  readonly line: readonly number[];
  /** Users for whom a copy is set aside, in ascending order. */
  readonly aside: readonly number[];
}

export const NEW_TITLE: Title = {
  totalStock: 0,
  availableStock: 0,
  loans: {},
  line: [],
  aside: [],
};

/**
 * Returns the title after an operation that was answered `result`; null when the operation cannot
 * be answered so. An operation whose result is unknown (null) may always come next.
 */
export function step(title: Title, operation: Operation, result: Result | null): Title | null {
  const bound = result === null ? title : bindLoan(title, operation.user, result);
  if (bound === null) return null;
  const { answer, after } = carryOut(bound, operation, result);
  const right =
    result === null || Object.entries(answer).every(([name, value]) => result[name] === value);
  return right ? after : null;
}

/** An answer that names the user's open borrow has to name the one that is open. */
function bindLoan(title: Title, user: number, { status, code, borrowId }: Result): Title | null {
  const loan = title.loans[user];
  if (loan === undefined || (status !== 200 && code !== 'ALREADY_BORROWED')) return title;
  if (typeof borrowId !== 'number') return title;
  if (loan === UNKNOWN_ID) return { ...title, loans: { ...title.loans, [user]: borrowId } };
  return loan === borrowId ? title : null;
}

interface Outcome {
  readonly answer: Result;
  readonly after: Title;
}

function carryOut(title: Title, operation: Operation, result: Result | null): Outcome {
  const { user, f, copies = 0 } = operation;
  switch (f) {
    case 'read':
      return { answer: { status: 200, ...stockOf(title) }, after: title };
    case 'borrow':
      return borrow(
        title,
        user,
        typeof result?.['borrowId'] === 'number' ? result['borrowId'] : UNKNOWN_ID,
      );
    case 'return':
      return giveBack(title, user);
    case 'hold':
      return hold(title, user);
    case 'add': {
      const after = putOnShelf({ ...title, totalStock: title.totalStock + copies }, copies);
      return { answer: { status: 201, addedCount: copies, ...stockOf(after) }, after };
    }
  }
}

const stockOf = ({ totalStock, availableStock }: Title) => ({ totalStock, availableStock });
const refused = (after: Title, code: string): Outcome => ({ answer: { status: 409, code }, after });

function borrow(title: Title, user: number, borrowId: number): Outcome {
  const { availableStock, aside } = title;
  if (title.loans[user] !== undefined) return refused(title, 'ALREADY_BORROWED');
  const loans = { ...title.loans, [user]: borrowId };
  const answer = { status: 201 };
  if (aside.includes(user))
    return { answer, after: { ...title, loans, aside: aside.filter((other) => other !== user) } };
  if (availableStock === 0) return refused(title, 'OUT_OF_STOCK');
  return { answer, after: { ...title, loans, availableStock: availableStock - 1 } };
}

function giveBack(title: Title, user: number): Outcome {
  const { [user]: loan, ...loans } = title.loans;
  if (loan === undefined)
    return { answer: { status: 404, code: 'BORROW_NOT_FOUND' }, after: title };
  return { answer: { status: 200 }, after: putOnShelf({ ...title, loans }, 1) };
}

function hold(title: Title, user: number): Outcome {
  const { availableStock, line, aside } = title;
  if (line.includes(user) || aside.includes(user)) return refused(title, 'ALREADY_HELD');
  if (title.loans[user] !== undefined) return refused(title, 'ALREADY_BORROWED');
  if (availableStock > 0) return refused(title, 'STOCK_AVAILABLE');
  return {
    answer: { status: 201, position: line.length + 1 },
    after: { ...title, line: [...line, user] },
  };
}

/** Copies go to those who wait, in the order of the line; the rest becomes available. */
function putOnShelf(title: Title, copies: number): Title {
  const { availableStock, line, aside } = title;
  const served = line.slice(0, copies);
  return {
    ...title,
    availableStock: availableStock + copies - served.length,
    line: line.slice(served.length),
    aside: [...aside, ...served].sort((a, b) => a - b),
  };
}
