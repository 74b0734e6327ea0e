import { bookInfoKey, isbnKey } from '../../shared/lending/commands';
import { bookInfoView } from '../../shared/lending/views';
import type { DecisionContext } from '../batch/service/decision';
import { withNewCopies } from './decide-copies';
import { accept, event, noTitle, refuse, type LendingDecision, type LendingInput } from './decided';
import { cancelAll, type Served } from './line';
import type { Copy, Title } from './rows';
import type { LendingView } from './view';

/** Decisions about titles. */

function forward(key: string): LendingDecision {
  return { decision: { kind: 'forward', key }, changes: {} };
}

/** Returns the id of an author's name, and the author when the name is new. */
function authorOf(
  name: string,
  { state, context }: { state: LendingView; context: DecisionContext<'author'> },
) {
  const known = state.authorId(name);
  if (known !== undefined) return { authorId: known, authors: [] };
  const id = context.takeId('author');
  return { authorId: id, authors: [{ id, name }] };
}

export function registerBookInfo(
  input: LendingInput<'lending.register-book-info'>,
): LendingDecision {
  const { state, command, context } = input;
  const { copies: count, onDuplicate, ...attributes } = command.payload;
  const owner = attributes.isbn === null ? undefined : state.titleByIsbn(attributes.isbn);
  if (owner && onDuplicate === 'reject') {
    return refuse(
      'ISBN_ALREADY_REGISTERED',
      `ISBN ${attributes.isbn} is registered as title ${owner.id}.`,
      { bookInfoId: owner.id },
    );
  }
  if (owner) {
    // Its stock changes only in its own queue, among its borrows.
    if (command.key !== bookInfoKey(owner.id)) return forward(bookInfoKey(owner.id));
    const { title, copies, holds, events } = withNewCopies(input, owner, count);
    return accept(bookInfoView(title), { titles: [title], copies, holds }, events);
  }
  // The title that had this ISBN was deleted, or got another one, while the command was under way.
  if (attributes.isbn !== null && command.key !== isbnKey(attributes.isbn))
    return forward(isbnKey(attributes.isbn));
  const { authorId, authors } = authorOf(attributes.author, input);
  const stock = { totalStock: 0, availableStock: 0, borrowCount: 0 };
  const times = { createdAt: context.now, modifiedAt: context.now, deletedAt: null };
  const { title, copies, events } = withNewCopies(
    input,
    { id: context.takeId('book-info'), ...attributes, authorId, ...stock, version: 1, ...times },
    count,
  );
  const view = bookInfoView(title);
  return accept(
    view,
    { authors, titles: [title], copies },
    [event('lending.book-info.created', title.id, view), ...events],
    true,
  );
}

const mismatch = ({ id, version }: Title): LendingDecision =>
  refuse(
    'VERSION_MISMATCH',
    `Title ${id} changed in the meantime and has version ${version}. Read it again before you change it.`,
  );

export function updateBookInfo(input: LendingInput<'lending.update-book-info'>): LendingDecision {
  const { state, command, context } = input;
  const { bookInfoId, changes, ifVersion } = command.payload;
  const before = state.title(bookInfoId);
  if (!before || before.deletedAt) return noTitle(bookInfoId);
  if (ifVersion !== null && ifVersion !== before.version) return mismatch(before);
  const holder = changes.isbn ? state.titleByIsbn(changes.isbn) : undefined;
  if (holder && holder.id !== bookInfoId) {
    return refuse(
      'ISBN_ALREADY_REGISTERED',
      `ISBN ${changes.isbn} is registered as title ${holder.id}.`,
      { bookInfoId: holder.id },
    );
  }
  const changed = (Object.keys(changes) as (keyof typeof changes)[]).some(
    (name) => changes[name] !== before[name],
  );
  if (!changed) return accept(bookInfoView(before), {}, []);
  const { authorId, authors } =
    changes.author === undefined
      ? { authorId: before.authorId, authors: [] }
      : authorOf(changes.author, input);
  const title: Title = {
    ...before,
    ...changes,
    authorId,
    version: before.version + 1,
    modifiedAt: context.now,
  };
  const view = bookInfoView(title);
  return accept(view, { authors, titles: [title] }, [
    event('lending.book-info.updated', title.id, view),
  ]);
}

export function deleteBookInfo({
  state,
  command,
  context,
}: LendingInput<'lending.delete-book-info'>): LendingDecision {
  const { bookInfoId, ifVersion } = command.payload;
  const title = state.title(bookInfoId);
  if (!title || title.deletedAt) return noTitle(bookInfoId);
  if (ifVersion !== undefined && ifVersion !== title.version) return mismatch(title);
  const onLoan = state.borrowsOf(bookInfoId);
  if (onLoan.size > 0)
    return refuse(
      'BOOK_INFO_ON_LOAN',
      `Copies on loan: ${onLoan.size}. The title can be deleted when all are returned.`,
      { bookInfoId, borrowId: Math.min(...onLoan) },
    );
  const cancelled = cancelAll({ state, context }, title);
  const deleted = event('lending.book-info.deleted', bookInfoId, { bookInfoId });
  const titles = [{ ...cancelled.title, deletedAt: context.now }];
  const copies = withoutBarcodes(state, cancelled);
  return accept(null, { ...cancelled, titles, copies }, [...cancelled.events, deleted]);
}

/** Returns the copies of a deleted title without their barcodes, which others may use. */
function withoutBarcodes(state: LendingView, { title, copies }: Served): Copy[] {
  const changed = new Map(copies.map((copy) => [copy.id, copy]));
  for (const copy of state.labelledCopies(title.id))
    changed.set(copy.id, { ...(changed.get(copy.id) ?? copy), barcode: null });
  return [...changed.values()];
}
