import type { LendingCommands } from '../../shared/lending/commands';
import { DEFAULT_KIND } from '../../shared/lending/loan-rules';
import { copyView } from '../../shared/lending/views';
import type { DomainEvent } from '../batch/service/decision';
import {
  accept,
  event,
  noCopy,
  noTitle,
  refuse,
  restocked,
  shownBorrow,
  type LendingDecision,
  type LendingInput,
} from './decided';
import { release, requeue, type Served } from './line';
import type { Borrow, Copy, Title } from './rows';
import type { LendingView } from './view';

/** Decisions about the copies of titles. */

/** Adds copies of a title. Waiting readers get them first. */
export function withNewCopies(
  input: Pick<
    LendingInput<'lending.add-copies' | 'lending.register-book-info'>,
    'state' | 'context' | 'rules'
  >,
  title: Title,
  count: number,
  {
    barcodes = [],
    kind = DEFAULT_KIND,
  }: Pick<LendingCommands['lending.add-copies'], 'barcodes' | 'kind'> = {},
): Served {
  const fresh = Array.from({ length: count }, (_, index): Copy => ({
    id: input.context.takeId('book'),
    bookInfoId: title.id,
    status: 'AVAILABLE',
    kind,
    barcode: barcodes[index] ?? null,
    deletedAt: null,
  }));
  const served = release(
    input,
    title,
    fresh.map((copy) => ({ copy, from: null })),
  );
  const { totalStock, availableStock } = served.title;
  const added = event('lending.copies.added', title.id, {
    bookInfoId: title.id,
    bookIds: fresh.map(({ id }) => id),
    totalStock,
    availableStock,
  });
  return { ...served, events: count > 0 ? [added, ...served.events] : [] };
}

/** Refuses a barcode that is on another copy, of any title. */
const barcodeTaken = ({ id, bookInfoId, barcode }: Copy): LendingDecision =>
  refuse('BARCODE_TAKEN', `Barcode "${barcode}" is on copy ${id} of title ${bookInfoId}.`, {
    bookId: id,
    bookInfoId,
  });

export function addCopies(input: LendingInput<'lending.add-copies'>): LendingDecision {
  const { bookInfoId, count, barcodes = [] } = input.command.payload;
  const before = input.state.title(bookInfoId);
  if (!before || before.deletedAt) return noTitle(bookInfoId);
  const [taken] = barcodes.flatMap((barcode) => input.state.copyByBarcode(barcode) ?? []);
  if (taken) return barcodeTaken(taken);
  const { title, copies, holds, events } = withNewCopies(
    input,
    before,
    count,
    input.command.payload,
  );
  const { totalStock, availableStock } = title;
  return accept(
    { bookInfoId, addedCount: count, totalStock, availableStock, items: copies.map(copyView) },
    { titles: [title], copies, holds },
    events,
    true,
  );
}

/** Finds the title and the copy that a command names. */
function findCopy(
  state: LendingView,
  { bookInfoId, bookId }: { bookInfoId: number; bookId: number },
): { title: Title; copy: Copy } | LendingDecision {
  const title = state.title(bookInfoId);
  if (!title || title.deletedAt) return noTitle(bookInfoId);
  const copy = state.copy(bookId);
  return copy && copy.bookInfoId === bookInfoId && !copy.deletedAt
    ? { title, copy }
    : noCopy(bookId);
}

function copyChanged(title: Title, copy: Copy): DomainEvent {
  const { totalStock, availableStock } = title;
  return event('lending.copies.changed', title.id, {
    ...copyView(copy),
    deleted: copy.deletedAt !== null,
    totalStock,
    availableStock,
  });
}

/** Returns the refusal of a status or barcode for a copy, or null. */
function copyRefusal(
  { state, command: { payload } }: LendingInput<'lending.set-copy-status'>,
  { id, status: before }: Copy,
  borrow: Borrow | undefined,
): LendingDecision | undefined {
  const { status = before, barcode = null } = payload;
  if (borrow && status !== before && status !== 'LOST')
    return refuse('COPY_ON_LOAN', `Copy ${id} is on loan. Return it, or set it to LOST.`, {
      borrowId: borrow.id,
    });
  const hold = before === 'ON_HOLD' ? state.holds.readyOfCopy(id) : undefined;
  if (hold && status === 'AVAILABLE')
    return refuse(
      'COPY_ON_HOLD',
      `Copy ${id} is set aside for a reader. Cancel the hold to make it available.`,
      { holdId: hold.id },
    );
  const holder = barcode === null ? undefined : state.copyByBarcode(barcode);
  return holder && holder.id !== id ? barcodeTaken(holder) : undefined;
}

export function setCopyStatus(input: LendingInput<'lending.set-copy-status'>): LendingDecision {
  const { state, command, context } = input;
  const found = findCopy(state, command.payload);
  if ('decision' in found) return found;
  const { title, copy: before } = found;
  const { status = before.status, kind = before.kind, barcode = before.barcode } = command.payload;
  const borrow = before.status === 'ON_LOAN' ? state.openBorrowOfCopy(before.id) : undefined;
  const refusal = copyRefusal(input, before, borrow);
  if (refusal) return refusal;
  const labelled: Copy = { ...before, kind, barcode };
  if (before.status === status) {
    if (before.barcode === barcode && before.kind === kind) return accept(copyView(before), {}, []);
    return accept(copyView(labelled), { copies: [labelled] }, [copyChanged(title, labelled)]);
  }
  const lost: Borrow[] = borrow ? [{ ...borrow, status: 'LOST' }] : [];
  const served =
    status === 'AVAILABLE'
      ? release(input, title, [{ copy: labelled, from: before.status }])
      : leave(input, title, { ...labelled, status }, before);
  const copy = served.copies[0] as Copy;
  const events = [
    copyChanged(served.title, copy),
    ...lost.map((one) =>
      event('lending.borrow.lost', title.id, shownBorrow(state, one, context.now)),
    ),
    ...served.events,
  ];
  return accept(copyView(copy), { ...served, titles: [served.title], borrows: lost }, events);
}

/**
 * Takes a copy out of circulation, first in the list. The reader for whom it was set aside goes
 * back to the head of the line.
 */
function leave(
  input: Pick<
    LendingInput<'lending.delete-copy' | 'lending.set-copy-status'>,
    'state' | 'context' | 'rules'
  >,
  before: Title,
  copy: Copy,
  { status }: Copy,
): Served {
  const title = restocked(before, status, copy.deletedAt ? null : copy.status);
  const hold = status === 'ON_HOLD' ? input.state.holds.readyOfCopy(copy.id) : undefined;
  if (!hold) return { title, copies: [copy], holds: [], events: [] };
  const requeued = requeue(input, title, hold);
  return { ...requeued, copies: [copy, ...requeued.copies] };
}

export function deleteCopy(input: LendingInput<'lending.delete-copy'>): LendingDecision {
  const { state, command, context } = input;
  const found = findCopy(state, command.payload);
  if ('decision' in found) return found;
  const borrow =
    found.copy.status === 'ON_LOAN' ? state.openBorrowOfCopy(found.copy.id) : undefined;
  if (borrow)
    return refuse(
      'COPY_ON_LOAN',
      `Copy ${found.copy.id} is on loan. It can be deleted when it is returned.`,
      { borrowId: borrow.id },
    );
  const copy: Copy = { ...found.copy, deletedAt: context.now };
  const served = leave(input, found.title, copy, found.copy);
  return accept(null, { ...served, titles: [served.title] }, [
    copyChanged(served.title, copy),
    ...served.events,
  ]);
}
