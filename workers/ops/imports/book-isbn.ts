import { isbn13Of } from '../../../shared/lending/isbn';

/** Finds the ISBN that a cell of a real catalogue meant. Pure. */

const ISBN10_LENGTH = 10;
/** Characters that are left of an ISBN-10 whose group, publisher and title begin with zeros. */
const SHORTEST_ISBN = 7;
/** What a spreadsheet or a data frame makes of a long number: the last digits are gone. */
const FLOATING_POINT = /^\d+(\.\d+)?E\+?\d+$/i;

/**
 * Puts zeros back in front. A number that lacks more than three is more likely something else,
 * unless the check digit is right.
 */
function withLostZeros(text: string): string {
  if (!/^\d{0,8}[\dX]$/.test(text)) return text;
  const padded = text.padStart(ISBN10_LENGTH, '0');
  return text.length >= SHORTEST_ISBN || isbn13Of(padded) ? padded : text;
}

/**
 * Returns the ISBN cell, with the zeros that a spreadsheet took from its front; null when there is
 * none. The `isbn13` column counts only when it still has all its digits and nothing else is there.
 */
export function cleanIsbn(
  isbnCell: string | undefined,
  isbn13Cell: string | undefined,
  warnings: string[],
): string | null {
  const compact = (cell = '') => cell.replace(/[\s-]/g, '').replace(/\.0*$/, '').toUpperCase();
  const isbn13 = compact(isbn13Cell);
  const text = compact(isbnCell) || (/^\d{13}$/.test(isbn13) ? isbn13 : '');
  if (text === '') return null;
  if (FLOATING_POINT.test(text)) {
    warnings.push(`isbn ${text} has lost its last digits and was left out`);
    return null;
  }
  if (/^0+$/.test(text)) {
    warnings.push(`isbn ${text} is a placeholder and was left out`);
    return null;
  }
  const padded = withLostZeros(text);
  // Real catalogues contain such ISBNs, also in print, and the service keeps them unless it is told
  // to be strict.
  if (/^(\d{9}[\dX]|\d{13})$/.test(padded) && !isbn13Of(padded))
    warnings.push(`isbn ${padded} is not a valid ISBN and was kept as given`);
  return padded;
}
