import { createHash } from 'node:crypto';
import Joi from 'joi';
import { bookInfoKey, isbnKey, type BookAttributes } from '../../shared/lending/commands';
import { bookFields } from '../../shared/lending/payloads';
import { bookInfoEtag, type BookInfoView } from '../../shared/lending/views';
import type { Draft, Endpoint, Input } from '../http/endpoint';
import { changed, created, noContent, shown } from '../openapi/doc';
import { expectedVersion } from './if-match';
import { bookInfo } from './title-schemas';

/** Writes of titles; the worker decides each. */

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

export type Registration = BookAttributes & { readonly copies: number };
export interface RegistrationQuery {
  readonly onDuplicate: 'add' | 'reject';
}
export const registrationQuery = Joi.object({
  onDuplicate: Joi.string().valid('add', 'reject').default('add'),
});
export const registrationBody = Joi.object({
  title: bookFields.title.required(),
  author: bookFields.author.required(),
  isbn: clearable.isbn.default(null),
  publicationDate: clearable.publicationDate.default(null),
  bookImg: clearable.bookImg.default(null),
  copies: bookFields.copies.default(0),
});

/**
 * Without an ISBN equal registrations share a key, so that one sent again goes to the same
 * partition.
 */
function registrationKey(payload: Registration): string {
  if (payload.isbn !== null) return isbnKey(payload.isbn);
  return `book-info-of:${createHash('sha1').update(JSON.stringify(payload)).digest('hex')}`;
}

export const toRegister = (body: Registration, { onDuplicate }: RegistrationQuery): Draft => ({
  type: 'lending.register-book-info',
  key: registrationKey(body),
  payload: { ...body, onDuplicate },
});

const register: Endpoint = {
  method: 'post',
  path: '/api/book-infos',
  who: 'admin',
  kind: 'write',
  query: registrationQuery,
  body: registrationBody,
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
  command: ({ body, query }: Input<Registration, RegistrationQuery>): Draft =>
    toRegister(body, query),
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

export const titleWrites: readonly Endpoint[] = [register, update, remove];
