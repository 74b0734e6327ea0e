import fc from 'fast-check';
import { WEEKDAYS } from '../../../../shared/lending/calendar';
import { REMINDERS, SETTABLE_COPY_STATUSES } from '../../../../shared/lending/commands';
import { SEOUL } from './reference-calendar';

/** Random lending commands as data: `step-commands.ts` makes commands of them. */

/**
 * What the commands of one sequence are about; two sequences with different worlds share no row.
 */
export interface World {
  readonly users: readonly number[];
  readonly isbns: readonly string[];
  readonly authors: readonly string[];
  readonly image: string;
  readonly barcodes: readonly string[];
}

const pick = fc.nat(99);
const isbnPick = fc.option(fc.nat(2), { freq: 3 });
/** Null: leave the attribute alone. */
const change = fc.option(pick, { freq: 2 });

const stepOf = {
  register: fc.record({
    kind: fc.constant('register' as const),
    isbn: isbnPick,
    author: pick,
    copies: fc.nat(3),
    reject: fc.boolean(),
    key: fc.nat(5),
    dated: fc.boolean(),
  }),
  update: fc.record({
    kind: fc.constant('update' as const),
    title: pick,
    name: change,
    author: change,
    isbn: change,
    date: change,
    image: change,
    version: fc.nat(5),
  }),
  deleteTitle: fc.record({ kind: fc.constant('deleteTitle' as const), title: pick }),
  addCopies: fc.record({
    kind: fc.constant('addCopies' as const),
    title: pick,
    count: fc.integer({ min: 1, max: 3 }),
    barcodes: fc.option(fc.nat(2), { freq: 2 }),
    of: fc.constantFrom(undefined, 'book', 'dvd'),
  }),
  setStatus: fc.record({
    kind: fc.constant('setStatus' as const),
    copy: pick,
    status: fc.option(fc.constantFrom(...SETTABLE_COPY_STATUSES), { freq: 3 }),
    barcode: fc.option(fc.nat(3), { freq: 2 }),
    of: fc.constantFrom(undefined, 'book', 'dvd'),
    strange: fc.nat(15),
  }),
  setLoanRules: fc.record({
    kind: fc.constant('setLoanRules' as const),
    rules: fc.uniqueArray(
      fc.record({
        category: fc.constantFrom('*', 'general', 'student'),
        kind: fc.constantFrom('*', 'book', 'dvd'),
        loanDays: fc.constantFrom(null, 3, 30),
        renewalsMax: fc.constantFrom(null, 0, 1),
        maxOpenBorrows: fc.constantFrom(null, 0, 1, 2),
        holdsMax: fc.constantFrom(null, 0, 1),
        blockOverdueDays: fc.constantFrom(null, null, 0, 5),
      }),
      { maxLength: 4, selector: ({ category, kind }) => `${category} ${kind}` },
    ),
    version: fc.nat(9),
  }),
  setCalendar: fc.record({
    kind: fc.constant('setCalendar' as const),
    timeZone: fc.constantFrom(null, SEOUL),
    closedWeekdays: fc.subarray([...WEEKDAYS], { maxLength: 6 }),
    closedDates: fc.subarray(['2024-03-01', '2024-03-13', '2024-03-14', '2024-03-15']),
    version: fc.nat(9),
  }),
  deleteCopy: fc.record({
    kind: fc.constant('deleteCopy' as const),
    copy: pick,
    strange: fc.nat(15),
  }),
  borrow: fc.record({
    kind: fc.constant('borrow' as const),
    user: pick,
    title: pick,
    copy: fc.option(pick, { freq: 2 }),
  }),
  giveBack: fc.record({
    kind: fc.constant('giveBack' as const),
    user: pick,
    borrow: pick,
    by: fc.constantFrom('borrow', 'copy', 'title'),
    admin: fc.nat(4),
    strange: fc.nat(15),
  }),
  renew: fc.record({
    kind: fc.constant('renew' as const),
    user: pick,
    borrow: pick,
    admin: fc.nat(4),
    strange: fc.nat(15),
  }),
  placeHold: fc.record({ kind: fc.constant('placeHold' as const), user: pick, title: pick }),
  cancelHold: fc.record({
    kind: fc.constant('cancelHold' as const),
    user: pick,
    hold: pick,
    admin: fc.nat(4),
    strange: fc.nat(15),
  }),
  remind: fc.record({
    kind: fc.constant('remind' as const),
    borrow: pick,
    reminder: fc.constantFrom(...REMINDERS),
    strange: fc.nat(15),
  }),
  expireHold: fc.record({
    kind: fc.constant('expireHold' as const),
    hold: pick,
    strange: fc.nat(15),
  }),
};

const weights: Record<keyof typeof stepOf, number> = {
  register: 4,
  update: 4,
  deleteTitle: 2,
  addCopies: 2,
  setStatus: 3,
  deleteCopy: 2,
  borrow: 12,
  giveBack: 8,
  renew: 4,
  placeHold: 9,
  cancelHold: 2,
  expireHold: 3,
  remind: 4,
  setLoanRules: 2,
  setCalendar: 1,
};

export const lendingStep = fc.oneof(
  ...(Object.keys(stepOf) as (keyof typeof stepOf)[]).map((kind) => ({
    weight: weights[kind],
    arbitrary: stepOf[kind] as fc.Arbitrary<Step>,
  })),
);

type Values<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;
export type Step = Values<(typeof stepOf)[keyof typeof stepOf]>;
export type StepOf<Kind extends Step['kind']> = Extract<Step, { kind: Kind }>;
