import Joi from 'joi';
import type { Endpoint, Input } from '../http/endpoint';
import { shown } from '../openapi/doc';
import {
  borrowBody,
  returnBody,
  toBorrow,
  toReturn,
  type BorrowBody,
  type ReturnBody,
} from './borrow-drafts';
import { borrowResults } from './borrow-schemas';

/** Many borrows or returns at a time, as a desk makes them. */

/** Most items of one request. */
const ITEMS_MAX = 100;

interface Items<Item> {
  readonly items: readonly Item[];
}

const itemsOf = (item: Joi.ObjectSchema) =>
  Joi.object({ items: Joi.array().items(item).min(1).max(ITEMS_MAX).required() });

const RESULTS =
  'The results are in the order of the items: of each what the single call would have got. Items of one title are carried out in their order. What takes longer than the wait is `queued`, with its `statusUrl`. One `Idempotency-Key` stands for all of them.';

const borrowMany: Endpoint = {
  method: 'post',
  path: '/api/borrows/bulk',
  who: 'user',
  kind: 'bulk',
  body: itemsOf(borrowBody),
  doc: {
    id: 'borrowMany',
    tag: 'Borrows',
    summary: 'Borrow many titles',
    description: RESULTS,
    answers: shown(borrowResults),
    example: { items: [{ bookInfoId: 42 }, { barcode: 'LIB-000108' }] },
  },
  commands: ({ body, actor }: Input<Items<BorrowBody>>) =>
    body.items.map((item) => () => toBorrow(item, actor)),
};

const returnMany: Endpoint = {
  method: 'post',
  path: '/api/returns/bulk',
  who: 'user',
  kind: 'bulk',
  body: itemsOf(returnBody),
  doc: {
    id: 'returnMany',
    tag: 'Borrows',
    summary: 'Return many books',
    description: 'Answers as `borrowMany` does, with the result of each return.',
    answers: shown(borrowResults),
    example: { items: [{ bookInfoId: 42 }, { barcode: 'LIB-000108' }] },
  },
  commands: ({ body, actor }: Input<Items<ReturnBody>>) =>
    body.items.map((item) => () => toReturn(item, actor)),
};

export const bulkEndpoints: readonly Endpoint[] = [borrowMany, returnMany];
