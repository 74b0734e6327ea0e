import { COPIES_ADDED_MAX } from '../../../shared/lending/commands';
import { BOOK_COLUMNS, cleanBookRow } from './book-row';
import { importCommand } from './import-command';
import { marcBook } from './marc/book';
import { registerBook } from './register-book';

export const importBooks = importCommand({
  things: 'books',
  options: {
    copies: {
      value: 'N',
      help: `copies of a book whose row has none, 0 to ${COPIES_ADDED_MAX} (default 1)`,
    },
  },
  notes: [
    'Columns: title, author, isbn, publicationDate, bookImg, copies, barcodes (of the first copies, with blanks between); or',
    'those of goodbooks-10k: title or original_title, authors, isbn, original_publication_year, image_url. A book that exists',
    'is not changed, but copies are added for its new barcodes. Files named .mrc or .marc (ISO 2709), .xml or .marcxml (MARCXML)',
    'are MARC 21 in UTF-8. Their fields that have no column here are counted.',
  ],
  format: {
    columns: BOOK_COLUMNS,
    required: [
      ['title', 'original_title'],
      ['author', 'authors'],
    ],
    ofMarc: marcBook,
  },
  prepare(given) {
    const copies = given.integer('copies', { min: 0, max: COPIES_ADDED_MAX, fallback: 1 });
    return {
      clean: (cells, warnings) => cleanBookRow(cells, copies, warnings),
      // Without an ISBN the title and author stand for the book.
      identity: ({ isbn, title, author }) => isbn ?? [title, author],
      sameBy: ({ isbn }) => (isbn === null ? 'same title and author' : 'same ISBN'),
      register: registerBook,
    };
  },
});
