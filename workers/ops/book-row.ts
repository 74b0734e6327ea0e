import Joi from 'joi';
import { bookFields, type BookAttributes } from '../../shared/lending/commands';
import { cleanIsbn } from './book-isbn';

/**
 * Makes a title out of a row of somebody's file. What real catalogues get wrong in a way that has one right answer is
 * mended here; what would need a guess is refused with its reason. Pure.
 */

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
] as const;
export type BookColumn = (typeof BOOK_COLUMNS)[number];
export type BookCells = Partial<Record<BookColumn, string>>;

export interface BookToRegister extends BookAttributes {
  readonly copies: number;
}

export type CleanedRow =
  | { readonly kind: 'book'; readonly book: BookToRegister; readonly warnings: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string };

const TEXT_MAX = 255;
const AND_OTHERS = ' et al.';
const YEAR = /^([+-]?\d{1,6})(\.0*)?$/;

/** The reason why a row cannot become a title. */
class Refused extends Error {}

const rules = Joi.object<BookToRegister>({
  title: bookFields.title.label('title'),
  author: bookFields.author.label('author'),
  isbn: bookFields.isbn.allow(null).label('isbn'),
  publicationDate: bookFields.publicationDate.allow(null).label('publicationDate'),
  bookImg: Joi.any(),
  copies: bookFields.copies.label('copies'),
}).prefs({ presence: 'required', abortEarly: false, errors: { wrap: { label: false } } });

/** One line: line breaks and runs of blanks in a cell come from typesetting and become one space. */
function oneLine(...cells: (string | undefined)[]): string {
  const filled = cells.map((cell) => (cell ?? '').replace(/\s+/g, ' ').trim().normalize('NFC'));
  return filled.find((text) => text !== '') ?? '';
}

function cleanAuthor(cells: BookCells, warnings: string[]): string {
  const author = oneLine(cells.author, cells.authors);
  if (author.length <= TEXT_MAX) return author;
  const names = author.split(/, ?/);
  let kept = '';
  for (const name of names) {
    const longer = kept ? `${kept}, ${name}` : name;
    if (longer.length + AND_OTHERS.length > TEXT_MAX) break;
    kept = longer;
  }
  if (!kept) throw new Refused(`author is longer than ${TEXT_MAX} characters and is not a list of names`);
  warnings.push(`the ${names.length} authors are longer than ${TEXT_MAX} characters and were cut after '${kept.split(', ').at(-1)}'`);
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
  // Our own column has one form only, so that anything else in it is a mistake that the row's rules will name.
  if (own && Number.isNaN(year)) return own;
  warnings.push(`publication year '${text}' is not one from 1 to 9999 and was left out`);
  return null;
}

function cleanImage(cells: BookCells, warnings: string[]): string | null {
  const text = (cells.bookimg ?? '').trim() || (cells.image_url ?? '').trim();
  if (text === '') return null;
  const checked = bookFields.bookImg.validate(text);
  if (!checked.error) return checked.value;
  warnings.push(`image address was left out: it must be an http or https address of at most ${TEXT_MAX} characters`);
  return null;
}

function cleanCopies(cells: BookCells, defaultCopies: number): number {
  const text = (cells.copies ?? '').trim();
  return text === '' ? defaultCopies : /^\d{1,9}(\.0*)?$/.test(text) ? Number(text) : NaN;
}

/** `defaultCopies`: copies of a row that does not say how many. */
export function cleanBookRow(cells: BookCells, defaultCopies: number): CleanedRow {
  const warnings: string[] = [];
  try {
    const title = oneLine(cells.title, cells.original_title);
    if (title === '') throw new Refused('title is empty');
    const author = cleanAuthor(cells, warnings);
    if (author === '') throw new Refused('author is empty');
    if (`${title}${author}`.includes('\uFFFD')) throw new Refused('title or author is not UTF-8 text');
    const checked = rules.validate({
      title,
      author,
      isbn: cleanIsbn(cells.isbn, cells.isbn13, warnings),
      publicationDate: cleanDate(cells, warnings),
      bookImg: cleanImage(cells, warnings),
      copies: cleanCopies(cells, defaultCopies),
    });
    return checked.error ? { kind: 'refused', reason: checked.error.message } : { kind: 'book', book: checked.value, warnings };
  } catch (error) {
    if (error instanceof Refused) return { kind: 'refused', reason: error.message };
    throw error;
  }
}
