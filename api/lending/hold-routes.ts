import Joi from 'joi';
import { bookInfoKey, HOLD_STATUSES } from '../../shared/lending/commands';
import type { Draft, Endpoint, Input } from '../http/endpoint';
import { listAnswer, pageRules } from '../http/requests/paging';
import { Problem } from '../http/responses/problem';
import { queryBoolean, queryFlag, queryId } from '../http/requests/query-rules';
import { created, listed, noContent, shown } from '../openapi/doc';
import { findHold, findHoldRoute, findHolds, type HoldFilters } from './hold-queries';
import { mayActFor, ownOrAll } from './whose';
import { hold } from './borrow-schemas';

/**
 * Holds: a reader's place in the line of a title that is out. A hold of somebody else is answered
 * as if there were none.
 */

const noSuchHold = (): Problem => new Problem('HOLD_NOT_FOUND', 'You have no such hold.');

const place: Endpoint = {
  method: 'post',
  path: '/api/book-infos/:bookInfoId/holds',
  who: 'user',
  kind: 'write',
  doc: {
    id: 'placeHold',
    tag: 'Holds',
    summary: 'Place a hold on a title',
    answers: created(hold),
    problems: [
      'BOOK_INFO_NOT_FOUND',
      'ALREADY_HELD',
      'ALREADY_BORROWED',
      'STOCK_AVAILABLE',
      'HOLD_LINE_FULL',
      'HOLD_LIMIT_REACHED',
      'OVERDUE_BLOCKED',
    ],
  },
  location: ({ holdId }) => `/api/holds/${String(holdId)}`,
  command: ({ params }: Input): Draft => {
    const bookInfoId = params['bookInfoId'] as number;
    return { type: 'lending.place-hold', key: bookInfoKey(bookInfoId), payload: { bookInfoId } };
  },
};

const cancel: Endpoint = {
  method: 'delete',
  path: '/api/holds/:holdId',
  who: 'user',
  kind: 'write',
  doc: {
    id: 'cancelHold',
    tag: 'Holds',
    summary: 'Cancel a hold',
    description: 'For the reader who waits, and administrators.',
    answers: noContent('Left.'),
    problems: ['HOLD_NOT_FOUND'],
  },
  command: async ({ params, actor }: Input): Promise<Draft> => {
    const holdId = params['holdId'] as number;
    const route = await findHoldRoute(holdId);
    if (!route || !mayActFor(actor, route.userId)) throw noSuchHold();
    const { bookInfoId } = route;
    return {
      type: 'lending.cancel-hold',
      key: bookInfoKey(bookInfoId),
      payload: { bookInfoId, holdId },
    };
  },
};

const detail: Endpoint = {
  method: 'get',
  path: '/api/holds/:holdId',
  who: 'user',
  kind: 'read',
  doc: {
    id: 'getHold',
    tag: 'Holds',
    summary: 'One hold',
    description: 'For the reader who waits, and administrators.',
    answers: shown(hold),
    problems: ['HOLD_NOT_FOUND'],
  },
  handle: async ({ params, actor }: Input) => {
    const found = await findHold(params['holdId'] as number);
    if (!found || !mayActFor(actor, found.userId)) throw noSuchHold();
    return { status: 200, body: found };
  },
};

const list: Endpoint = {
  method: 'get',
  path: '/api/holds',
  who: 'user',
  kind: 'read',
  query: Joi.object({
    me: queryFlag(),
    open: queryBoolean(),
    status: Joi.string().valid(...HOLD_STATUSES),
    userId: queryId(),
    bookInfoId: queryId(),
    ...pageRules(),
  }),
  doc: {
    id: 'listHolds',
    tag: 'Holds',
    summary: 'Holds',
    description: 'Users see their own; administrators see all, or with `me=true` their own.',
    answers: listed(hold),
    problems: ['FORBIDDEN'],
  },
  handle: async (input: Input<unknown, HoldFilters & { readonly me?: boolean }>) => {
    const filters = ownOrAll(input.actor, input.query);
    return listAnswer(input, filters, await findHolds(filters));
  },
};

export const holdEndpoints: readonly Endpoint[] = [place, cancel, detail, list];
