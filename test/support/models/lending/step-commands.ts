import type { LendingCommand, LendingCommands } from '../../../../shared/lending/commands';
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
import type { Step, StepOf, World } from './steps';

/**
 * Makes commands of random steps. A step picks its title or borrow by number, among those that the
 * reference has when its turn comes. Most commands therefore hit something that exists.
 */

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

/** Returns a copy, and its title or, when the step is a strange one, another. */
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

/** Returns a hold, and its title or, when the step is a strange one, another. */
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
