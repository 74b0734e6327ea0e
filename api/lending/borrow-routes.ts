import Joi from 'joi';
import type { Now } from '../../shared/database/clock';
import type { Actor } from '../../shared/command';
import { id } from '../../shared/fields';
import { bookInfoKey } from '../../shared/lending/commands';
import type { Draft, Endpoint, Input } from '../http/endpoint';
import { listAnswer, pageRules, type Page } from '../http/paging';
import { Problem } from '../http/problem';
import { queryBoolean, queryFlag, queryId } from '../http/query-rules';
import { created, listed, shown } from '../openapi/doc';
import { mayActFor, mustAgree, ownOrAll } from './whose';
import { findBorrow, findBorrowRoute, findBorrows } from './borrow-queries';
import { titleOfCopy } from './queries';
import { borrow as borrowSchema } from './schemas';

/**
 * Borrows, returns, renewals and histories. A borrow of somebody else is answered as if there were
 * none.
 */

const noSuchBorrow = (): Problem => new Problem('BORROW_NOT_FOUND', 'You have no such borrow.');

interface CopyBody {
  readonly bookInfoId?: number;
  readonly bookId?: number;
}

interface BorrowBody extends CopyBody {
  readonly userId?: number;
}

const borrow: Endpoint = {
  method: 'post',
  path: '/api/borrows',
  who: 'user',
  kind: 'write',
  type: 'lending.borrow-book',
  body: Joi.object({ bookInfoId: id, bookId: id, userId: id }).or('bookInfoId', 'bookId'),
  doc: {
    id: 'borrow',
    tag: 'Borrows',
    summary: 'Borrow a title',
    description:
      'By its id or by that of a copy; given both, they must agree. A copy that was set aside for the reader is taken first. An administrator lends to the reader whom `userId` names.',
    answers: created(borrowSchema),
    problems: [
      'BOOK_INFO_NOT_FOUND',
      'BOOK_NOT_FOUND',
      'ALREADY_BORROWED',
      'OUT_OF_STOCK',
      'COPY_NOT_AVAILABLE',
      'LOAN_LIMIT_REACHED',
      'USER_NOT_FOUND',
      'FORBIDDEN',
    ],
    example: { bookInfoId: 42 },
  },
  command: async ({ body, actor }: Input<BorrowBody>): Promise<Draft> => {
    const { bookId, userId } = body;
    if (userId !== undefined && !mayActFor(actor, userId))
      throw new Problem('FORBIDDEN', 'Only an administrator may lend to somebody else.');
    if (bookId === undefined) return borrowDraft(body.bookInfoId as number, null, userId);
    const bookInfoId = await titleOfCopy(bookId);
    if (bookInfoId === null) throw new Problem('BOOK_NOT_FOUND', `There is no copy ${bookId}.`);
    mustAgree('bookInfoId', body.bookInfoId, bookInfoId);
    return borrowDraft(bookInfoId, bookId, userId);
  },
};

function borrowDraft(bookInfoId: number, bookId: number | null, userId: number | undefined): Draft {
  return {
    type: 'lending.borrow-book',
    key: bookInfoKey(bookInfoId),
    payload: { bookInfoId, bookId, ...(userId !== undefined && { userId }) },
  };
}

interface ReturnBody extends CopyBody {
  readonly borrowId?: number;
}

/** The title whose partition decides a return. */
async function titleOfReturn(
  { borrowId, bookId, bookInfoId }: ReturnBody,
  actor: Actor,
): Promise<number> {
  if (borrowId !== undefined) {
    const route = await findBorrowRoute(borrowId);
    if (!route || !mayActFor(actor, route.userId)) throw noSuchBorrow();
    mustAgree('bookId', bookId, route.bookId);
    mustAgree('bookInfoId', bookInfoId, route.bookInfoId);
    return route.bookInfoId;
  }
  if (bookId === undefined) return bookInfoId as number;
  const found = await titleOfCopy(bookId);
  if (found === null) throw noSuchBorrow();
  mustAgree('bookInfoId', bookInfoId, found);
  return found;
}

const giveBack: Endpoint = {
  method: 'post',
  path: '/api/returns',
  who: 'user',
  kind: 'write',
  type: 'lending.return-book',
  body: Joi.object({ borrowId: id, bookId: id, bookInfoId: id }).or(
    'borrowId',
    'bookId',
    'bookInfoId',
  ),
  doc: {
    id: 'returnBook',
    tag: 'Borrows',
    summary: 'Return what was borrowed',
    description: 'Named by the borrow, the copy or the title. An administrator returns for anyone.',
    answers: shown(borrowSchema),
    problems: ['BORROW_NOT_FOUND', 'ALREADY_RETURNED'],
    example: { bookInfoId: 42 },
  },
  command: async ({ body, actor }: Input<ReturnBody>): Promise<Draft> => {
    const bookInfoId = await titleOfReturn(body, actor);
    const payload = { bookInfoId, borrowId: body.borrowId ?? null, bookId: body.bookId ?? null };
    return { type: 'lending.return-book', key: bookInfoKey(bookInfoId), payload };
  },
};

const renew: Endpoint = {
  method: 'post',
  path: '/api/borrows/:borrowId/renewals',
  who: 'user',
  kind: 'write',
  type: 'lending.renew-borrow',
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
