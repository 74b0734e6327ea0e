import { Op } from 'sequelize';
import { CommandOutcome, Outbox } from '../../../../shared/database/tables';
import { endingsOf, isBarable } from '../../../../shared/search/words';
import { Book, BookHold, BookInfo, BookUser, BorrowDay } from '../../../../shared/lending/tables';
import { SearchEnding, SearchWord } from '../../../../shared/search/tables';
import type { EventBody } from '../../../support/clients/event-tour';
import { eventsIn } from '../../../support/servers/outbox';
import type { Rig } from './rig';
import type { Envelope } from '../../../../shared/command';
import { addCopies, register } from '../../../support/models/lending/commands';

/** What the database holds, in the form in which tests compare it. */

/** SQLite gives instants as text. */
export const millis = (instant: Date | string | null): number | null =>
  instant === null ? null : new Date(instant).getTime();
/** The rows of a run: those from its first id on. */
export const since = (id: number) => ({
  where: { id: { [Op.gte]: id } },
  order: ['id'],
  raw: true as const,
});

/**
 * The titles from an id on; numbers as numbers and instants in milliseconds. `Array.from`: the rows
 * of SQLite come in an array of another realm.
 */
export async function titleRows(from: number) {
  const rows = await BookInfo.findAll(since(from));
  return Array.from(rows, (row) => ({
    ...{
      id: row.id,
      title: row.title,
      authorId: row.authorId,
      isbn: row.isbn,
      bookImg: row.bookImg,
    },
    ...{
      totalStock: row.totalStock,
      availableStock: row.availableStock,
      borrowCount: row.borrowCount,
      version: row.version,
    },
    ...{
      createdAt: millis(row.createdAt),
      modifiedAt: millis(row.modifiedAt),
      deletedAt: millis(row.deletedAt),
    },
  }));
}

export async function copyRows(from: number) {
  const rows = await Book.findAll(since(from));
  return Array.from(rows, (row) => ({
    id: row.id,
    bookInfoId: row.bookInfoId,
    status: row.status,
    kind: row.kind,
    barcode: row.barcode,
    available: Number(row.available) === 1,
    deletedAt: millis(row.deletedAt),
  }));
}

export async function borrowRows(from: number) {
  const rows = await BookUser.findAll(since(from));
  return Array.from(rows, (row) => ({
    ...{
      id: row.id,
      userId: row.userId,
      bookInfoId: row.bookInfoId,
      bookId: row.bookId,
      status: row.status,
      renewalCount: row.renewalCount,
      reminder: row.reminder,
    },
    ...{
      borrowedAt: millis(row.borrowedAt),
      dueAt: millis(row.dueAt),
      returnedAt: millis(row.returnedAt),
    },
  }));
}

export async function holdRows(from: number) {
  const rows = await BookHold.findAll(since(from));
  return Array.from(rows, (row) => ({
    ...{
      id: row.id,
      userId: row.userId,
      bookInfoId: row.bookInfoId,
      bookId: row.bookId,
      status: row.status,
    },
    ...{
      placedAt: millis(row.placedAt),
      readyAt: millis(row.readyAt),
      expiresAt: millis(row.expiresAt),
      closedAt: millis(row.closedAt),
    },
  }));
}

/**
 * The words by which titles are found, from an id on, as `id kind word`; with the number of their
 * endings that are not stored.
 */
export async function titleWords(from: number): Promise<{ words: string[]; missing: number }> {
  const rows = await SearchWord.findAll({
    where: { id: { [Op.gte]: from }, kind: ['title', 'isbn'] },
    raw: true,
  });
  const endings = rows.flatMap(({ kind, word }) =>
    (isBarable(kind, word) ? [kind, 'bare' as const] : [kind]).flatMap((of) =>
      endingsOf(of, word).map((ending) => `${of} ${ending} ${word}`),
    ),
  );
  const stored = await SearchEnding.findAll({
    where: { word: rows.map(({ word }) => word) },
    raw: true,
  });
  const known = new Set(
    Array.from(stored, ({ kind, ending, word }) => `${kind} ${ending} ${word}`),
  );
  return {
    words: Array.from(rows, ({ id, kind, word }) => `${id} ${kind} ${word}`).sort(),
    missing: endings.filter((ending) => !known.has(ending)).length,
  };
}

/** How often titles were borrowed on each day, from an id on, as `id day borrows`. */
export async function borrowDays(from: number): Promise<string[]> {
  const rows = await BorrowDay.findAll({ where: { bookInfoId: { [Op.gte]: from } }, raw: true });
  return Array.from(
    rows,
    ({ bookInfoId, day, borrows }) => `${bookInfoId} ${day} ${borrows}`,
  ).sort();
}

/** What was told of these commands, in order. */
export async function storedEvents(commandIds: readonly string[]): Promise<EventBody[]> {
  const wanted = new Set(commandIds);
  return eventsIn(await Outbox.findAll({ order: ['seq'], raw: true })).filter(({ commandId }) =>
    wanted.has(commandId),
  );
}

/** The event types of each command, in order. */
export async function eventTypes(commandIds: readonly string[]): Promise<Map<string, string[]>> {
  const events = new Map<string, string[]>(commandIds.map((id) => [id, []]));
  for (const { commandId, eventId, type } of await storedEvents(commandIds)) {
    const place = events.get(commandId)?.push(type);
    expect(eventId).toBe(`${commandId}.${place}`);
  }
  return events;
}

export const storedOutcomes = (envelopes: readonly Envelope[]) =>
  CommandOutcome.findAll({
    where: { commandId: envelopes.map(({ commandId }) => commandId) },
    raw: true,
  });

/** Registers a title with copies, and returns its id and theirs. */
export async function newTitle(
  rig: Rig,
  copies: number,
  isbn: string | null = null,
): Promise<{ bookInfoId: number; bookIds: number[] }> {
  const made = register({ title: 'Stored', author: 'Someone', isbn });
  await rig.process([made]);
  const { bookInfoId } = rig.result(made) as { bookInfoId: number };
  if (copies === 0) return { bookInfoId, bookIds: [] };
  const added = addCopies(bookInfoId, copies);
  await rig.process([added]);
  return {
    bookInfoId,
    bookIds: (rig.result(added) as unknown as { items: { bookId: number }[] }).items.map(
      ({ bookId }) => bookId,
    ),
  };
}

/** Registers a title with copies, and forgets what the batches of that did. */
export async function preparedTitle(rig: Rig, copies: number) {
  const made = await newTitle(rig, copies);
  rig.calls.splice(0);
  return made;
}

let users = 1000;
/** A user id that no other test of the file uses. */
export const newUser = (): number => (users += 1);
let isbns = 0;
/** An ISBN that no other test of the file uses. */
export const newIsbn = (): string => `99${String((isbns += 1)).padStart(11, '0')}`;
