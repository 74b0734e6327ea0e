import {
  BOOK_INFO_KEYS,
  expectKeys,
  INSTANT,
  isbn10Of,
  newIsbn13,
  openLibrary,
  succeeded,
  uniqueWord,
  type BookInfo,
  type Library,
} from '../../support/clients/books';
import { expectFaults, expectProblem } from '../../support/clients/problems';

/** POST /api/book-infos */

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

const register = (body: unknown, query = '') =>
  library.manage('post', `/api/book-infos${query}`, body);
/** The least that is accepted. */
const least = () => ({ title: `Title ${uniqueWord()}`, author: `Author ${uniqueWord()}` });

describe('a registration', () => {
  it('is 201 with Location and the whole BookInfo', async () => {
    const isbn = newIsbn13();
    const body = {
      ...least(),
      isbn,
      publicationDate: '2001-02-03',
      bookImg: 'https://img.example/a.jpg',
      copies: 3,
    };
    const response = await register(body);
    const made: BookInfo = succeeded(response, 201);
    expectKeys(made, BOOK_INFO_KEYS);
    const { copies, ...attributes } = body;
    expect(made).toMatchObject({
      ...attributes,
      totalStock: copies,
      availableStock: copies,
      version: 1,
    });
    expect(made.bookInfoId).toEqual(expect.any(Number));
    expect(made.authorId).toEqual(expect.any(Number));
    expect([made.createdAt, made.modifiedAt]).toEqual([
      expect.stringMatching(INSTANT),
      made.createdAt,
    ]);
    expect(response.headers.location).toBe(`/api/book-infos/${made.bookInfoId}`);
    expect((await library.call('get', response.headers.location ?? '')).body).toEqual(made);
  });

  it('without the optional fields sends nulls and has no copies', async () => {
    const made: BookInfo = succeeded(await register(least()), 201);
    expectKeys(made, BOOK_INFO_KEYS);
    expect(made).toMatchObject({
      isbn: null,
      publicationDate: null,
      bookImg: null,
      totalStock: 0,
      availableStock: 0,
    });
    expect(await library.copies(made.bookInfoId)).toMatchObject({
      items: [],
      totalStock: 0,
      availableStock: 0,
    });
  });

  it('takes null for what may be null', async () => {
    const made: BookInfo = succeeded(
      await register({ ...least(), isbn: null, publicationDate: null, bookImg: null }),
      201,
    );
    expect(made).toMatchObject({ isbn: null, publicationDate: null, bookImg: null });
  });

  it('trims title and author and composes their accents', async () => {
    const word = uniqueWord();
    const made: BookInfo = succeeded(
      await register({ title: `  Cafe\u0301 ${word}\u00a0 `, author: ` E\u0301mile ${word} ` }),
      201,
    );
    expect(made).toMatchObject({ title: `Caf\u00e9 ${word}`, author: `\u00c9mile ${word}` });
  });

  it.each([
    '토지',
    '百年孤独',
    'Ünïcödé ß',
    '📚 emoji',
    'O\'Brien "quoted" \\ back',
    '100%_',
    'a'.repeat(255),
    '책'.repeat(255),
    '😀'.repeat(255),
  ])('keeps the text %p as it is', async (text) => {
    const made: BookInfo = succeeded(await register({ title: text, author: text }), 201);
    expect(await library.detail(made.bookInfoId)).toMatchObject({ title: text, author: text });
  });

  it.each(['0001-01-01', '0050-02-01', '1900-02-28', '1969-12-31', '2000-02-29', '9999-12-31'])(
    'keeps %s as a whole day',
    async (publicationDate) => {
      const made: BookInfo = succeeded(await register({ ...least(), publicationDate }), 201);
      expect(made.publicationDate).toBe(publicationDate);
      expect((await library.detail(made.bookInfoId)).publicationDate).toBe(publicationDate);
    },
  );

  it('takes up to 1000 copies at once', async () => {
    const made: BookInfo = succeeded(await register({ ...least(), copies: 1000 }), 201);
    expect(made).toMatchObject({ totalStock: 1000, availableStock: 1000 });
    expect(
      (await library.call('get', `/api/book-infos/${made.bookInfoId}/books`)).body.totalItems,
    ).toBe(1000);
  });
});

describe('the author', () => {
  it('of the same name is the same author', async () => {
    const author = `Author ${uniqueWord()}`;
    const [first, second] = [
      await library.registered({ author }),
      await library.registered({ author }),
    ];
    expect(second.authorId).toBe(first.authorId);
  });

  it('whose name differs in case or an accent is another one', async () => {
    const word = uniqueWord();
    const names = [`Rene ${word}`, `René ${word}`, `RENE ${word}`];
    const made = [];
    for (const author of names) made.push(await library.registered({ author }));
    expect(made.map(({ author }) => author)).toEqual(names);
    expect(new Set(made.map(({ authorId }) => authorId)).size).toBe(3);
  });
});

describe('the same ISBN again', () => {
  it('is the same book: 200, its copies added, its attributes unchanged', async () => {
    const first = await library.registered({ copies: 2 });
    const again = await register({
      title: 'Another title',
      author: 'Another author',
      publicationDate: '2020-01-01',
      isbn: first.isbn,
      copies: 3,
    });
    const body: BookInfo = succeeded(again, 200);
    expectKeys(body, BOOK_INFO_KEYS);
    expect(body).toEqual({ ...first, totalStock: 5, availableStock: 5 });
    expect(await library.detail(first.bookInfoId)).toEqual(body);
    expect(await library.copyIds(first.bookInfoId)).toHaveLength(5);
  });

  it('without copies changes nothing and is 200', async () => {
    const first = await library.registered({ copies: 1 });
    expect(succeeded(await register({ ...least(), isbn: first.isbn }), 200)).toEqual(first);
  });

  it('is the same book however the ISBN is written', async () => {
    const isbn = newIsbn13();
    const ten = isbn10Of(isbn);
    const first = await library.registered({ isbn: ten, copies: 1 });
    const spellings = [
      isbn,
      ten,
      `${isbn.slice(0, 3)}-${isbn.slice(3)}`,
      ` ${ten.slice(0, 1)} ${ten.slice(1).toLowerCase()} `,
    ];
    for (const spelling of spellings)
      expect(
        succeeded(await register({ ...least(), isbn: spelling, copies: 1 }), 200).bookInfoId,
      ).toBe(first.bookInfoId);
    expect((await library.detail(first.bookInfoId)).totalStock).toBe(5);
  });

  it('with onDuplicate=add is 200 too', async () => {
    const { isbn, bookInfoId } = await library.registered();
    expect(
      succeeded(await register({ ...least(), isbn, copies: 1 }, '?onDuplicate=add'), 200),
    ).toMatchObject({ bookInfoId, totalStock: 1 });
  });

  it('with onDuplicate=reject is 409 ISBN_ALREADY_REGISTERED with the id of the title, and adds nothing', async () => {
    const { isbn, bookInfoId } = await library.registered({ copies: 1 });
    expectProblem(
      await register({ ...least(), isbn, copies: 1 }, '?onDuplicate=reject'),
      409,
      'ISBN_ALREADY_REGISTERED',
      { bookInfoId },
    );
    expect(await library.copyIds(bookInfoId)).toHaveLength(1);
  });

  it('onDuplicate=reject lets a new ISBN in', async () => {
    expect((await register({ ...least(), isbn: newIsbn13() }, '?onDuplicate=reject')).status).toBe(
      201,
    );
  });
});

it('without an ISBN every registration is a new title, also with equal attributes', async () => {
  const body = { ...least(), copies: 1 };
  const [first, second] = [
    succeeded(await register(body), 201),
    succeeded(await register(body), 201),
  ];
  expect(second.bookInfoId).not.toBe(first.bookInfoId);
  expect([first.totalStock, second.totalStock]).toEqual([1, 1]);
});

describe('a registration is 400 VALIDATION_FAILED and says why', () => {
  const long = 'a'.repeat(256);
  it.each<[string, object, Record<string, string>]>([
    [
      'no field at all',
      { title: undefined, author: undefined },
      { title: 'REQUIRED', author: 'REQUIRED' },
    ],
    ['no title', { title: undefined }, { title: 'REQUIRED' }],
    ['no author', { author: undefined }, { author: 'REQUIRED' }],
    ['a title of null', { title: null }, { title: 'INVALID_TYPE' }],
    ['an author of null', { author: null }, { author: 'INVALID_TYPE' }],
    ['an empty title', { title: '' }, { title: 'TOO_SHORT' }],
    ['a blank title', { title: '  ' }, { title: 'TOO_SHORT' }],
    ['a blank author', { author: ' ' }, { author: 'TOO_SHORT' }],
    ['a title of 256 characters', { title: long }, { title: 'TOO_LONG' }],
    ['an author of 256 characters', { author: long }, { author: 'TOO_LONG' }],
    ['a title of two lines', { title: 'one\ntwo' }, { title: 'INVALID_FORMAT' }],
    ['half a surrogate pair', { author: 'a\ud800' }, { author: 'INVALID_FORMAT' }],
    ['a title that is a number', { title: 1984 }, { title: 'INVALID_TYPE' }],
    [
      'a day that does not exist',
      { publicationDate: '2023-02-29' },
      { publicationDate: 'INVALID_FORMAT' },
    ],
    [
      'a date in another form',
      { publicationDate: '2023-1-1' },
      { publicationDate: 'INVALID_FORMAT' },
    ],
    [
      'an instant for a date',
      { publicationDate: '2023-01-01T00:00:00Z' },
      { publicationDate: 'INVALID_FORMAT' },
    ],
    ['the year 0', { publicationDate: '0000-01-01' }, { publicationDate: 'INVALID_FORMAT' }],
    ['a date that is a number', { publicationDate: 2023 }, { publicationDate: 'INVALID_TYPE' }],
    ['an image that is no URL', { bookImg: 'cover.jpg' }, { bookImg: 'INVALID_FORMAT' }],
    ['an image at a script', { bookImg: 'javascript:alert(1)' }, { bookImg: 'INVALID_FORMAT' }],
    [
      'an image URL of 256 characters',
      { bookImg: `https://img.example/${'a'.repeat(236)}` },
      { bookImg: 'TOO_LONG' },
    ],
    ['an ISBN that is a number', { isbn: 9780306406157 }, { isbn: 'INVALID_TYPE' }],
    ['copies below 0', { copies: -1 }, { copies: 'OUT_OF_RANGE' }],
    ['copies above 1000', { copies: 1001 }, { copies: 'OUT_OF_RANGE' }],
    ['copies with a fraction', { copies: 1.5 }, { copies: 'INVALID_TYPE' }],
    ['copies as a text', { copies: '1' }, { copies: 'INVALID_TYPE' }],
    ['copies of null', { copies: null }, { copies: 'INVALID_TYPE' }],
    ['a field that does not exist', { colour: 'red' }, { colour: 'UNKNOWN_FIELD' }],
    [
      'a stock',
      { totalStock: 1, availableStock: 1 },
      { totalStock: 'UNKNOWN_FIELD', availableStock: 'UNKNOWN_FIELD' },
    ],
    [
      'several faults at once',
      { title: '', copies: -1, colour: 'red' },
      { title: 'TOO_SHORT', copies: 'OUT_OF_RANGE', colour: 'UNKNOWN_FIELD' },
    ],
  ])('%s', async (_name, fields, faults) => {
    expectFaults(await register({ ...least(), ...fields }), faults);
  });

  it('onDuplicate is add or reject, and no other parameter is known', async () => {
    expectFaults(await register(least(), '?onDuplicate=replace'), { onDuplicate: 'INVALID_VALUE' });
    expectFaults(await register(least(), '?dryRun=true'), { dryRun: 'UNKNOWN_PARAMETER' });
  });

  it('an image URL of 255 characters is not too long', async () => {
    const bookImg = `https://img.example/${'a'.repeat(235)}`;
    expect((await library.registered({ bookImg })).bookImg).toBe(bookImg);
  });
});
