import Joi from 'joi';
import type { Now } from '../../shared/database/clock';
import { bookInfoKey } from '../../shared/lending/commands';
import type { Draft, Endpoint, Input } from '../http/endpoint';
import { listAnswer, pageRules, type Page } from '../http/requests/paging';
import { queryBoolean, queryFlag, queryId } from '../http/requests/query-rules';
import { created, listed, shown } from '../openapi/doc';
import { mayActFor, ownOrAll } from './whose';
import {
  borrowBody,
  returnBody,
  toBorrow,
  toReturn,
  type BorrowBody,
  type ReturnBody,
} from './borrow-drafts';
import { findBorrow, findBorrowRoute, findBorrows } from './borrow-queries';
import { noSuchBorrow } from './no-such';
import { borrow as borrowSchema, borrowCheck } from './borrow-schemas';

/**
 * Borrows, returns, renewals and histories. A borrow of somebody else is answered as if there were
 * none.
 */

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

const giveBack: Endpoint = {
  method: 'post',
  path: '/api/returns',
  who: 'user',
  kind: 'write',
  body: returnBody,
  doc: {
    id: 'returnBook',
    tag: 'Borrows',
    summary: 'Return a copy',
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
    summary: 'Renew a borrow',
    description:
      'For the borrower and administrators. At most twice, unless the loan rules say otherwise.',
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
