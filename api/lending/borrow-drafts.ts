import Joi from 'joi';
import type { Actor } from '../../shared/command';
import { id } from '../../shared/fields';
import { bookInfoKey } from '../../shared/lending/commands';
import { bookFields } from '../../shared/lending/payloads';
import type { Draft } from '../http/endpoint';
import { Problem } from '../http/responses/problem';
import { findBorrowRoute } from './borrow-queries';
import { copyWithBarcode } from './copy-routes';
import { noSuchBorrow } from './no-such';
import { titleOfCopy } from './queries';
import { mayActFor, mustAgree } from './whose';

/** What borrows and returns may name, and the commands that this makes. */

interface CopyBody {
  readonly bookInfoId?: number;
  readonly bookId?: number;
  readonly barcode?: string;
}

/** What a borrow may name: one of these, or several that agree. */
const copyFields = { bookInfoId: id, bookId: id, barcode: bookFields.barcode };

/**
 * Returns the copy that a request names by its barcode, or else by its id; null when it names a
 * title alone.
 * @throws Problem BOOK_NOT_FOUND for a barcode that no copy has; VALIDATION_FAILED for another
 * copy.
 */
async function namedCopy({
  bookInfoId,
  bookId,
  barcode,
}: CopyBody): Promise<{ bookId: number; bookInfoId: number | null } | null> {
  if (barcode === undefined)
    return bookId === undefined ? null : { bookId, bookInfoId: await titleOfCopy(bookId) };
  const found = await copyWithBarcode(barcode);
  mustAgree('bookId', bookId, found.bookId);
  mustAgree('bookInfoId', bookInfoId, found.bookInfoId);
  return found;
}

export interface BorrowBody extends CopyBody {
  readonly userId?: number;
}

export const borrowBody = Joi.object({ ...copyFields, userId: id }).or(
  'bookInfoId',
  'bookId',
  'barcode',
);

export async function toBorrow(body: BorrowBody, actor: Actor): Promise<BorrowDraft> {
  const { userId } = body;
  if (userId !== undefined && !mayActFor(actor, userId))
    throw new Problem('FORBIDDEN', 'Only an administrator may lend to somebody else.');
  const named = await namedCopy(body);
  if (!named) return borrowDraft(body.bookInfoId as number, null, userId);
  const { bookId, bookInfoId } = named;
  if (bookInfoId === null) throw new Problem('BOOK_NOT_FOUND', `There is no copy ${bookId}.`);
  mustAgree('bookInfoId', body.bookInfoId, bookInfoId);
  return borrowDraft(bookInfoId, bookId, userId);
}

type BorrowDraft = Extract<Draft, { readonly type: 'lending.borrow-book' }>;

function borrowDraft(
  bookInfoId: number,
  bookId: number | null,
  userId: number | undefined,
): BorrowDraft {
  return {
    type: 'lending.borrow-book',
    key: bookInfoKey(bookInfoId),
    payload: { bookInfoId, bookId, ...(userId !== undefined && { userId }) },
  };
}

export interface ReturnBody extends CopyBody {
  readonly borrowId?: number;
}

/** Returns the borrow that a return names, with the title whose partition decides it. */
async function meantBy(
  body: ReturnBody,
  actor: Actor,
): Promise<{ bookInfoId: number; borrowId: number | null; bookId: number | null }> {
  const named = await namedCopy(body);
  const { borrowId = null } = body;
  const bookId = named?.bookId ?? null;
  if (borrowId !== null) {
    const route = await findBorrowRoute(borrowId);
    if (!route || !mayActFor(actor, route.userId)) throw noSuchBorrow();
    mustAgree('bookId', named?.bookId, route.bookId);
    mustAgree('bookInfoId', body.bookInfoId, route.bookInfoId);
    return { bookInfoId: route.bookInfoId, borrowId, bookId };
  }
  if (!named) return { bookInfoId: body.bookInfoId as number, borrowId, bookId };
  if (named.bookInfoId === null) throw noSuchBorrow();
  mustAgree('bookInfoId', body.bookInfoId, named.bookInfoId);
  return { bookInfoId: named.bookInfoId, borrowId, bookId };
}

export const returnBody = Joi.object({ borrowId: id, ...copyFields }).or(
  'borrowId',
  'bookId',
  'bookInfoId',
  'barcode',
);

export async function toReturn(body: ReturnBody, actor: Actor): Promise<Draft> {
  const payload = await meantBy(body, actor);
  return { type: 'lending.return-book', key: bookInfoKey(payload.bookInfoId), payload };
}
