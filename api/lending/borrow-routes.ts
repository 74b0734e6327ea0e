import Joi from 'joi';
import type { Now } from '../../shared/database/clock';
import type { Actor } from '../../shared/command';
import { id } from '../../shared/fields';
import { bookInfoKey } from '../../shared/lending/commands';
import { bookFields } from '../../shared/lending/payloads';
import type { Draft, Endpoint, Input } from '../http/endpoint';
import { listAnswer, pageRules, type Page } from '../http/requests/paging';
import { Problem } from '../http/responses/problem';
import { queryBoolean, queryFlag, queryId } from '../http/requests/query-rules';
import { created, listed, shown } from '../openapi/doc';
import { mayActFor, mustAgree, ownOrAll } from './whose';
import { findBorrow, findBorrowRoute, findBorrows } from './borrow-queries';
import { titleOfCopy } from './queries';
import { copyWithBarcode } from './title-reads';
import { borrow as borrowSchema, borrowCheck } from './schemas';

/**
 * Borrows, returns, renewals and histories. A borrow of somebody else is answered as if there were
 * none.
 */

const noSuchBorrow = (): Problem => new Problem('BORROW_NOT_FOUND', 'You have no such borrow.');

interface CopyBody {
  readonly bookInfoId?: number;
  readonly bookId?: number;
  readonly barcode?: string;
}

/** What a borrow may name: one of these, or several that agree. */
const copyFields = { bookInfoId: id, bookId: id, barcode: bookFields.barcode };

/**
 * The copy that a request names by its barcode, or else by its id; null when it names a title
 * alone.
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

interface BorrowQuery {
  readonly dryRun: boolean;
}

const borrow: Endpoint = {
  method: 'post',
  path: '/api/borrows',
  who: 'user',
  kind: 'write',
  query: Joi.object({ dryRun: queryBoolean().default(false) }),
  body: borrowBody,
  doc: {
    id: 'borrow',
    tag: 'Borrows',
    summary: 'Borrow a title',
    description:
      'By its id, or by the id or the barcode of a copy; given several, they must agree. A copy that was set aside for the reader is taken first. An administrator lends to the reader whom `userId` names. With `dryRun=true` nothing is borrowed: the answer (200) tells every refusal that stands in the way now.',
    answers: { ...shown(borrowCheck), ...created(borrowSchema) },
    problems: [
      'BOOK_INFO_NOT_FOUND',
      'BOOK_NOT_FOUND',
      'ALREADY_BORROWED',
      'OUT_OF_STOCK',
      'COPY_NOT_AVAILABLE',
      'LOAN_LIMIT_REACHED',
      'OVERDUE_BLOCKED',
      'USER_NOT_FOUND',
      'FORBIDDEN',
    ],
    example: { bookInfoId: 42 },
  },
  location: ({ borrowId }) => `/api/borrows/${String(borrowId)}`,
  async command({ body, actor, query: { dryRun } }: Input<BorrowBody, BorrowQuery>) {
    const draft = await toBorrow(body, actor);
    return dryRun ? { ...draft, type: 'lending.check-borrow' } : draft;
  },
};

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

/** What a return means, with the title whose partition decides it. */
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

const giveBack: Endpoint = {
  method: 'post',
  path: '/api/returns',
  who: 'user',
  kind: 'write',
  body: returnBody,
  doc: {
    id: 'returnBook',
    tag: 'Borrows',
    summary: 'Return what was borrowed',
    description:
      'Named by the borrow, the copy, its barcode or the title; given several, they must agree. An administrator returns for anyone.',
    answers: shown(borrowSchema),
    problems: ['BORROW_NOT_FOUND', 'BOOK_NOT_FOUND', 'ALREADY_RETURNED'],
    example: { bookInfoId: 42 },
  },
  command: ({ body, actor }: Input<ReturnBody>) => toReturn(body, actor),
};

const renew: Endpoint = {
  method: 'post',
  path: '/api/borrows/:borrowId/renewals',
  who: 'user',
  kind: 'write',
  doc: {
    id: 'renewBorrow',
    tag: 'Borrows',
    summary: 'Keep a book for longer',
    description: 'For the borrower and administrators; at most twice.',
    answers: shown(borrowSchema),
    problems: ['BORROW_NOT_FOUND', 'ALREADY_RETURNED', 'RENEWAL_LIMIT_REACHED', 'HELD_BY_OTHERS'],
  },
  command: async ({ params, actor }: Input): Promise<Draft> => {
    const borrowId = params['borrowId'] as number;
    const route = await findBorrowRoute(borrowId);
    if (!route || !mayActFor(actor, route.userId)) throw noSuchBorrow();
    const { bookInfoId } = route;
    return {
      type: 'lending.renew-borrow',
      key: bookInfoKey(bookInfoId),
      payload: { bookInfoId, borrowId },
    };
  },
};

const detail = (now: Now): Endpoint => ({
  method: 'get',
  path: '/api/borrows/:borrowId',
  who: 'user',
  kind: 'read',
  doc: {
    id: 'getBorrow',
    tag: 'Borrows',
    summary: 'One borrow',
    description: 'For the borrower and administrators.',
    answers: shown(borrowSchema),
    problems: ['BORROW_NOT_FOUND'],
  },
  handle: async ({ params, actor }: Input) => {
    const found = await findBorrow(params['borrowId'] as number, now());
    if (!found || !mayActFor(actor, found.userId)) throw noSuchBorrow();
    return { status: 200, body: found };
  },
});

interface HistoryQuery extends Page {
  readonly me?: boolean;
  readonly returned?: boolean;
  readonly overdue?: boolean;
  readonly userId?: number;
  readonly bookInfoId?: number;
}

const histories = (now: Now): Endpoint => ({
  method: 'get',
  path: '/api/borrow-histories',
  who: 'user',
  kind: 'read',
  query: Joi.object({
    me: queryFlag(),
    returned: queryBoolean(),
    overdue: queryBoolean(),
    userId: queryId(),
    bookInfoId: queryId(),
    ...pageRules(),
  }),
  doc: {
    id: 'listBorrows',
    tag: 'Borrows',
    summary: 'Borrows, the newest first',
    description: 'Users see their own; administrators see all, or with `me=true` their own.',
    answers: listed(borrowSchema),
    problems: ['FORBIDDEN'],
  },
  handle: async (input: Input<unknown, HistoryQuery>) => {
    const filters = ownOrAll(input.actor, input.query);
    return listAnswer(input, filters, await findBorrows(filters, now()));
  },
});

export const borrowEndpoints = (now: Now): Endpoint[] => [
  borrow,
  giveBack,
  renew,
  detail(now),
  histories(now),
];
