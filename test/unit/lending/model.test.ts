import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { LendingCommand } from '../../../shared/lending/commands';
import type { DecisionContext } from '../../../workers/batch/service/decision';
import type { IdKind } from '../../../workers/batch/service/needs';
import { decideLending } from '../../../workers/lending/decide';
import type { LendingRules } from '../../../workers/lending/decided';
import { LendingState } from '../../../workers/lending/state';
import { lendingViews } from '../../../workers/lending/subjects';
import { assertInvalidatedAgain } from '../../support/models/stale-views';
import { allEnds, endOf, verdictOf } from '../../support/models/verdict';
import { Reference } from '../../support/models/lending/reference';
import { commandOf } from '../../support/models/lending/step-commands';
import { lendingStep, type World } from '../../support/models/lending/steps';
import { amount } from '../../support/run/amount';

const SEQUENCES = amount(800, 4000);
const MORE_ROUNDS = 5;
const HOUR_MS = 3600 * 1000;
const WORLD: World = {
  users: [1, 2, 3, 4],
  isbns: ['9780306406157', '9791190090018', '0000000000'],
  authors: ['Ann', 'Bo'],
  image: 'https://img.test/1.png',
  barcodes: ['A', 'B', 'C'],
};
const usernameOf = (userId: number) => `user-${userId}`;
const categoryOf = (userId: number) => (userId % 2 === 0 ? 'student' : 'general');

function countedIds(): DecisionContext<IdKind>['takeId'] {
  const next = new Map<IdKind, number>();
  return (kind) => {
    const id = next.get(kind) ?? 1;
    next.set(kind, id + 1);
    return id;
  };
}

/** The state that `decide` sees and the reference, both fed with the same commands. */
function system(maxOpenBorrows: number) {
  const rules = { loanDays: 14, maxOpenBorrows, holdPickupDays: 2, dueSoonDays: 2 };
  const state = new LendingState(usernameOf);
  const reference = new Reference(rules, usernameOf, undefined, categoryOf);
  state.loadCategories(WORLD.users.map((id) => ({ id, category: categoryOf(id) })));
  const takeId = countedIds();
  const carryOut = (command: LendingCommand, now: Date) => {
    const decided = decideLending(state, command, { now, takeId }, rules);
    state.evolve(decided.changes);
    // Of the rows, only titles are in cached views.
    const changed = new LendingState(usernameOf);
    changed.evolve({ ...decided.changes, copies: [], borrows: [], holds: [] });
    assertInvalidatedAgain(lendingViews, changed, command, decided.decision);
    return verdictOf(decided.decision);
  };
  return { state, reference, carryOut, rules };
}

/** What is said to stand in the way of a borrow; null for any other command. */
function blockersOf(
  state: LendingState,
  command: LendingCommand,
  now: Date,
  rules: LendingRules,
): readonly { readonly code: string }[] | null {
  if (command.type !== 'lending.borrow-book') return null;
  const check = { ...command, type: 'lending.check-borrow' } as const;
  const takeId = () => {
    throw new Error('a check takes no id');
  };
  const { decision, changes } = decideLending(state, check, { now, takeId }, rules);
  assert.deepStrictEqual(changes, {});
  assert(decision.kind === 'done');
  const { allowed, blockers } = decision.result as {
    readonly allowed: boolean;
    readonly blockers: readonly { readonly code: string }[];
  };
  assert.strictEqual(allowed, blockers.length === 0);
  return blockers;
}

/**
 * The rules that hold whatever is done, looked up in the state itself. Asserted by Node, for Jest's
 * `expect` takes most of the time here.
 */
function assertInvariants(state: LendingState, reference: Reference): void {
  for (const { id } of reference.titles) {
    const { totalStock = NaN, availableStock = NaN } = state.title(id) ?? {};
    assert.deepStrictEqual({ id, totalStock, availableStock }, { id, ...reference.stock(id) });
    assert(0 <= availableStock && availableStock <= totalStock, `stock of title ${id}`);
  }
  const open = reference.borrows
    .flatMap(({ id }) => state.borrow(id) ?? [])
    .filter(({ status }) => status === 'BORROWED');
  assert.strictEqual(
    open.length,
    reference.borrows.filter(({ status }) => status === 'BORROWED').length,
  );
  assert.strictEqual(
    new Set(open.map(({ bookId }) => bookId)).size,
    open.length,
    'two open borrows of one copy',
  );
  assert.strictEqual(
    new Set(open.map(({ userId, bookInfoId }) => `${userId} ${bookInfoId}`)).size,
    open.length,
    'two open borrows of one title by one user',
  );
  for (const { bookId, bookInfoId } of open) {
    assert.strictEqual(state.copy(bookId)?.status, 'ON_LOAN');
    assert.deepStrictEqual(
      [...state.borrowsOf(bookInfoId)].sort((a, b) => a - b),
      open
        .filter((other) => other.bookInfoId === bookInfoId)
        .map(({ id }) => id)
        .sort((a, b) => a - b),
    );
  }
  for (const { id, barcode, deletedAt } of reference.copies)
    if (barcode !== null && deletedAt === null)
      assert.strictEqual(state.copyByBarcode(barcode)?.id, id);
  assertLines(state, reference);
  for (const userId of WORLD.users)
    assert.strictEqual(
      state.openBorrows(userId),
      open.filter((borrow) => borrow.userId === userId).length,
    );
  assert.strictEqual(state.policies.loanRules.row.version, reference.loanRules.version);
  assert.strictEqual(state.policies.calendar.row.version, reference.calendar.version);
}

/**
 * Nobody waits while a copy is available; each copy that is set aside is so for one, and the line
 * is in the order of arrival.
 */
function assertLines(state: LendingState, reference: Reference): void {
  for (const { id, deletedAt } of reference.titles) {
    const line = state.holds.line(id);
    assert.deepStrictEqual(
      line.map((hold) => hold.id),
      deletedAt ? [] : reference.line(id).map((hold) => hold.id),
    );
    assert(
      line.length === 0 || state.title(id)?.availableStock === 0,
      `somebody waits for title ${id} while a copy is available`,
    );
  }
  const open = reference.holds
    .flatMap(({ id }) => state.holds.hold(id) ?? [])
    .filter(({ closedAt }) => closedAt === null);
  assert.strictEqual(
    new Set(open.map(({ userId, bookInfoId }) => `${userId} ${bookInfoId}`)).size,
    open.length,
    'two open holds of one title by one user',
  );
  const aside = open.flatMap(({ status, bookId }) =>
    status === 'READY' && bookId !== null ? [bookId] : [],
  );
  assert.strictEqual(new Set(aside).size, aside.length, 'one copy set aside for two');
  const onHold = reference.copies
    .filter(({ status, deletedAt }) => status === 'ON_HOLD' && deletedAt === null)
    .map(({ id }) => id);
  assert.deepStrictEqual(
    [...aside].sort((a, b) => a - b),
    onHold,
  );
  for (const bookId of aside) assert.strictEqual(state.copy(bookId)?.status, 'ON_HOLD');
}

describe('lending against the reference', () => {
  it(`decides ${SEQUENCES} random sequences of commands like the reference, and keeps stock and borrows right after every command`, () => {
    const ends = new Map<string, number>();
    const timed = fc.record({
      step: lendingStep,
      hours: fc.oneof(
        { weight: 9, arbitrary: fc.nat(30) },
        { weight: 1, arbitrary: fc.integer({ min: 300, max: 1500 }) },
      ),
    });
    const sequence = fc.record({
      maxOpenBorrows: fc.constantFrom(0, 1, 2),
      steps: fc.array(timed, { minLength: 1, maxLength: 40, size: 'max' }),
    });
    const sequences = () => {
      fc.assert(
        fc.property(sequence, ({ maxOpenBorrows, steps }) => {
          const { state, reference, carryOut, rules } = system(maxOpenBorrows);
          let now = Date.parse('2024-02-28T12:00:00Z');
          for (const { step, hours } of steps) {
            now += hours * HOUR_MS;
            const command = commandOf(step, WORLD, reference);
            const expected = reference.decide(command, new Date(now));
            const blockers = blockersOf(state, command, new Date(now), rules);
            const verdict = carryOut(command, new Date(now));
            if (blockers)
              assert.strictEqual(
                blockers[0]?.code,
                verdict.kind === 'refused' ? verdict.code : undefined,
              );
            assert.deepStrictEqual(verdict, expected);
            assertInvariants(state, reference);
            const end = endOf(command.type, verdict);
            ends.set(end, (ends.get(end) ?? 0) + 1);
          }
        }),
        { numRuns: SEQUENCES },
      );
    };
    sequences();
    // The sequences are worth something only when they come by every rule; a rare one may take some
    // more of them.
    const wanted = allEnds(ENDS);
    for (let more = 0; more < MORE_ROUNDS && ends.size < wanted.length; more += 1) sequences();
    expect([...ends.keys()].sort()).toEqual(wanted);
  }, 240_000);
});

/**
 * Each way in which a command can end. A check stands in none: it is compared with the borrow that
 * it is about.
 */
const ENDS: Record<Exclude<LendingCommand['type'], 'lending.check-borrow'>, readonly string[]> = {
  'lending.place-hold': [
    'ALREADY_BORROWED',
    'ALREADY_HELD',
    'BOOK_INFO_NOT_FOUND',
    'HOLD_LIMIT_REACHED',
    'OVERDUE_BLOCKED',
    'STOCK_AVAILABLE',
    'done',
  ],
  'lending.set-calendar': ['VERSION_MISMATCH', 'done'],
  'lending.set-loan-rules': ['VERSION_MISMATCH', 'done'],
  'lending.cancel-hold': ['HOLD_NOT_FOUND', 'done'],
  'lending.expire-hold': ['done'],
  'lending.remind-borrower': ['done'],
  'lending.add-copies': ['BARCODE_TAKEN', 'BOOK_INFO_NOT_FOUND', 'done'],
  'lending.borrow-book': [
    'ALREADY_BORROWED',
    'BOOK_INFO_NOT_FOUND',
    'BOOK_NOT_FOUND',
    'COPY_NOT_AVAILABLE',
    'LOAN_LIMIT_REACHED',
    'OUT_OF_STOCK',
    'OVERDUE_BLOCKED',
    'done',
  ],
  'lending.delete-book-info': ['BOOK_INFO_NOT_FOUND', 'BOOK_INFO_ON_LOAN', 'done'],
  'lending.delete-copy': ['BOOK_INFO_NOT_FOUND', 'BOOK_NOT_FOUND', 'COPY_ON_LOAN', 'done'],
  'lending.register-book-info': ['ISBN_ALREADY_REGISTERED', 'done', 'forward'],
  'lending.renew-borrow': [
    'ALREADY_RETURNED',
    'BORROW_NOT_FOUND',
    'HELD_BY_OTHERS',
    'RENEWAL_LIMIT_REACHED',
    'done',
  ],
  'lending.return-book': ['ALREADY_RETURNED', 'BORROW_NOT_FOUND', 'done'],
  'lending.set-copy-status': [
    'BARCODE_TAKEN',
    'BOOK_INFO_NOT_FOUND',
    'BOOK_NOT_FOUND',
    'COPY_ON_HOLD',
    'COPY_ON_LOAN',
    'done',
  ],
  'lending.update-book-info': [
    'BOOK_INFO_NOT_FOUND',
    'ISBN_ALREADY_REGISTERED',
    'VERSION_MISMATCH',
    'done',
  ],
};
