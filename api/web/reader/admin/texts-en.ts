import { counted } from '../../shared/counted';

/** Every text of the catalogue's management in English. */

const duration = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;

export const englishAdmin = {
  heading: 'Catalogue',
  register: 'Add title',
  change: 'Edit title',
  save: 'Save',
  saved: 'Saved.',
  registered: (title: string) => `Added: ${title}`,
  title: 'Title',
  author: 'Author',
  isbn: 'ISBN',
  publicationDate: 'Publication date',
  bookImg: 'Cover URL',
  copies: 'Copies',
  addCopies: 'Add copies',
  add: 'Add',
  added: (count: number) => `Added ${counted(count, 'copy', 'copies')}.`,
  count: 'Number of copies',
  import: 'Import titles',
  importHint:
    'The file must be in UTF-8. Its first line names the columns: title and author, and optionally isbn, publicationDate, bookImg and copies. A title whose ISBN is already in the catalogue stays as it is. A row without ISBN is a new title. For long files, use the command import-books.',
  file: 'File',
  importRows: 'Import',
  imported: (done: number, total: number) => `${done} of ${counted(total, 'row')}`,
  importResults: (registered: number, there: number, refused: number) =>
    `${registered} added, ${there} known already, ${refused} refused`,
  missingColumn: (name: string) => `The first line has no column ${name}.`,
  noRows: 'The file has no rows.',
  tooManyRows: (limit: number) =>
    `The file has more than ${limit} rows. Use the command import-books.`,
  notNumber: 'copies must be a whole number',
  line: 'Line',
  why: 'Reason',
  unknownEncoding:
    'The file is not text in UTF-8. Save it again as "CSV UTF-8" in your spreadsheet program.',
  guessed: (encoding: string, title: string) =>
    `This file is not in UTF-8. It was read as ${encoding}. Its first title is "${title}". Is that right?`,
  importGuessed: (encoding: string) => `Import as ${encoding}`,
  drop: 'Drop a CSV file here, or choose one.',
  rate: (perSecond: number, leftSeconds: number) =>
    `${perSecond < 10 ? perSecond.toFixed(1) : perSecond.toFixed(0)} rows a second, about ${duration(leftSeconds)} left`,
  faults: (count: number) => `Download ${counted(count, 'refused row')}`,
  faultsFile: 'refused-rows.csv',
};

export type AdminTexts = typeof englishAdmin;
