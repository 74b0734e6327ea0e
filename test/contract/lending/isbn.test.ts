import {
  isbn10Of,
  newIsbn13,
  newIsbn13OfX,
  openLibrary,
  uniqueWord,
  withWrongDigit,
  type BookInfo,
  type Library,
} from '../../support/clients/books';
import { expectFaults } from '../../support/clients/problems';

/** How an ISBN is read and kept, the same in registrations, changes and searches. */

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

const grouped = (isbn: string, separator: string): string => Array.from(isbn).join(separator);

/** An ISBN as it is given, and as it is kept. */
type Spelling = () => readonly [given: string, kept: string];
const of13 =
  (spell: (isbn: string) => string, start?: string): Spelling =>
  () => {
    const isbn = newIsbn13(start);
    return [spell(isbn), isbn];
  };

const SPELLINGS: [string, Spelling][] = [
  ['an ISBN-13', of13((isbn) => isbn)],
  ['an ISBN-13 that begins with 979', of13((isbn) => isbn, '979')],
  ['an ISBN-13 with hyphens', of13((isbn) => grouped(isbn, '-'))],
  ['an ISBN-13 with spaces', of13((isbn) => ` ${grouped(isbn, ' ')} `)],
  ['an ISBN-10, as its ISBN-13', of13(isbn10Of)],
  ['an ISBN-10 with hyphens, as its ISBN-13', of13((isbn) => grouped(isbn10Of(isbn), '-'))],
  ['an ISBN-10 of a group that nobody has, as its ISBN-13', of13(isbn10Of, '978699')],
  [
    'an ISBN-10 that ends in X, as its ISBN-13',
    () => {
      const isbn = newIsbn13OfX();
      return [isbn10Of(isbn), isbn];
    },
  ],
  [
    'an ISBN-10 that ends in a small x, as its ISBN-13',
    () => {
      const isbn = newIsbn13OfX();
      return [isbn10Of(isbn).toLowerCase(), isbn];
    },
  ],
  [
    'an ISBN-13 with a wrong check digit, as given',
    () => {
      const isbn = withWrongDigit(newIsbn13());
      return [grouped(isbn, '-'), isbn];
    },
  ],
  [
    'an ISBN-10 with a wrong check digit, as given',
    () => {
      const isbn = withWrongDigit(isbn10Of(newIsbn13()));
      return [grouped(isbn, ' '), isbn];
    },
  ],
  [
    'an ISBN-10 with a wrong X, in upper case',
    () => {
      // Only a right check digit is the X of these nine.
      const nine = isbn10Of(newIsbn13OfX()).slice(0, 8);
      const ten = ['0', '1']
        .map((digit) => `${nine}${digit}`)
        .find((first) => !isbn10Of(`978${first}`).endsWith('X'));
      return [`${ten}x`, `${ten}X`];
    },
  ],
];

const MALFORMED = [
  '',
  ' ',
  '-',
  '123456789',
  '12345678901',
  '123456789012',
  '12345678901234',
  'ABCDEFGHIJ',
  '12345X7890',
  '978030640615X',
  '97803064O6157',
  '٠١٢٣٤٥٦٧٨٩',
];

describe('what is kept', () => {
  it.each(SPELLINGS)('of %s, in a registration', async (_name, spelling) => {
    const [given, kept] = spelling();
    const made = await library.registered({ isbn: given });
    expect(made.isbn).toBe(kept);
    expect((await library.detail(made.bookInfoId)).isbn).toBe(kept);
  });

  it.each(SPELLINGS)('of %s, in a change', async (_name, spelling) => {
    const [given, kept] = spelling();
    const { bookInfoId } = await library.registered({ isbn: null });
    expect(
      (await library.manage('patch', `/api/book-infos/${bookInfoId}`, { isbn: given })).body,
    ).toMatchObject({ bookInfoId, isbn: kept });
  });

  it.each(SPELLINGS)(
    '%s: a search for either spelling finds the title',
    async (_name, spelling) => {
      const [given, kept] = spelling();
      const { bookInfoId } = await library.registered({ isbn: given });
      for (const filter of [given, kept]) {
        for (const parameter of ['isbn', 'q']) {
          const { body } = await library.call(
            'get',
            `/api/book-infos?${parameter}=${encodeURIComponent(filter)}`,
          );
          expect((body.items as BookInfo[]).map((item) => item.bookInfoId)).toEqual([bookInfoId]);
        }
      }
    },
  );
});

describe('INVALID_ISBN', () => {
  const register = (fields: object) =>
    library.manage('post', '/api/book-infos', {
      title: uniqueWord(),
      author: uniqueWord(),
      ...fields,
    });

  it.each(MALFORMED)('%p is not an ISBN of 10 or 13 characters: 400', async (isbn) => {
    expectFaults(await register({ isbn }), { isbn: 'INVALID_ISBN' }, 'INVALID_ISBN');
    const { bookInfoId } = await library.registered({ isbn: null });
    expectFaults(
      await library.manage('patch', `/api/book-infos/${bookInfoId}`, { isbn }),
      { isbn: 'INVALID_ISBN' },
      'INVALID_ISBN',
    );
    expect((await library.detail(bookInfoId)).isbn).toBeNull();
  });

  it('among other faults is one of those that VALIDATION_FAILED names', async () => {
    expectFaults(await register({ isbn: '123', copies: -1 }), {
      isbn: 'INVALID_ISBN',
      copies: 'OUT_OF_RANGE',
    });
  });
});
