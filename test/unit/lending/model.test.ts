import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { LendingCommand } from '../../../shared/lending/commands';
import type { DecisionContext } from '../../../workers/batch/service/decision';
import type { IdKind } from '../../../workers/batch/service/needs';
import { decideLending } from '../../../workers/lending/decide';
import type { LendingRules } from '../../../workers/lending/decided';
import { LendingState } from '../../../workers/lending/state';
import { endOf, verdictOf } from '../../support/models/verdict';
import { Reference } from '../../support/models/lending/reference';
import { commandOf } from '../../support/models/lending/step-commands';
import { lendingStep, type World } from '../../support/models/lending/steps';

const SEQUENCES = 4000;
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
    // The sequences are worth something only when they come by every rule.
    expect([...ends.keys()].sort()).toEqual(EVERY_END);
  }, 60_000);
});

/** Each way in which a command can end. */
const EVERY_END = [
  ...[
    'ALREADY_BORROWED',
    'ALREADY_HELD',
    'BOOK_INFO_NOT_FOUND',
    'HOLD_LIMIT_REACHED',
    'OVERDUE_BLOCKED',
    'STOCK_AVAILABLE',
    'done',
  ].map((end) => `lending.place-hold ${end}`),
  ...['VERSION_MISMATCH', 'done'].flatMap((end) => [
    `lending.set-calendar ${end}`,
    `lending.set-loan-rules ${end}`,
  ]),
  ...['HOLD_NOT_FOUND', 'done'].map((end) => `lending.cancel-hold ${end}`),
  'lending.expire-hold done',
  'lending.remind-borrower done',
  ...['BARCODE_TAKEN', 'BOOK_INFO_NOT_FOUND', 'done'].map((end) => `lending.add-copies ${end}`),
  ...[
    'ALREADY_BORROWED',
    'BOOK_INFO_NOT_FOUND',
    'BOOK_NOT_FOUND',
    'COPY_NOT_AVAILABLE',
    'LOAN_LIMIT_REACHED',
    'OUT_OF_STOCK',
    'OVERDUE_BLOCKED',
    'done',
  ].map((end) => `lending.borrow-book ${end}`),
  ...['BOOK_INFO_NOT_FOUND', 'BOOK_INFO_ON_LOAN', 'done'].map(
    (end) => `lending.delete-book-info ${end}`,
  ),
  ...['BOOK_INFO_NOT_FOUND', 'BOOK_NOT_FOUND', 'COPY_ON_LOAN', 'done'].map(
    (end) => `lending.delete-copy ${end}`,
  ),
  ...['ISBN_ALREADY_REGISTERED', 'done', 'forward'].map(
    (end) => `lending.register-book-info ${end}`,
  ),
  ...[
    'ALREADY_RETURNED',
    'BORROW_NOT_FOUND',
    'HELD_BY_OTHERS',
    'RENEWAL_LIMIT_REACHED',
    'done',
  ].map((end) => `lending.renew-borrow ${end}`),
  ...['ALREADY_RETURNED', 'BORROW_NOT_FOUND', 'done'].map((end) => `lending.return-book ${end}`),
  ...[
    'BARCODE_TAKEN',
    'BOOK_INFO_NOT_FOUND',
    'BOOK_NOT_FOUND',
    'COPY_ON_HOLD',
    'COPY_ON_LOAN',
    'done',
  ].map((end) => `lending.set-copy-status ${end}`),
  ...['BOOK_INFO_NOT_FOUND', 'ISBN_ALREADY_REGISTERED', 'VERSION_MISMATCH', 'done'].map(
    (end) => `lending.update-book-info ${end}`,
  ),
].sort();
