import Joi from 'joi';
import { isLonger } from '../../../shared/fields';
import type { BookAttributes } from '../../../shared/lending/commands';
import { bookFields } from '../../../shared/lending/payloads';
import { cleanIsbn } from './book-isbn';
import {
  checkedItem,
  listIn,
  oneLine,
  Refused,
  textCells,
  wholeNumber,
  type TextCells,
} from './row-cells';
import type { RawCells } from './row-format';

/** Makes a title out of a row of somebody's catalogue. Pure. */

/** The columns that are understood, in lower case: those of goodbooks-10k and our own. */
export const BOOK_COLUMNS = [
  'title',
  'original_title',
  'author',
  'authors',
  'isbn',
  'isbn13',
  'publicationdate',
  'original_publication_year',
  'bookimg',
  'image_url',
  'copies',
  'barcodes',
] as const;
export type BookColumn = (typeof BOOK_COLUMNS)[number];
type BookCells = TextCells<BookColumn>;

export interface BookToRegister extends BookAttributes {
  /** With those that have a barcode. */
  readonly copies: number;
  readonly barcodes: readonly string[];
}

const TEXT_MAX = 255;
const AND_OTHERS = ' et al.';
const YEAR = /^([+-]?\d{1,6})(\.0*)?$/;

const rules = Joi.object<BookToRegister>({
  title: bookFields.title.label('title'),
  author: bookFields.author.label('author'),
  isbn: bookFields.isbn.allow(null).label('isbn'),
  publicationDate: bookFields.publicationDate.allow(null).label('publicationDate'),
  bookImg: Joi.any(),
  copies: bookFields.copies.label('copies'),
  barcodes: Joi.array().items(bookFields.barcode.optional()).unique().label('barcodes'),
}).prefs({ presence: 'required' });

function cleanAuthor(cells: BookCells, warnings: string[]): string {
  const author = oneLine(cells.author, cells.authors);
  if (!isLonger(author, TEXT_MAX)) return author;
  const names = author.split(/, ?/);
  let kept = '';
  for (const name of names) {
    const longer = kept ? `${kept}, ${name}` : name;
    if (isLonger(longer + AND_OTHERS, TEXT_MAX)) break;
    kept = longer;
  }
  if (!kept)
    throw new Refused(`author is longer than ${TEXT_MAX} characters and is not a list of names`);
  warnings.push(
    `the ${names.length} authors are longer than ${TEXT_MAX} characters and were cut after '${kept.split(', ').at(-1)}'`,
  );
  return kept + AND_OTHERS;
}

function cleanDate(cells: BookCells, warnings: string[]): string | null {
  const own = (cells.publicationdate ?? '').trim();
  const text = own || (cells.original_publication_year ?? '').trim();
  if (text === '') {
    if (cells.original_publication_year !== undefined) warnings.push('publication year is missing');
    return null;
  }
  const year = Number(YEAR.exec(text)?.[1] ?? NaN);
  if (year >= 1 && year <= 9999) return `${String(year).padStart(4, '0')}-01-01`;
  // Our own column has one form only, so that anything else in it is a mistake that the row's rules
  // will name.
  if (own && Number.isNaN(year)) return own;
  warnings.push(`publication year '${text}' is not one from 1 to 9999 and was left out`);
  return null;
}

function cleanImage(cells: BookCells, warnings: string[]): string | null {
  const text = (cells.bookimg ?? '').trim() || (cells.image_url ?? '').trim();
  if (text === '') return null;
  const checked = bookFields.bookImg.validate(text);
  if (!checked.error) return checked.value;
  warnings.push(
    `image address was left out: it must be an http or https address of at most ${TEXT_MAX} characters`,
  );
  return null;
}

/**
 * Returns the barcodes of a cell. A JSON list is taken as it is; any other text is split at blanks
 * and commas.
 */
function barcodesIn(cell: unknown): unknown {
  if (cell === undefined || cell === null) return [];
  const list = listIn(cell);
  if (typeof list !== 'string') return list;
  return list.split(/[\s,;]+/).filter((barcode) => barcode !== '');
}

/** `defaultCopies`: copies of a row that does not say how many. @throws Refused */
export function cleanBookRow(
  { barcodes: labels, ...row }: RawCells<BookColumn>,
  defaultCopies: number,
  warnings: string[],
): BookToRegister {
  const cells = textCells(row);
  const title = oneLine(cells.title, cells.original_title);
  if (title === '') throw new Refused('title is empty');
  const author = cleanAuthor(cells, warnings);
  if (author === '') throw new Refused('author is empty');
  const book = checkedItem(rules, {
    title,
    author,
    isbn: cleanIsbn(cells.isbn, cells.isbn13, warnings),
    publicationDate: cleanDate(cells, warnings),
    bookImg: cleanImage(cells, warnings),
    copies: wholeNumber(cells.copies, defaultCopies),
    barcodes: barcodesIn(labels),
  });
  return { ...book, copies: Math.max(book.copies, book.barcodes.length) };
}
