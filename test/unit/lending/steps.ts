import fc from 'fast-check';
import { WEEKDAYS } from '../../../shared/lending/calendar';
import {
  REMINDERS,
  SETTABLE_COPY_STATUSES,
  type LendingCommand,
  type LendingCommands,
} from '../../../shared/lending/commands';
import {
  addCopies,
  admin,
  borrow,
  changeCopy,
  command,
  deleteCopy,
  deleteTitle,
  expireHold,
  placeHold,
  register,
  remind,
  setCalendar,
  setLoanRules,
  update,
  user,
} from './commands';
import type { Reference } from './reference';
import { SEOUL } from './reference-calendar';

/**
 * Random lending commands. A step picks its title or borrow by number, among those that the
 * reference has when its turn comes. Most commands therefore hit something that exists.
 */

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
type StepOf<Kind extends Step['kind']> = Extract<Step, { kind: Kind }>;

/** An id that nothing has. */
const NOBODY = 2 ** 50;

const from = <Item>(items: readonly Item[], number: number): Item | undefined =>
  items[number % Math.max(items.length, 1)];
const idFrom = (rows: readonly { readonly id: number }[], number: number): number =>
  from(rows, number)?.id ?? NOBODY;

function toRegister(step: StepOf<'register'>, world: World, reference: Reference): LendingCommand {
  const isbn = step.isbn === null ? null : (world.isbns[step.isbn] as string);
  const owner = reference.titles.find((title) => title.isbn === isbn && title.deletedAt === null);
  // Mostly as the API sends it; also as the workers forward it, and with the key of a title that is
  // the owner no more.
  const forwarded =
    step.key === 4
      ? owner?.id
      : step.key === 5
        ? from(reference.titles, step.author)?.id
        : undefined;
  const key = isbn !== null && forwarded !== undefined ? `book-info:${forwarded}` : undefined;
  const attributes = {
    title: `Title ${step.author}`,
    author: from(world.authors, step.author) as string,
    isbn,
    publicationDate: step.dated ? '1919-06-01' : null,
  };
  return register(
    { ...attributes, copies: step.copies, onDuplicate: step.reject ? 'reject' : 'add' },
    key,
  );
}

function toUpdate(step: StepOf<'update'>, world: World, reference: Reference): LendingCommand {
  const title = from(reference.titles, step.title);
  const changes: {
    -readonly [
      Name in keyof LendingCommands['lending.update-book-info']['changes']
    ]: LendingCommands['lending.update-book-info']['changes'][Name];
  } = {};
  if (step.name !== null) changes.title = `Title ${step.name % 10}`;
  if (step.author !== null) changes.author = from(world.authors, step.author) as string;
  if (step.isbn !== null) changes.isbn = world.isbns[step.isbn % 4] ?? null;
  if (step.date !== null) changes.publicationDate = step.date % 2 === 0 ? null : '0099-12-31';
  if (step.image !== null) changes.bookImg = step.image % 2 === 0 ? null : world.image;
  if (Object.keys(changes).length === 0) changes.title = 'Title 0';
  // Mostly for whatever version it is, else for the present one or for another.
  const ifVersion = [title?.version, title?.version, NOBODY][step.version] ?? null;
  return update(title?.id ?? NOBODY, changes, ifVersion);
}

/** A copy, and its title or, when the step is a strange one, another. */
function copyFrom(
  reference: Reference,
  number: number,
  strange: number,
): { bookInfoId: number; bookId: number } {
  const copy = from(reference.copies, number);
  return {
    bookInfoId: strange === 0 || !copy ? idFrom(reference.titles, number) : copy.bookInfoId,
    bookId: copy?.id ?? NOBODY,
  };
}

function toGiveBack(step: StepOf<'giveBack'>, world: World, reference: Reference): LendingCommand {
  const meant = from(reference.borrows, step.borrow);
  const actorId =
    step.user % 3 === 0 || !meant ? (from(world.users, step.user) as number) : meant.userId;
  const bookInfoId =
    step.strange === 0 || !meant ? idFrom(reference.titles, step.borrow) : meant.bookInfoId;
  const payload = {
    bookInfoId,
    borrowId: step.by === 'borrow' ? (meant?.id ?? NOBODY) : null,
    bookId: step.by === 'copy' ? (meant?.bookId ?? NOBODY) : null,
  };
  return command({
    type: 'lending.return-book',
    payload,
    actor: step.admin === 0 ? admin(actorId) : user(actorId),
  });
}

function toRenew(step: StepOf<'renew'>, world: World, reference: Reference): LendingCommand {
  const meant = from(reference.borrows, step.borrow);
  const actorId =
    step.user % 3 === 0 || !meant ? (from(world.users, step.user) as number) : meant.userId;
  const bookInfoId =
    step.strange === 0 || !meant ? idFrom(reference.titles, step.borrow) : meant.bookInfoId;
  const actor = step.admin === 0 ? admin(actorId) : user(actorId);
  return command({
    type: 'lending.renew-borrow',
    payload: { bookInfoId, borrowId: meant?.id ?? NOBODY },
    actor,
  });
}

function toRemind(step: StepOf<'remind'>, reference: Reference): LendingCommand {
  const borrow = from(reference.borrows, step.borrow);
  const isStrange = step.strange === 0 || !borrow;
  const bookInfoId = isStrange ? idFrom(reference.titles, step.borrow) : borrow.bookInfoId;
  return remind(bookInfoId, borrow?.id ?? NOBODY, step.reminder);
}

/** A hold, and its title or, when the step is a strange one, another. */
function holdFrom(reference: Reference, number: number, strange: number) {
  const hold = from(reference.holds, number);
  return {
    bookInfoId: strange === 0 || !hold ? idFrom(reference.titles, number) : hold.bookInfoId,
    holdId: hold?.id ?? NOBODY,
    userId: hold?.userId,
  };
}

function toCancelHold(
  step: StepOf<'cancelHold'>,
  world: World,
  reference: Reference,
): LendingCommand {
  const { userId, ...payload } = holdFrom(reference, step.hold, step.strange);
  const actorId =
    step.user % 3 === 0 || userId === undefined ? (from(world.users, step.user) as number) : userId;
  return command({
    type: 'lending.cancel-hold',
    payload,
    actor: step.admin === 0 ? admin(actorId) : user(actorId),
  });
}

/** Mostly a title of which no copy is available, so that somebody waits. */
function toPlaceHold(
  step: StepOf<'placeHold'>,
  world: World,
  reference: Reference,
): LendingCommand {
  const out = reference.titles.filter(({ id }) => reference.stock(id).availableStock === 0);
  return placeHold(
    from(world.users, step.user) as number,
    idFrom(step.title % 4 === 0 ? reference.titles : out, step.title),
  );
}

function toBorrow(step: StepOf<'borrow'>, world: World, reference: Reference): LendingCommand {
  const userId = from(world.users, step.user) as number;
  const copy = step.copy === null ? undefined : from(reference.copies, step.copy);
  return copy
    ? borrow(userId, copy.bookInfoId, copy.id)
    : borrow(userId, idFrom(reference.titles, step.title));
}

function toAddCopies(
  { title, count, barcodes, of }: StepOf<'addCopies'>,
  world: World,
  reference: Reference,
): LendingCommand {
  const bookInfoId = idFrom(reference.titles, title);
  if (barcodes === null) return addCopies(bookInfoId, count, undefined, of);
  const given = world.barcodes.slice(barcodes, barcodes + count);
  return addCopies(bookInfoId, given.length, given, of);
}

/** Gives a copy a status, a kind, a barcode or none, or several of these. */
function toSetStatus(
  { copy, strange, status, barcode, of }: StepOf<'setStatus'>,
  { barcodes }: World,
  reference: Reference,
): LendingCommand {
  const { bookInfoId, bookId } = copyFrom(reference, copy, strange);
  return changeCopy(bookInfoId, bookId, {
    ...(status !== null && { status }),
    ...(of && { kind: of }),
    ...((barcode !== null || (status === null && !of)) && {
      barcode: barcodes[barcode ?? 3] ?? null,
    }),
  });
}

function toPolicy(
  step: StepOf<'setCalendar' | 'setLoanRules'>,
  { calendar, loanRules }: Reference,
): LendingCommand {
  const ifVersion = (present: number) => [present, NOBODY][step.version] ?? null;
  if (step.kind === 'setLoanRules') return setLoanRules(step.rules, ifVersion(loanRules.version));
  const { timeZone, closedWeekdays, closedDates } = step;
  return setCalendar({ timeZone, closedWeekdays, closedDates }, ifVersion(calendar.version));
}

export function commandOf(step: Step, world: World, reference: Reference): LendingCommand {
  switch (step.kind) {
    case 'register':
      return toRegister(step, world, reference);
    case 'update':
      return toUpdate(step, world, reference);
    case 'deleteTitle':
      return deleteTitle(idFrom(reference.titles, step.title));
    case 'addCopies':
      return toAddCopies(step, world, reference);
    case 'setStatus':
      return toSetStatus(step, world, reference);
    case 'deleteCopy': {
      const { bookInfoId, bookId } = copyFrom(reference, step.copy, step.strange);
      return deleteCopy(bookInfoId, bookId);
    }
    case 'borrow':
      return toBorrow(step, world, reference);
    case 'giveBack':
      return toGiveBack(step, world, reference);
    case 'renew':
      return toRenew(step, world, reference);
    case 'placeHold':
      return toPlaceHold(step, world, reference);
    case 'cancelHold':
      return toCancelHold(step, world, reference);
    case 'remind':
      return toRemind(step, reference);
    case 'expireHold': {
      const { bookInfoId, holdId } = holdFrom(reference, step.hold, step.strange);
      return expireHold(bookInfoId, holdId);
    }
    default:
      return toPolicy(step, reference);
  }
}
