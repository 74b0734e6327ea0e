import type { LendingCommand } from '../../../../shared/lending/commands';
import type { Decision, DecisionContext } from '../../../../workers/batch/service/decision';
import type { IdKind } from '../../../../workers/batch/service/needs';
import { decideLending } from '../../../../workers/lending/decide';
import type { LendingRules } from '../../../../workers/lending/decided';
import type { Borrow, Copy, Title } from '../../../../workers/lending/rows';
import { LendingState } from '../../../../workers/lending/state';
import { borrow, command } from './commands';

/**
 * A state to decide on: a small library, as if loaded from the database, and a clock that stands
 * until it is put on.
 */

export const NOW = new Date('2024-02-28T12:00:00.000Z');
const DAY_MS = 24 * 3600 * 1000;
export const later = (days: number): Date => new Date(NOW.getTime() + days * DAY_MS);

const TITLE: Title = {
  ...{
    id: 1,
    title: 'Demian',
    author: 'Hermann Hesse',
    authorId: 7,
    isbn: '9780306406157',
    publicationDate: '1919-01-01',
    bookImg: null,
  },
  ...{
    totalStock: 0,
    availableStock: 0,
    borrowCount: 0,
    version: 1,
    createdAt: NOW,
    modifiedAt: NOW,
    deletedAt: null,
  },
};

export class Library {
  readonly state: LendingState;
  now = NOW;
  private readonly rules: LendingRules;
  /** Ids above those of the rows that were loaded. */
  private readonly next = new Map<IdKind, number>();

  constructor(rules: Partial<LendingRules> = {}) {
    this.rules = { loanDays: 14, maxOpenBorrows: 0, holdPickupDays: 3, dueSoonDays: 2, ...rules };
    this.state = new LendingState((userId) => `user-${userId}`);
  }

  /** Decides a command as the next of the batch. */
  decide(given: LendingCommand): Decision {
    const context: DecisionContext<IdKind> = { now: this.now, takeId: (kind) => this.takeId(kind) };
    const { decision, changes } = decideLending(this.state, given, context, this.rules);
    this.state.evolve(changes);
    return decision;
  }

  /** Decides a command that must succeed, and returns what the client gets. */
  done(given: LendingCommand): Record<string, unknown> {
    const decision = this.decide(given);
    if (decision.kind !== 'done')
      throw new Error(`${given.type} came to ${JSON.stringify(decision)}`);
    return decision.result as Record<string, unknown>;
  }

  /** Returns the code with which a command is refused; what else it comes to, in words. */
  refusal(given: LendingCommand): string {
    const decision = this.decide(given);
    return decision.kind === 'refused' ? decision.refusal.code : `not refused but ${decision.kind}`;
  }

  /** Returns the ids that a refusal names. */
  inTheWay(given: LendingCommand): unknown {
    const decision = this.decide(given);
    return decision.kind === 'refused' ? decision.refusal.ids : decision;
  }

  stock(bookInfoId: number) {
    const title = this.state.title(bookInfoId);
    return [title?.availableStock, title?.totalStock];
  }

  private takeId(kind: IdKind): number {
    const id = this.next.get(kind) ?? 100;
    this.next.set(kind, id + 1);
    return id;
  }
}

/** Title 1 with available copies 1 to `copies`. */
export function libraryWith(
  copies: number,
  { rules, title }: { rules?: Partial<LendingRules>; title?: Partial<Title> } = {},
): Library {
  const library = new Library(rules);
  const rows = Array.from({ length: copies }, (_, index): Copy => ({
    id: index + 1,
    bookInfoId: 1,
    status: 'AVAILABLE',
    kind: 'book',
    barcode: null,
    deletedAt: null,
  }));
  library.state.load({
    titles: [{ ...TITLE, totalStock: copies, availableStock: copies, ...title }],
    copies: rows,
    authors: [{ id: 7, name: 'Hermann Hesse' }],
  });
  return library;
}

/** The same, and copy 1 lent to the user as borrow 50, with some of it as given. */
export function libraryWithLoan(
  userId: number,
  of: Partial<Borrow> = {},
  copies = 1,
  rules: Partial<LendingRules> = {},
): Library {
  const library = libraryWith(copies, { rules, title: { availableStock: copies - 1 } });
  const row: Borrow = {
    ...{
      id: 50,
      userId,
      username: `user-${userId}`,
      bookInfoId: 1,
      bookId: 1,
      title: 'Demian',
      status: 'BORROWED',
    },
    ...{
      borrowedAt: NOW,
      dueAt: later(14),
      returnedAt: null,
      renewalCount: 0,
      reminder: null,
      ...of,
    },
  };
  library.state.load({
    copies: [
      { id: 1, bookInfoId: 1, status: 'ON_LOAN', kind: 'book', barcode: null, deletedAt: null },
    ],
    borrows: [row],
  });
  library.state.loadCounts([{ userId, kind: 'book', open: 1 }]);
  library.state.loadDue([row]);
  library.state.loadOpen([row]);
  return library;
}

/** Every command that names title 1, each by someone who may send it. */
export const everyCommandOfTitle1: readonly LendingCommand[] = [
  borrow(9, 1),
  borrow(9, 1, 1),
  command({ type: 'lending.add-copies', payload: { bookInfoId: 1, count: 1 } }),
  command({
    type: 'lending.update-book-info',
    payload: { bookInfoId: 1, changes: { title: 'New' }, ifVersion: null },
  }),
  command({
    type: 'lending.set-copy-status',
    payload: { bookInfoId: 1, bookId: 1, status: 'LOST' },
  }),
  command({ type: 'lending.delete-copy', payload: { bookInfoId: 1, bookId: 1 } }),
  command({ type: 'lending.delete-book-info', payload: { bookInfoId: 1 } }),
];

export const ISBN = '9780306406157';
