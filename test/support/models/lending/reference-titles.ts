import { isDeepStrictEqual } from 'node:util';
import { refused, type Verdict } from '../verdict';
import { done, replaced, type CommandOfType, type ReferenceLibrary } from './reference-library';
import { copyView, relabelled, type ReferenceCopy } from './reference-rows';

/** The rules of titles and copies a second time. */

export function register(
  library: ReferenceLibrary,
  { key, payload }: CommandOfType<'lending.register-book-info'>,
  now: Date,
): Verdict {
  const { copies, onDuplicate, ...attributes } = payload;
  const owner =
    attributes.isbn === null
      ? undefined
      : library.titles.find(
          ({ isbn, deletedAt }) => isbn === attributes.isbn && deletedAt === null,
        );
  if (owner && onDuplicate === 'reject')
    return refused('ISBN_ALREADY_REGISTERED', { bookInfoId: owner.id });
  if (owner && key !== `book-info:${owner.id}`)
    return { kind: 'forward', key: `book-info:${owner.id}` };
  if (owner) {
    library.newCopies(owner.id, copies);
    const settled = library.settle(owner.id, now);
    return done(library.titleView(owner), copies > 0 ? ['copies.added', ...settled] : []);
  }
  if (attributes.isbn !== null && key !== `isbn:${attributes.isbn}`)
    return { kind: 'forward', key: `isbn:${attributes.isbn}` };
  const authorId = library.authorId(attributes.author);
  const title = {
    id: library.next['book-info']++,
    ...attributes,
    authorId,
    borrowCount: 0,
    version: 1,
    createdAt: now,
    modifiedAt: now,
    deletedAt: null,
  };
  library.titles.push(title);
  library.newCopies(title.id, copies);
  return done(
    library.titleView(title),
    copies > 0 ? ['book-info.created', 'copies.added'] : ['book-info.created'],
    true,
  );
}

export function update(
  library: ReferenceLibrary,
  { payload: { bookInfoId, changes, ifVersion } }: CommandOfType<'lending.update-book-info'>,
  now: Date,
): Verdict {
  const title = library.live(bookInfoId);
  if (!title) return refused('BOOK_INFO_NOT_FOUND');
  if (ifVersion !== null && ifVersion !== title.version) return refused('VERSION_MISMATCH');
  const holder = library.titles.find(
    ({ id, isbn, deletedAt }) =>
      id !== bookInfoId && deletedAt === null && isbn !== null && isbn === changes.isbn,
  );
  if (holder) return refused('ISBN_ALREADY_REGISTERED', { bookInfoId: holder.id });
  const wished = { ...title, ...changes };
  const same = (['title', 'author', 'isbn', 'publicationDate', 'bookImg'] as const).every(
    (name) => wished[name] === title[name],
  );
  if (same) return done(library.titleView(title), []);
  const changed = {
    ...wished,
    authorId: library.authorId(wished.author),
    version: title.version + 1,
    modifiedAt: now,
  };
  library.titles = replaced(library.titles, changed);
  return done(library.titleView(changed), ['book-info.updated']);
}

export function deleteTitle(
  library: ReferenceLibrary,
  { payload: { bookInfoId } }: CommandOfType<'lending.delete-book-info'>,
  now: Date,
): Verdict {
  const title = library.live(bookInfoId);
  if (!title) return refused('BOOK_INFO_NOT_FOUND');
  const open = library.borrows
    .filter((borrow) => borrow.bookInfoId === bookInfoId && borrow.status === 'BORROWED')
    .map(({ id }) => id);
  if (open.length > 0)
    return refused('BOOK_INFO_ON_LOAN', { bookInfoId, borrowId: Math.min(...open) });
  const held = library.holds.filter(
    (hold) => hold.bookInfoId === bookInfoId && hold.closedAt === null,
  );
  for (const hold of held) library.closeHold(hold, 'CANCELLED', now);
  library.titles = replaced(library.titles, { ...title, deletedAt: now });
  library.copies = library.copies.map((copy) =>
    copy.bookInfoId === bookInfoId && copy.deletedAt === null ? { ...copy, barcode: null } : copy,
  );
  return done(null, [...held.map(() => 'hold.cancelled'), 'book-info.deleted']);
}

export function addCopies(
  library: ReferenceLibrary,
  { payload: { bookInfoId, count, barcodes, kind } }: CommandOfType<'lending.add-copies'>,
  now: Date,
): Verdict {
  if (!library.live(bookInfoId)) return refused('BOOK_INFO_NOT_FOUND');
  const [taken] = (barcodes ?? []).flatMap((barcode) => library.taken(barcode) ?? []);
  if (taken) return taken;
  const made = library.newCopies(bookInfoId, count, barcodes, kind).map(({ id }) => id);
  const settled = library.settle(bookInfoId, now);
  const items = library.copies.filter(({ id }) => made.includes(id)).map((copy) => copyView(copy));
  return done(
    { bookInfoId, addedCount: count, ...library.stock(bookInfoId), items },
    ['copies.added', ...settled],
    true,
  );
}

export function setStatus(
  library: ReferenceLibrary,
  { payload }: CommandOfType<'lending.set-copy-status'>,
  now: Date,
): Verdict {
  const { bookInfoId, bookId } = payload;
  if (!library.live(bookInfoId)) return refused('BOOK_INFO_NOT_FOUND');
  const copy = library.copyOf(bookInfoId, bookId);
  if (!copy) return refused('BOOK_NOT_FOUND');
  const { status = copy.status } = payload;
  const borrow = library.openOf(bookId);
  if (borrow && status !== 'LOST' && status !== 'ON_LOAN')
    return refused('COPY_ON_LOAN', { borrowId: borrow.id });
  const hold = library.readyOf(bookId);
  if (hold && status === 'AVAILABLE') return refused('COPY_ON_HOLD', { holdId: hold.id });
  const taken = library.taken(payload.barcode, bookId);
  if (taken) return taken;
  const labelled = relabelled(copy, payload);
  library.copies = replaced(library.copies, labelled);
  if (copy.status === status)
    return done(copyView(labelled), isDeepStrictEqual(labelled, copy) ? [] : ['copies.changed']);
  if (borrow) library.borrows = replaced(library.borrows, { ...borrow, status: 'LOST' });
  library.give(bookId, status);
  const requeued = library.requeue(hold);
  const settled = library.settle(bookInfoId, now);
  const changed = library.copies.find(({ id }) => id === bookId) as ReferenceCopy;
  return done(copyView(changed), [
    'copies.changed',
    ...(borrow ? ['borrow.lost'] : []),
    ...requeued,
    ...settled,
  ]);
}

export function deleteCopy(
  library: ReferenceLibrary,
  { payload: { bookInfoId, bookId } }: CommandOfType<'lending.delete-copy'>,
  now: Date,
): Verdict {
  if (!library.live(bookInfoId)) return refused('BOOK_INFO_NOT_FOUND');
  const copy = library.copyOf(bookInfoId, bookId);
  if (!copy) return refused('BOOK_NOT_FOUND');
  const borrow = library.openOf(bookId);
  if (borrow) return refused('COPY_ON_LOAN', { borrowId: borrow.id });
  library.copies = replaced(library.copies, { ...copy, deletedAt: now });
  return done(null, [
    'copies.changed',
    ...library.requeue(library.readyOf(bookId)),
    ...library.settle(bookInfoId, now),
  ]);
}
