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
import { borrowResults, titleResults } from './bulk-schemas';
import {
  registrationBody,
  registrationQuery,
  toRegister,
  type Registration,
  type RegistrationQuery,
} from './title-writes';

/** Many borrows or returns at a time, as a desk makes them, and many titles, as an import does. */

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

const registerMany: Endpoint = {
  method: 'post',
  path: '/api/book-infos/bulk',
  who: 'admin',
  kind: 'bulk',
  query: registrationQuery,
  body: itemsOf(registrationBody),
  doc: {
    id: 'registerTitles',
    tag: 'Titles',
    summary: 'Register many titles',
    description: 'Answers as `borrowMany` does, with each title as `registerTitle` does.',
    answers: shown(titleResults),
    problems: ['INVALID_ISBN'],
    example: { items: [{ title: 'Dune', author: 'Frank Herbert', isbn: '0-441-17271-7' }] },
  },
  commands: ({ body, query }: Input<Items<Registration>, RegistrationQuery>) =>
    body.items.map((item) => () => toRegister(item, query)),
};

export const bulkEndpoints: readonly Endpoint[] = [registerMany, borrowMany, returnMany];
