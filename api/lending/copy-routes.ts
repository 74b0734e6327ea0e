import Joi from 'joi';
import { bookInfoKey, COPY_STATUSES, type SettableCopyStatus } from '../../shared/lending/commands';
import { bookFields } from '../../shared/lending/payloads';
import type { Draft, Endpoint, Input } from '../http/endpoint';
import { listAnswer, pageRules } from '../http/requests/paging';
import { queryBoolean } from '../http/requests/query-rules';
import { Problem } from '../http/responses/problem';
import { created, listed, noContent, shown } from '../openapi/doc';
import { noSuchTitle } from './no-such';
import {
  findCopies,
  findCopyByBarcode,
  findTitleNumbers,
  type CopyFilters,
  type TitledCopy,
} from './queries';
import { addedCopies, copies, copy, titledCopy } from './title-schemas';

/** The endpoints of copies. */

const idOf = ({ params }: Pick<Input, 'params'>, name: 'bookInfoId' | 'bookId'): number =>
  params[name] as number;

const listCopies: Endpoint = {
  method: 'get',
  path: '/api/book-infos/:bookInfoId/books',
  who: 'public',
  kind: 'read',
  query: Joi.object({
    available: queryBoolean(),
    status: Joi.string().valid(...COPY_STATUSES),
    ...pageRules(),
  }),
  doc: {
    id: 'listCopies',
    tag: 'Titles',
    summary: 'The copies of a title',
    answers: listed(copy, copies),
    problems: ['BOOK_INFO_NOT_FOUND'],
  },
  handle: async (input: Input<unknown, CopyFilters>) => {
    const bookInfoId = idOf(input, 'bookInfoId');
    const stock = await findTitleNumbers(bookInfoId);
    if (!stock) throw noSuchTitle(bookInfoId);
    const { totalStock, availableStock } = stock;
    return listAnswer(input, input.query, await findCopies(bookInfoId, input.query), {
      bookInfoId,
      totalStock,
      availableStock,
    });
  },
};

const noSuchBarcode = (barcode: string): Problem =>
  new Problem('BOOK_NOT_FOUND', `There is no copy with barcode "${barcode}".`);

/** @throws Problem BOOK_NOT_FOUND also for a text that no barcode can be. */
export async function copyWithBarcode(text: string): Promise<TitledCopy> {
  const checked = bookFields.barcode.validate(text);
  const found = checked.error ? null : await findCopyByBarcode(checked.value);
  if (!found) throw noSuchBarcode(text);
  return found;
}

const copyByBarcode: Endpoint = {
  method: 'get',
  path: '/api/books/:barcode',
  who: 'public',
  kind: 'read',
  doc: {
    id: 'getCopyByBarcode',
    tag: 'Titles',
    summary: 'The copy with a barcode',
    answers: shown(titledCopy),
    problems: ['BOOK_NOT_FOUND'],
    params: { barcode: { type: 'string', minLength: 1 } },
  },
  handle: async ({ params }: Input) => ({
    status: 200,
    body: await copyWithBarcode(String(params['barcode'])),
  }),
};

/** One of the first two. */
interface NewCopies {
  readonly count?: number;
  readonly barcodes?: readonly string[];
  readonly kind?: string;
}

const addCopies: Endpoint = {
  method: 'post',
  path: '/api/book-infos/:bookInfoId/books',
  who: 'admin',
  kind: 'write',
  body: Joi.object({
    count: bookFields.count,
    barcodes: bookFields.barcodes,
    kind: bookFields.kind,
  }).xor('count', 'barcodes'),
  doc: {
    id: 'addCopies',
    tag: 'Titles',
    summary: 'Add copies of a title',
    description:
      '`count` copies, or one for each barcode. `kind` is their kind in loan rules, `book` by default.',
    answers: created(addedCopies, { located: false }),
    problems: ['BOOK_INFO_NOT_FOUND', 'BARCODE_TAKEN'],
    example: { count: 2 },
  },
  command: (input: Input<NewCopies>): Draft => {
    const bookInfoId = idOf(input, 'bookInfoId');
    const { barcodes, count = barcodes?.length ?? 0, kind } = input.body;
    return {
      type: 'lending.add-copies',
      key: bookInfoKey(bookInfoId),
      payload: { bookInfoId, count, ...(barcodes && { barcodes }), ...(kind && { kind }) },
    };
  },
};

interface CopyChange {
  readonly status?: SettableCopyStatus;
  readonly barcode?: string | null;
  readonly kind?: string;
}

const setCopyStatus: Endpoint = {
  method: 'patch',
  path: '/api/book-infos/:bookInfoId/books/:bookId',
  who: 'admin',
  kind: 'write',
  body: Joi.object({
    status: bookFields.copyStatus,
    kind: bookFields.kind,
    barcode: bookFields.barcode.allow(null),
  }).or('status', 'kind', 'barcode'),
  doc: {
    id: 'setCopyStatus',
    tag: 'Titles',
    summary: 'Change the status, kind or barcode of a copy',
    description:
      'A copy on loan can only be set to LOST, which closes the borrow. A barcode of null removes it.',
    answers: shown(copy),
    problems: [
      'BOOK_INFO_NOT_FOUND',
      'BOOK_NOT_FOUND',
      'COPY_ON_LOAN',
      'COPY_ON_HOLD',
      'BARCODE_TAKEN',
    ],
    example: { status: 'LOST' },
  },
  command: (input: Input<CopyChange>): Draft => {
    const bookInfoId = idOf(input, 'bookInfoId');
    const payload = { bookInfoId, bookId: idOf(input, 'bookId'), ...input.body };
    return { type: 'lending.set-copy-status', key: bookInfoKey(bookInfoId), payload };
  },
};

const deleteCopy: Endpoint = {
  method: 'delete',
  path: '/api/book-infos/:bookInfoId/books/:bookId',
  who: 'admin',
  kind: 'write',
  doc: {
    id: 'deleteCopy',
    tag: 'Titles',
    summary: 'Delete a copy',
    answers: noContent('Deleted.'),
    problems: ['BOOK_INFO_NOT_FOUND', 'BOOK_NOT_FOUND', 'COPY_ON_LOAN'],
  },
  command: (input: Input): Draft => {
    const bookInfoId = idOf(input, 'bookInfoId');
    return {
      type: 'lending.delete-copy',
      key: bookInfoKey(bookInfoId),
      payload: { bookInfoId, bookId: idOf(input, 'bookId') },
    };
  },
};

export const copyEndpoints: readonly Endpoint[] = [
  listCopies,
  copyByBarcode,
  addCopies,
  setCopyStatus,
  deleteCopy,
];
