import type { Refusal } from '../../shared/command';
import { bookInfoKey, isbnKey, RENEWALS_MAX, type CopyStatus, type LendingCommand, type LendingCommands, type LendingRefusal } from '../../shared/lending/commands';
import { bookInfoView, borrowView, copyView } from '../../shared/lending/views';
import { done, type Decision, type DecisionContext, type DomainEvent } from '../batch/decision';
import type { Borrow, Copy, LendingChanges, LendingView, Title } from './state';

/** The rules of library lending. Pure: state, clock, ids and limits come in; a decision and the changed rows go out. */

export interface LendingRules {
  /** Days until a borrow is due. */
  readonly loanDays: number;
  /** Most borrows that a user may have open; 0 for no limit. */
  readonly maxOpenBorrows: number;
}

export interface Decided {
  readonly decision: Decision;
  readonly changes: LendingChanges;
}

interface Given<Type extends keyof LendingCommands> {
  readonly state: LendingView;
  readonly command: Extract<LendingCommand, { type: Type }>;
  readonly context: DecisionContext;
  readonly rules: LendingRules;
}

const DAY_MS = 24 * 3600 * 1000;

function refuse(code: LendingRefusal, detail: string, ids?: Refusal['ids']): Decided {
  return { decision: { kind: 'refused', refusal: { code, detail, ...(ids && { ids }) } }, changes: {} };
}

function accept(result: object | null, changes: LendingChanges, events: readonly DomainEvent[], created = false): Decided {
  return { decision: done(result, events, created), changes };
}

function forward(key: string): Decided {
  return { decision: { kind: 'forward', key }, changes: {} };
}

const event = (type: string, bookInfoId: number, data: object): DomainEvent => ({ type: `lending.${type}`, aggregateId: bookInfoKey(bookInfoId), data });
const noTitle = (id: number): Decided => refuse('BOOK_INFO_NOT_FOUND', `There is no book info ${id}.`);
const noCopy = (id: number): Decided => refuse('BOOK_NOT_FOUND', `There is no copy ${id} of this book info.`);
const noBorrow = (): Decided => refuse('BORROW_NOT_FOUND', 'There is no such borrow of yours.');

/** The stock after one copy went from one status to another; null stands for a copy that is not there. */
function restocked(title: Title, from: CopyStatus | null, to: CopyStatus | null): Title {
  const counts = (status: CopyStatus | null) => Number(status !== null && status !== 'WITHDRAWN');
  return {
    ...title,
    totalStock: title.totalStock + counts(to) - counts(from),
    availableStock: title.availableStock + Number(to === 'AVAILABLE') - Number(from === 'AVAILABLE'),
  };
}

/** New copies of a title, and the title with them. */
function withNewCopies(title: Title, count: number, context: DecisionContext): { title: Title; copies: Copy[]; events: DomainEvent[] } {
  const copies = Array.from({ length: count }, (): Copy => ({ id: context.takeId('book'), bookInfoId: title.id, status: 'AVAILABLE', deletedAt: null }));
  const stocked = { ...title, totalStock: title.totalStock + count, availableStock: title.availableStock + count };
  const { totalStock, availableStock } = stocked;
  const added = event('copies.added', title.id, { bookInfoId: title.id, bookIds: copies.map(({ id }) => id), totalStock, availableStock });
  return { title: stocked, copies, events: count > 0 ? [added] : [] };
}

/** A borrow as clients see it, under the name that its title has now: a command before it in the batch may have changed that. */
function shownBorrow(state: LendingView, borrow: Borrow, now: Date) {
  return borrowView({ ...borrow, title: state.title(borrow.bookInfoId)?.title ?? borrow.title }, now);
}

/** The id of an author's name, and the author when the name is new. */
function authorOf(name: string, { state, context }: { state: LendingView; context: DecisionContext }) {
  const known = state.authorId(name);
  if (known !== undefined) return { authorId: known, authors: [] };
  const id = context.takeId('author');
  return { authorId: id, authors: [{ id, name }] };
}

function registerBookInfo(given: Given<'lending.register-book-info'>): Decided {
  const { state, command, context } = given;
  const { copies: count, onDuplicate, ...attributes } = command.payload;
  const owner = attributes.isbn === null ? undefined : state.titleByIsbn(attributes.isbn);
  if (owner && onDuplicate === 'reject') {
    return refuse('ISBN_ALREADY_REGISTERED', `ISBN ${attributes.isbn} is registered as book info ${owner.id}.`, { bookInfoId: owner.id });
  }
  if (owner) {
    // Its stock changes only in its own queue, among its borrows.
    if (command.key !== bookInfoKey(owner.id)) return forward(bookInfoKey(owner.id));
    const { title, copies, events } = withNewCopies(owner, count, context);
    return accept(bookInfoView(title), { titles: [title], copies }, events);
  }
  // The title that had this ISBN was deleted or got another while the command was under way.
  if (attributes.isbn !== null && command.key !== isbnKey(attributes.isbn)) return forward(isbnKey(attributes.isbn));
  const { authorId, authors } = authorOf(attributes.author, given);
  const stock = { totalStock: 0, availableStock: 0, borrowCount: 0 };
  const times = { createdAt: context.now, modifiedAt: context.now, deletedAt: null };
  const { title, copies, events } = withNewCopies({ id: context.takeId('book-info'), ...attributes, authorId, ...stock, version: 1, ...times }, count, context);
  const view = bookInfoView(title);
  return accept(view, { authors, titles: [title], copies }, [event('book-info.created', title.id, view), ...events], true);
}

function updateBookInfo(given: Given<'lending.update-book-info'>): Decided {
  const { state, command, context } = given;
  const { bookInfoId, changes, ifVersion } = command.payload;
  const before = state.title(bookInfoId);
  if (!before || before.deletedAt) return noTitle(bookInfoId);
  if (ifVersion !== null && ifVersion !== before.version) {
    return refuse('VERSION_MISMATCH', `Book info ${bookInfoId} has version ${before.version} now.`);
  }
  const holder = changes.isbn ? state.titleByIsbn(changes.isbn) : undefined;
  if (holder && holder.id !== bookInfoId) {
    return refuse('ISBN_ALREADY_REGISTERED', `ISBN ${changes.isbn} is registered as book info ${holder.id}.`, { bookInfoId: holder.id });
  }
  const changed = (Object.keys(changes) as (keyof typeof changes)[]).some((name) => changes[name] !== before[name]);
  if (!changed) return accept(bookInfoView(before), {}, []);
  const { authorId, authors } = changes.author === undefined ? { authorId: before.authorId, authors: [] } : authorOf(changes.author, given);
  const title: Title = { ...before, ...changes, authorId, version: before.version + 1, modifiedAt: context.now };
  const view = bookInfoView(title);
  return accept(view, { authors, titles: [title] }, [event('book-info.updated', title.id, view)]);
}

function deleteBookInfo({ state, command, context }: Given<'lending.delete-book-info'>): Decided {
  const { bookInfoId } = command.payload;
  const title = state.title(bookInfoId);
  if (!title || title.deletedAt) return noTitle(bookInfoId);
  const onLoan = state.copiesOnLoan(bookInfoId);
  if (onLoan > 0) return refuse('BOOK_INFO_ON_LOAN', `${onLoan} of its copies are on loan.`, { bookInfoId });
  return accept(null, { titles: [{ ...title, deletedAt: context.now }] }, [event('book-info.deleted', bookInfoId, { bookInfoId })]);
}

function addCopies({ state, command, context }: Given<'lending.add-copies'>): Decided {
  const { bookInfoId, count } = command.payload;
  const before = state.title(bookInfoId);
  if (!before || before.deletedAt) return noTitle(bookInfoId);
  const { title, copies, events } = withNewCopies(before, count, context);
  const { totalStock, availableStock } = title;
  return accept({ bookInfoId, addedCount: count, totalStock, availableStock, items: copies.map(copyView) }, { titles: [title], copies }, events, true);
}

/** The title and the copy that a command names, when both are there. */
function findCopy(state: LendingView, { bookInfoId, bookId }: { bookInfoId: number; bookId: number }): { title: Title; copy: Copy } | Decided {
  const title = state.title(bookInfoId);
  if (!title || title.deletedAt) return noTitle(bookInfoId);
  const copy = state.copy(bookId);
  return copy && copy.bookInfoId === bookInfoId && !copy.deletedAt ? { title, copy } : noCopy(bookId);
}

function copyChanged(title: Title, copy: Copy): DomainEvent {
  const { totalStock, availableStock } = title;
  return event('copies.changed', title.id, { ...copyView(copy), deleted: copy.deletedAt !== null, totalStock, availableStock });
}

function setCopyStatus({ state, command, context }: Given<'lending.set-copy-status'>): Decided {
  const found = findCopy(state, command.payload);
  if ('decision' in found) return found;
  const { status } = command.payload;
  const { copy: before } = found;
  if (before.status === status) return accept(copyView(before), {}, []);
  const borrow = before.status === 'ON_LOAN' ? state.openBorrowOfCopy(before.id) : undefined;
  if (borrow && status !== 'LOST') {
    return refuse('COPY_ON_LOAN', `Copy ${before.id} is on loan; it can only be returned or set to LOST.`, { borrowId: borrow.id });
  }
  const copy: Copy = { ...before, status };
  const title = restocked(found.title, before.status, status);
  const lost: Borrow[] = borrow ? [{ ...borrow, status: 'LOST' }] : [];
  const events = [copyChanged(title, copy), ...lost.map((one) => event('borrow.lost', title.id, shownBorrow(state, one, context.now)))];
  return accept(copyView(copy), { titles: [title], copies: [copy], borrows: lost }, events);
}

function deleteCopy({ state, command, context }: Given<'lending.delete-copy'>): Decided {
  const found = findCopy(state, command.payload);
  if ('decision' in found) return found;
  const borrow = found.copy.status === 'ON_LOAN' ? state.openBorrowOfCopy(found.copy.id) : undefined;
  if (borrow) return refuse('COPY_ON_LOAN', `Copy ${found.copy.id} is on loan.`, { borrowId: borrow.id });
  const copy: Copy = { ...found.copy, deletedAt: context.now };
  const title = restocked(found.title, found.copy.status, null);
  return accept(null, { titles: [title], copies: [copy] }, [copyChanged(title, copy)]);
}

/** The copy that a borrow gets, or why it gets none; `named` is the one that it asks for. */
function chooseCopy(state: LendingView, title: Title, named: Copy | undefined): Copy | Decided {
  if (named) return named.status === 'AVAILABLE' ? named : refuse('COPY_NOT_AVAILABLE', `Copy ${named.id} is ${named.status}.`, { bookInfoId: title.id });
  if (title.availableStock === 0) return refuse('OUT_OF_STOCK', `No copy of book info ${title.id} is available.`, { bookInfoId: title.id });
  const copy = state.availableCopy(title.id);
  if (!copy) throw new Error(`book info ${title.id} counts ${title.availableStock} available copies and has none`);
  return copy;
}

function borrowBook({ state, command, context, rules }: Given<'lending.borrow-book'>): Decided {
  const { bookInfoId, bookId } = command.payload;
  const userId = signedIn(command.actor.userId);
  const before = state.title(bookInfoId);
  if (!before || before.deletedAt) return noTitle(bookInfoId);
  // What is not there comes before what stands in the way.
  const named = bookId === null ? undefined : state.copy(bookId);
  if (bookId !== null && (named?.bookInfoId !== bookInfoId || named.deletedAt)) return noCopy(bookId);
  const open = state.openBorrow(userId, bookInfoId);
  if (open) return refuse('ALREADY_BORROWED', `You already have book info ${bookInfoId} on loan.`, { borrowId: open.id });
  const chosen = chooseCopy(state, before, named);
  if ('decision' in chosen) return chosen;
  if (rules.maxOpenBorrows > 0 && state.openBorrows(userId) >= rules.maxOpenBorrows) {
    return refuse('LOAN_LIMIT_REACHED', `You have ${rules.maxOpenBorrows} books on loan, which is the limit.`);
  }
  const copy: Copy = { ...chosen, status: 'ON_LOAN' };
  const title: Title = { ...restocked(before, 'AVAILABLE', 'ON_LOAN'), borrowCount: before.borrowCount + 1 };
  const borrow: Borrow = {
    id: context.takeId('borrow'),
    userId,
    username: state.username(userId),
    bookInfoId,
    bookId: copy.id,
    title: title.title,
    status: 'BORROWED',
    borrowedAt: context.now,
    dueAt: new Date(context.now.getTime() + rules.loanDays * DAY_MS),
    returnedAt: null,
    renewalCount: 0,
  };
  const view = borrowView(borrow, context.now);
  return accept(view, { titles: [title], copies: [copy], borrows: [borrow] }, [event('borrow.created', bookInfoId, view)], true);
}

/** The API lets nobody in without a token; a command that says otherwise is broken and becomes a dead letter. */
function signedIn(userId: number | null): number {
  if (userId === null) throw new Error('the command has no user');
  return userId;
}

/** The borrow that a return means: by its own id, by the copy, or the caller's open one of the title. */
function meantBorrow({ state, command }: Given<'lending.return-book'>): Borrow | undefined {
  const { borrowId, bookId, bookInfoId } = command.payload;
  if (borrowId !== null) return state.borrow(borrowId);
  if (bookId !== null) return state.openBorrowOfCopy(bookId);
  return state.openBorrow(signedIn(command.actor.userId), bookInfoId);
}

function returnBook(given: Given<'lending.return-book'>): Decided {
  const { state, command, context } = given;
  const { bookInfoId } = command.payload;
  const borrow = meantBorrow(given);
  const mine = borrow && (command.actor.isAdmin || borrow.userId === command.actor.userId);
  if (!mine || borrow.bookInfoId !== bookInfoId) return noBorrow();
  if (borrow.status !== 'BORROWED') return refuse('ALREADY_RETURNED', `Borrow ${borrow.id} was closed before.`, { borrowId: borrow.id });
  const before = state.title(bookInfoId);
  const copy = state.copy(borrow.bookId);
  if (!before || !copy) throw new Error(`borrow ${borrow.id} has lost its title or copy`);
  const returned: Borrow = { ...borrow, status: 'RETURNED', returnedAt: context.now };
  const title = restocked(before, 'ON_LOAN', 'AVAILABLE');
  const view = shownBorrow(state, returned, context.now);
  return accept(view, { titles: [title], copies: [{ ...copy, status: 'AVAILABLE' }], borrows: [returned] }, [event('borrow.returned', bookInfoId, view)]);
}

function renewBorrow({ state, command, context, rules }: Given<'lending.renew-borrow'>): Decided {
  const borrow = state.borrow(command.payload.borrowId);
  const mine = borrow && (command.actor.isAdmin || borrow.userId === command.actor.userId);
  if (!mine || borrow.bookInfoId !== command.payload.bookInfoId) return noBorrow();
  const ids = { borrowId: borrow.id };
  if (borrow.status !== 'BORROWED') return refuse('ALREADY_RETURNED', `Borrow ${borrow.id} was closed before.`, ids);
  if (borrow.renewalCount >= RENEWALS_MAX) return refuse('RENEWAL_LIMIT_REACHED', `Borrow ${borrow.id} was renewed ${RENEWALS_MAX} times, which is the limit.`, ids);
  // An overdue borrow is renewed from today, any other from its due date: renewing early costs nobody a day.
  const from = Math.max(borrow.dueAt.getTime(), context.now.getTime());
  const renewed: Borrow = { ...borrow, dueAt: new Date(from + rules.loanDays * DAY_MS), renewalCount: borrow.renewalCount + 1 };
  const view = shownBorrow(state, renewed, context.now);
  return accept(view, { borrows: [renewed] }, [event('borrow.renewed', borrow.bookInfoId, view)]);
}

export function decideLending(state: LendingView, command: LendingCommand, context: DecisionContext, rules: LendingRules): Decided {
  switch (command.type) {
    case 'lending.register-book-info':
      return registerBookInfo({ state, command, context, rules });
    case 'lending.update-book-info':
      return updateBookInfo({ state, command, context, rules });
    case 'lending.delete-book-info':
      return deleteBookInfo({ state, command, context, rules });
    case 'lending.add-copies':
      return addCopies({ state, command, context, rules });
    case 'lending.set-copy-status':
      return setCopyStatus({ state, command, context, rules });
    case 'lending.delete-copy':
      return deleteCopy({ state, command, context, rules });
    case 'lending.borrow-book':
      return borrowBook({ state, command, context, rules });
    case 'lending.return-book':
      return returnBook({ state, command, context, rules });
    case 'lending.renew-borrow':
      return renewBorrow({ state, command, context, rules });
  }
}
