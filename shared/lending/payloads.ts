import Joi from 'joi';
import { date, id, line, webAddress } from '../fields';
import { calendarFields } from './calendar';
import {
  BARCODE_LENGTH,
  COPIES_ADDED_MAX,
  REMINDERS,
  SETTABLE_COPY_STATUSES,
  type LendingCommands,
} from './commands';
import { isbn } from './isbn';
import { kind, loanRules } from './loan-rules';

/**
 * The rules for payloads. The API fills payloads from requests. Workers check them again, because
 * anyone who has the broker's password can write to a queue.
 */

const barcode = line(BARCODE_LENGTH);

/** Rules for the fields of a title, by name; used for request bodies and for payloads. */
export const bookFields = {
  title: line(255),
  author: line(255),
  isbn,
  publicationDate: date,
  bookImg: webAddress(255),
  copies: Joi.number().integer().min(0).max(COPIES_ADDED_MAX).strict(),
  count: Joi.number().integer().min(1).max(COPIES_ADDED_MAX).strict(),
  copyStatus: Joi.string().valid(...SETTABLE_COPY_STATUSES),
  kind,
  barcode,
  barcodes: Joi.array().items(barcode).min(1).max(COPIES_ADDED_MAX).unique(),
};

const nullable = {
  isbn: bookFields.isbn.allow(null),
  publicationDate: bookFields.publicationDate.allow(null),
  bookImg: bookFields.bookImg.allow(null),
};
const object = <T>(keys: Joi.SchemaMap): Joi.ObjectSchema<T> =>
  Joi.object<T>(keys).prefs({ presence: 'required' });

const policyVersion = Joi.number().integer().min(0).allow(null);

const borrowPayload = object<LendingCommands['lending.borrow-book']>({
  bookInfoId: id,
  bookId: id.allow(null),
  userId: id.optional(),
});

/** The payload rules, one entry a command. */
export const lendingPayloads: {
  [Type in keyof LendingCommands]: Joi.ObjectSchema<LendingCommands[Type]>;
} = {
  'lending.register-book-info': object({
    title: bookFields.title,
    author: bookFields.author,
    ...nullable,
    copies: bookFields.copies,
    onDuplicate: Joi.string().valid('add', 'reject'),
  }),
  'lending.update-book-info': object({
    bookInfoId: id,
    changes: Joi.object({ title: bookFields.title, author: bookFields.author, ...nullable })
      .min(1)
      .prefs({ presence: 'optional' }),
    ifVersion: id.allow(null),
  }),
  'lending.delete-book-info': object({ bookInfoId: id, ifVersion: id.optional() }),
  'lending.add-copies': object({
    bookInfoId: id,
    count: bookFields.count,
    barcodes: bookFields.barcodes.length(Joi.ref('count')).optional(),
    kind: kind.optional(),
  }),
  'lending.set-copy-status': object<LendingCommands['lending.set-copy-status']>({
    bookInfoId: id,
    bookId: id,
    status: bookFields.copyStatus.optional(),
    kind: kind.optional(),
    barcode: bookFields.barcode.allow(null).optional(),
  }).or('status', 'kind', 'barcode'),
  'lending.delete-copy': object({ bookInfoId: id, bookId: id }),
  'lending.borrow-book': borrowPayload,
  'lending.check-borrow': borrowPayload,
  'lending.return-book': object({
    bookInfoId: id,
    borrowId: id.allow(null),
    bookId: id.allow(null),
  }),
  'lending.renew-borrow': object({ bookInfoId: id, borrowId: id }),
  'lending.place-hold': object({ bookInfoId: id }),
  'lending.cancel-hold': object({ bookInfoId: id, holdId: id }),
  'lending.expire-hold': object({ bookInfoId: id, holdId: id }),
  'lending.remind-borrower': object({
    bookInfoId: id,
    borrowId: id,
    reminder: Joi.string().valid(...REMINDERS),
  }),
  'lending.set-loan-rules': object({
    rules: loanRules,
    ifVersion: policyVersion,
  }),
  'lending.set-calendar': object({
    ...calendarFields,
    ifVersion: policyVersion,
  }),
};
