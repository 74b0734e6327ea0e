import {
  type BOOK_COLUMNS,
  cleanBookRow,
  type BookToRegister,
} from '../../../../workers/ops/imports/book-row';
import type { RawCells } from '../../../../workers/ops/imports/row-format';
import { refusalOf } from './refusal';

type BookCells = RawCells<(typeof BOOK_COLUMNS)[number]>;
const PLAIN: BookCells = { title: 'Emma', author: 'Jane Austen' };

function clean(
  cells: BookCells,
  copies = 1,
): { book: BookToRegister; warnings: readonly string[] } {
  const warnings: string[] = [];
  return { book: cleanBookRow({ ...PLAIN, ...cells }, copies, warnings), warnings };
}

const reasonOf = (cells: BookCells): string => refusalOf(() => clean(cells));

describe('the isbn of a row', () => {
  it.each([
    ['439023483', '9780439023481', 'gets back one lost zero'],
    ['61120081', '9780061120084', 'gets back two lost zeros'],
    ['7442912', '9780007442911', 'gets back three lost zeros'],
    ['43965548X', '9780439655484', 'keeps its X'],
    ['43965548x', '9780439655484', 'gets a capital X'],
    ['439023483.0', '9780439023481', 'loses the decimal of a data frame'],
    ['0-306-40615-2', '9780306406157', 'loses its hyphens'],
    ['978 0 306 40615 7', '9780306406157', 'loses its blanks'],
  ])('%s becomes %s: it %s', (isbn, expected) => {
    const { book, warnings } = clean({ isbn });
    expect(book.isbn).toBe(expected);
    expect(warnings).toEqual([]);
  });

  it('is kept with a warning when its check digit is wrong', () => {
    const { book, warnings } = clean({ isbn: '812971060' });
    expect(book.isbn).toBe('0812971060');
    expect(warnings).toEqual([expect.stringContaining('0812971060')]);
  });

  it.each(['9.78043902348e+12', '9.78E12', '0', '0000000000'])(
    'is left out with a warning when it is %s',
    (isbn) => {
      const { book, warnings } = clean({ isbn });
      expect(book.isbn).toBeNull();
      expect(warnings).toHaveLength(1);
    },
  );

  it.each(['12x', 'n/a', '1234', '12345678901'])('refuses the row when it is %s', (isbn) => {
    expect(reasonOf({ isbn })).toMatch(/^isbn must be an ISBN/);
  });

  it('comes from isbn13 only when that has all its digits', () => {
    expect(clean({ isbn: '', isbn13: '9780306406157' }).book.isbn).toBe('9780306406157');
    expect(clean({ isbn: '', isbn13: '9.7803064e+12' })).toMatchObject({
      book: { isbn: null },
      warnings: [],
    });
  });
});

describe('the publication date of a row', () => {
  it.each([
    ['2008.0', '2008-01-01'],
    ['2008', '2008-01-01'],
    ['8.0', '0008-01-01'],
    ['9999', '9999-01-01'],
  ])('makes the year %s to %s', (year, expected) => {
    expect(clean({ original_publication_year: year })).toMatchObject({
      book: { publicationDate: expected },
      warnings: [],
    });
  });

  it.each(['-720.0', '0', '0.0', '10000', '', 'c. 1990'])(
    'is left out with a warning for the year "%s"',
    (year) => {
      const { book, warnings } = clean({ original_publication_year: year });
      expect(book.publicationDate).toBeNull();
      expect(warnings).toHaveLength(1);
    },
  );

  it('takes a whole date from our own column, and refuses one that does not exist', () => {
    expect(clean({ publicationdate: '1815-12-23' }).book.publicationDate).toBe('1815-12-23');
    expect(reasonOf({ publicationdate: '2023-02-29' })).toMatch(/^publicationDate/);
    expect(reasonOf({ publicationdate: '23/12/1815' })).toMatch(/^publicationDate/);
  });
});

describe('the title of a row', () => {
  it('is preferred over original_title, which stands in when it is empty', () => {
    expect(clean({ title: 'Emma', original_title: 'Emma, a Novel' }).book.title).toBe('Emma');
    expect(clean({ title: ' ', original_title: 'Emma, a Novel' }).book.title).toBe('Emma, a Novel');
  });

  it('is one line with single blanks, in composed characters', () => {
    expect(clean({ title: ' Cafe\u0301\r\n  Society\t(1) ' }).book.title).toBe('Café Society (1)');
  });

  it('refuses the row when it is empty or too long', () => {
    expect(reasonOf({ title: '' })).toBe('title is empty');
    expect(reasonOf({ title: 'x'.repeat(256) })).toMatch(/^title .*255/);
    expect(clean({ title: 'x'.repeat(255) }).book.title).toHaveLength(255);
  });
});

describe('the author of a row', () => {
  it('is one name, also when several stand in the field', () => {
    expect(clean({ author: '', authors: 'J.K. Rowling, Mary GrandPré' }).book.author).toBe(
      'J.K. Rowling, Mary GrandPré',
    );
  });

  it('is cut to the first names that fit whole when it is too long', () => {
    const names = Array.from({ length: 30 }, (_, index) => `Author Number ${index}`);
    const { book, warnings } = clean({ author: names.join(', ') });
    expect(book.author.length).toBeLessThanOrEqual(255);
    expect(book.author).toBe(`${names.slice(0, 14).join(', ')} et al.`);
    expect(warnings).toHaveLength(1);
  });

  it('refuses the row when it is empty, or one name that is too long', () => {
    expect(reasonOf({ author: '  ' })).toBe('author is empty');
    expect(reasonOf({ author: 'x'.repeat(300) })).toMatch(/^author is longer/);
  });
});

describe('the other cells of a row', () => {
  it('are taken from JSON as from CSV, unless they are lists or objects', () => {
    expect(clean({ title: 1984, isbn: 439023483, copies: 2, bookimg: null }).book).toMatchObject({
      title: '1984',
      isbn: '9780439023481',
      copies: 2,
      bookImg: null,
    });
    expect(reasonOf({ authors: ['J.K. Rowling'] })).toBe('authors must be text');
  });

  it('gives the copies of the row, or else the default', () => {
    expect(clean({ copies: '7' }, 3).book.copies).toBe(7);
    expect(clean({ copies: ' ' }, 3).book.copies).toBe(3);
    expect(clean({ copies: '0' }, 3).book.copies).toBe(0);
  });

  it.each(['1001', '-1', '1.5', 'many'])('refuses the row with %s copies', (copies) => {
    expect(reasonOf({ copies })).toMatch(/^copies must be/);
  });

  it('leaves out an image address that the service would refuse, with a warning', () => {
    expect(clean({ image_url: 'https://example.org/a.jpg' })).toMatchObject({
      book: { bookImg: 'https://example.org/a.jpg' },
      warnings: [],
    });
    expect(clean({ bookimg: 'ftp://example.org/a.jpg' })).toMatchObject({
      book: { bookImg: null },
      warnings: [expect.any(String)],
    });
  });
});
