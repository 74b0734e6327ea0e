import { createHash } from 'node:crypto';
import Joi from 'joi';
import {
  bookInfoKey,
  isbnKey,
  type BookAttributes,
  type SettableCopyStatus,
} from '../../shared/lending/commands';
import { bookFields } from '../../shared/lending/payloads';
import { bookInfoEtag, type BookInfoView } from '../../shared/lending/views';
import type { Draft, Endpoint, Input } from '../http/endpoint';
import { changed, created, noContent, shown } from '../openapi/doc';
import { expectedVersion } from './if-match';
import { addedCopies, bookInfo, copy } from './schemas';

/** Writes of titles and their copies; the worker decides each. */

/** Fields that follow from others or from the system's own work. */
const READ_ONLY_FIELDS = [
  'bookInfoId',
  'authorId',
  'totalStock',
  'availableStock',
  'version',
  'createdAt',
  'modifiedAt',
] as const;

const clearable = {
  isbn: bookFields.isbn.allow(null),
  publicationDate: bookFields.publicationDate.allow(null),
  bookImg: bookFields.bookImg.allow(null),
};

const idOf = ({ params }: Pick<Input, 'params'>, name: 'bookInfoId' | 'bookId'): number =>
  params[name] as number;

type Registration = BookAttributes & { readonly copies: number };
interface RegistrationQuery {
  readonly onDuplicate: 'add' | 'reject';
}

/**
 * Without an ISBN equal registrations share a key, so that one sent again goes to the same
 * partition.
 */
function registrationKey(payload: Registration): string {
  if (payload.isbn !== null) return isbnKey(payload.isbn);
  return `book-info-of:${createHash('sha1').update(JSON.stringify(payload)).digest('hex')}`;
}

const register: Endpoint = {
  method: 'post',
  path: '/api/book-infos',
  who: 'admin',
  kind: 'write',
  query: Joi.object({ onDuplicate: Joi.string().valid('add', 'reject').default('add') }),
  body: Joi.object({
    title: bookFields.title.required(),
    author: bookFields.author.required(),
    isbn: clearable.isbn.default(null),
    publicationDate: clearable.publicationDate.default(null),
    bookImg: clearable.bookImg.default(null),
    copies: bookFields.copies.default(0),
  }),
  doc: {
    id: 'registerTitle',
    tag: 'Titles',
    summary: 'Register a title',
    description:
      'The same ISBN again is the same title (200): `copies` are added to it and its attributes stay, unless `onDuplicate=reject`.',
    answers: { ...shown(bookInfo), ...created(bookInfo) },
    problems: ['INVALID_ISBN', 'ISBN_ALREADY_REGISTERED'],
    example: {
      title: 'Dune',
      author: 'Frank Herbert',
      isbn: '0-441-17271-7',
      publicationDate: '1965-08-01',
      copies: 2,
    },
  },
  location: ({ bookInfoId }) => `/api/book-infos/${String(bookInfoId)}`,
  command: ({ body, query: { onDuplicate } }: Input<Registration, RegistrationQuery>): Draft => ({
    type: 'lending.register-book-info',
    key: registrationKey(body),
    payload: { ...body, onDuplicate },
  }),
};

const update: Endpoint = {
  method: 'patch',
  path: '/api/book-infos/:bookInfoId',
  who: 'admin',
  kind: 'write',
  body: Joi.object({
    title: bookFields.title,
    author: bookFields.author,
    ...clearable,
    ...Object.fromEntries(READ_ONLY_FIELDS.map((field) => [field, Joi.forbidden()])),
  }).min(1),
  doc: {
    id: 'updateTitle',
    tag: 'Titles',
    summary: 'Change a title',
    description: 'Fields that are left out stay; null clears one that may be null.',
    answers: changed(bookInfo),
    problems: [
      'INVALID_ISBN',
      'BOOK_INFO_NOT_FOUND',
      'VERSION_MISMATCH',
      'ISBN_ALREADY_REGISTERED',
    ],
    ifMatch: true,
    example: { title: 'Dune Messiah' },
  },
  etag: (result) => bookInfoEtag(result as unknown as BookInfoView),
  command: async (input: Input<Partial<BookAttributes>>): Promise<Draft> => {
    const bookInfoId = idOf(input, 'bookInfoId');
    const ifVersion = await expectedVersion(input.header('if-match'), bookInfoId);
    return {
      type: 'lending.update-book-info',
      key: bookInfoKey(bookInfoId),
      payload: { bookInfoId, changes: input.body, ifVersion },
    };
  },
};

const remove: Endpoint = {
  method: 'delete',
  path: '/api/book-infos/:bookInfoId',
  who: 'admin',
  kind: 'write',
  doc: {
    id: 'deleteTitle',
    tag: 'Titles',
    summary: 'Delete a title',
    description: 'Histories keep its name.',
    answers: noContent('Deleted.'),
    problems: ['BOOK_INFO_NOT_FOUND', 'VERSION_MISMATCH', 'BOOK_INFO_ON_LOAN'],
    ifMatch: true,
  },
  command: async (input: Input): Promise<Draft> => {
    const bookInfoId = idOf(input, 'bookInfoId');
    const ifVersion = await expectedVersion(input.header('if-match'), bookInfoId);
    return {
      type: 'lending.delete-book-info',
      key: bookInfoKey(bookInfoId),
      payload: { bookInfoId, ...(ifVersion !== null && { ifVersion }) },
    };
  },
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
      'So many, or one for each barcode. `kind` is what loan rules call them, `book` unless you say another.',
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
    summary: 'Say what has become of a copy, or give it a kind or a barcode',
    description:
      'A copy on loan can only be set to LOST, which closes the borrow. A barcode of null takes it off.',
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

export const titleWrites: readonly Endpoint[] = [
  register,
  update,
  remove,
  addCopies,
  setCopyStatus,
  deleteCopy,
];
