import {
  BOOK_INFO_KEYS,
  expectKeys,
  isbn10Of,
  LIST_KEYS,
  newIsbn13,
  openLibrary,
  uniqueWord,
  type BookInfo,
  type Library,
} from '../../support/clients/books';
import { expectFaults } from '../../support/clients/problems';

/** GET /api/book-infos: what the filters find. */

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

type Filters = Readonly<Record<string, string>>;
const search = async (filters: Filters) =>
  library.call('get', `/api/book-infos?${new URLSearchParams(filters).toString()}`);

async function idsFound(filters: Filters): Promise<number[]> {
  const { status, body } = await search(filters);
  expect(status).toBe(200);
  return ordered(...(body.items as BookInfo[]).map(({ bookInfoId }) => bookInfoId));
}

const ordered = (...ids: (number | undefined)[]): number[] =>
  (ids as number[]).sort((a, b) => a - b);

/** New titles; their ids as they came, which need not be their order: each worker has its own. */
async function registered(...titles: object[]): Promise<number[]> {
  const ids = [];
  for (const title of titles) ids.push((await library.registered({ ...title })).bookInfoId);
  return ids;
}

it('counts a title once that q finds by its title and by its author', async () => {
  // Short enough to be looked for as a whole.
  const word = uniqueWord().slice(0, 12);
  const [both] = await registered(
    { title: `Life of ${word}`, author: word },
    { title: 'Another', author: uniqueWord() },
  );
  const { body } = await search({ q: word });
  expect([body.totalItems, body.items.length, body.items[0].bookInfoId]).toEqual([1, 1, both]);
});

describe('a text q that nothing has as a whole', () => {
  it('finds the titles that have each of its words in the title or the author, in any order', async () => {
    const [one, two, name] = [uniqueWord(), uniqueWord(), uniqueWord()];
    const [both] = await registered(
      { title: `${one} of the ${two}`, author: `Ada ${name}` },
      { title: `${one} alone`, author: `Ada ${name}` },
      { title: `${one} of the ${two}`, author: 'Nobody' },
    );
    expect(await idsFound({ q: `${name}, the ${two} ${one}` })).toEqual([both]);
    expect(await idsFound({ q: `${name} ${one} ${uniqueWord()}` })).toEqual([]);
    expect(await idsFound({ title: `${two} ${one}` })).toEqual([]);
    expect(await idsFound({ q: `${name} ${one}`, available: 'true' })).toEqual([]);
  });

  it('finds accents and apostrophes where none were typed, and the other way round', async () => {
    const word = uniqueWord().slice(0, 12);
    const [accented, apostrophe] = await registered(
      { title: `L\u2019\u00e9t\u00e9 ${word}\u00f8\u00e9`, author: 'A' },
      { title: `${word}'s Caf\u00e9`, author: 'A' },
    );
    expect(await idsFound({ q: `lete ${word}oe` })).toEqual([accented]);
    expect(await idsFound({ q: `${word}s cafe` })).toEqual([apostrophe]);
    const [bare] = await registered({ title: `Cafe ${word}x`, author: 'A' });
    expect(await idsFound({ q: `caf\u00e9 ${word}x` })).toEqual([bare]);
  });

  it('finds them by the name that a title got, and not by the one that it had', async () => {
    const name = () => `${uniqueWord().slice(0, 12)}\u00e9`;
    const [before, after] = [name(), name()];
    const [id] = await registered({ title: before });
    const path = `/api/book-infos/${id}`;
    expect((await library.manage('patch', path, { title: after })).status).toBe(200);
    expect(await idsFound({ q: after.replace('\u00e9', 'e') })).toEqual([id]);
    expect(await idsFound({ q: before.replace('\u00e9', 'e') })).toEqual([]);
  });
});

it('lists whole BookInfos', async () => {
  const title = await library.registered({ copies: 2 });
  const { body } = await search({ title: title.title });
  expectKeys(body, LIST_KEYS);
  expect(body).toEqual({ items: [title], page: 1, size: 20, totalItems: 1, totalPages: 1 });
  expectKeys(body.items[0], BOOK_INFO_KEYS);
});

it('without a match is 200 and an empty list', async () => {
  expect((await search({ q: uniqueWord() })).body).toEqual({
    items: [],
    page: 1,
    size: 20,
    totalItems: 0,
    totalPages: 0,
  });
});

describe.each(['title', 'author'])('the filter %s', (field) => {
  it('finds a part anywhere in the text', async () => {
    const word = uniqueWord();
    const [first, middle, last] = await registered(
      { [field]: `${word} one` },
      { [field]: `the${word}two` },
      { [field]: `three ${word}` },
    );
    expect(await idsFound({ [field]: word })).toEqual(ordered(first, middle, last));
    expect(await idsFound({ [field]: `e${word}t` })).toEqual([middle]);
  });

  it('is trimmed', async () => {
    const word = uniqueWord();
    const ids = await registered({ [field]: word });
    expect(await idsFound({ [field]: `  ${word}\u00a0` })).toEqual(ordered(...ids));
  });

  it('takes no notice of case, in any script', async () => {
    const word = uniqueWord();
    const ids = await registered(
      { [field]: `Ärger ÉTÉ ДОМ ${word}` },
      { [field]: `ärger été дом ${word.toUpperCase()}` },
    );
    for (const text of [`ärger été дом ${word}`, `ÄRGER ÉTÉ ДОМ ${word.toUpperCase()}`])
      expect(await idsFound({ [field]: text })).toEqual(ordered(...ids));
  });

  it('finds accents however they are composed, and tells them from letters without', async () => {
    const word = uniqueWord();
    const [composed] = await registered(
      { [field]: `caf\u00e9 ${word}` },
      { [field]: `cafe ${word}` },
    );
    expect(await idsFound({ [field]: `cafe\u0301 ${word}` })).toEqual([composed]);
    expect(await idsFound({ [field]: `caf\u00c9 ${word}` })).toEqual([composed]);
  });

  it('finds Korean, also when it is sent letter by letter', async () => {
    const word = uniqueWord();
    const [whole, other] = await registered(
      { [field]: `토지 전집 ${word}` },
      { [field]: `토끼 ${word}` },
    );
    expect(await idsFound({ [field]: `토지 전집 ${word}` })).toEqual([whole]);
    expect(await idsFound({ [field]: `전집 ${word}`.normalize('NFD') })).toEqual([whole]);
    expect(await idsFound({ [field]: `끼 ${word}` })).toEqual([other]);
  });

  it.each(['%', '_', '\\', '!', "'", '"', '\\%', '%%', '*', '?', '[a]', '`', '--', ';'])(
    'takes %p literally',
    async (sign) => {
      const word = uniqueWord();
      const [exact] = await registered(
        { [field]: `${word}${sign}end` },
        { [field]: `${word}Xend` },
        { [field]: `${word}XXend` },
        { [field]: `${word}aend` },
      );
      expect(await idsFound({ [field]: `${word}${sign}end` })).toEqual([exact]);
    },
  );

  it('that is blank filters nothing', async () => {
    const word = uniqueWord();
    const ids = await registered({ title: word, author: word });
    expect(await idsFound({ q: word, [field]: '' })).toEqual(ordered(...ids));
    expect(await idsFound({ q: word, [field]: '  ' })).toEqual(ordered(...ids));
  });

  it('looks at no other field', async () => {
    const word = uniqueWord();
    await registered({ [field === 'title' ? 'author' : 'title']: word });
    expect(await idsFound({ [field]: word })).toEqual([]);
  });
});

describe('the filter isbn', () => {
  it('finds a part, written with hyphens and spaces or without', async () => {
    const isbn = newIsbn13();
    const ids = await registered({ isbn });
    const part = isbn.slice(1, 12);
    for (const text of [
      isbn,
      part,
      `${part.slice(0, 4)}-${part.slice(4)}`,
      ` ${part.slice(0, 2)} ${part.slice(2)} `,
    ])
      expect(await idsFound({ isbn: text })).toEqual(ordered(...ids));
  });

  it('finds the title that was registered under the other length', async () => {
    const isbn = newIsbn13();
    const ids = await registered({ isbn });
    expect(await idsFound({ isbn: isbn10Of(isbn) })).toEqual(ordered(...ids));
  });

  it('finds nothing for a text that no ISBN contains', async () => {
    const word = uniqueWord();
    await registered({ title: word });
    for (const isbn of [
      '%',
      '_',
      '978%',
      '_'.repeat(13),
      '한글로쓴열세글자입니다아',
      '가'.repeat(13),
      '가'.repeat(10),
    ])
      expect(await idsFound({ title: word, isbn })).toEqual([]);
  });
});

describe('the filter q', () => {
  it('finds what has the text in title, author or ISBN', async () => {
    const word = uniqueWord();
    const isbn = newIsbn13();
    const ids = await registered({ title: `a ${word}` }, { author: `${word} b` }, { isbn });
    expect(await idsFound({ q: word.toUpperCase() })).toEqual(ordered(...ids.slice(0, 2)));
    expect(await idsFound({ q: isbn })).toEqual(ids.slice(2));
  });

  it('finds digits in a title as well as in an ISBN', async () => {
    const isbn = newIsbn13();
    const ids = await registered({ title: `About ${isbn}` }, { isbn });
    expect(await idsFound({ q: isbn })).toEqual(ordered(...ids));
  });

  it('takes %, _ and \\ literally', async () => {
    const word = uniqueWord();
    const [percent, underscore, backslash] = await registered(
      { title: `${word}%` },
      { author: `${word}_` },
      { title: `${word}\\` },
    );
    expect(await idsFound({ q: `${word}%` })).toEqual([percent]);
    expect(await idsFound({ q: `${word}_` })).toEqual([underscore]);
    expect(await idsFound({ q: `${word}\\` })).toEqual([backslash]);
  });
});

describe('the filters publishedFrom and publishedTo', () => {
  it('are whole days, both ends included, and a title without a date is in no range', async () => {
    const title = uniqueWord();
    const dates = ['0099-12-31', '1999-12-31', '2000-01-01', '2000-01-02', '9999-12-31', null];
    const ids = await registered(...dates.map((publicationDate) => ({ title, publicationDate })));
    const [first, , third] = ids;
    expect(await idsFound({ title, publishedFrom: '2000-01-01' })).toEqual(
      ordered(...ids.slice(2, 5)),
    );
    expect(await idsFound({ title, publishedTo: '2000-01-01' })).toEqual(
      ordered(...ids.slice(0, 3)),
    );
    expect(
      await idsFound({ title, publishedFrom: '2000-01-01', publishedTo: '2000-01-01' }),
    ).toEqual([third]);
    expect(
      await idsFound({ title, publishedFrom: '0001-01-01', publishedTo: '9999-12-31' }),
    ).toEqual(ordered(...ids.slice(0, 5)));
    expect(await idsFound({ title, publishedTo: '0099-12-31' })).toEqual([first]);
    expect(
      await idsFound({ title, publishedFrom: '2000-01-02', publishedTo: '2000-01-01' }),
    ).toEqual([]);
  });
});

describe('the filter available', () => {
  it('true finds titles with a copy to borrow, false those without', async () => {
    const title = uniqueWord();
    const [none, onLoan, free] = await registered(
      { title },
      { title, copies: 1 },
      { title, copies: 2 },
    );
    for (const bookInfoId of [onLoan, free])
      await library.borrowed(library.newReader(), { bookInfoId });
    expect(await idsFound({ title, available: 'true' })).toEqual([free]);
    expect(await idsFound({ title, available: 'false' })).toEqual(ordered(none, onLoan));
    expect(await idsFound({ title })).toEqual(ordered(none, onLoan, free));
  });
});

it('all filters must hold together', async () => {
  const word = uniqueWord();
  const full = {
    title: `Title ${word}`,
    author: `Author ${word}`,
    isbn: newIsbn13(),
    publicationDate: '2010-10-10',
    copies: 1,
  };
  const [id] = await registered(
    full,
    { title: full.title },
    { author: full.author },
    { title: full.title, author: full.author, publicationDate: '2011-01-01', copies: 1 },
  );
  const filters = {
    title: word,
    author: word,
    isbn: full.isbn,
    q: word,
    publishedFrom: '2010-01-01',
    publishedTo: '2010-12-31',
    available: 'true',
  };
  expect(await idsFound(filters)).toEqual([id]);
  for (const other of [
    { title: 'no' },
    { author: 'no' },
    { isbn: newIsbn13() },
    { q: uniqueWord() },
    { publishedFrom: '2010-10-11' },
    { publishedTo: '2010-10-09' },
    { available: 'false' },
  ]) {
    expect(await idsFound({ ...filters, ...other })).toEqual([]);
  }
});

describe('400 VALIDATION_FAILED for', () => {
  it.each<[string, string, Record<string, string>]>([
    ['an unknown parameter', 'publisher=x', { publisher: 'UNKNOWN_PARAMETER' }],
    ['a parameter in another case', 'Title=x', { Title: 'UNKNOWN_PARAMETER' }],
    ['a repeated parameter', 'title=a&title=b', { title: 'REPEATED_PARAMETER' }],
    ['available that is neither true nor false', 'available=yes', { available: 'INVALID_VALUE' }],
    ['available of 1', 'available=1', { available: 'INVALID_VALUE' }],
    ['available in capitals', 'available=TRUE', { available: 'INVALID_VALUE' }],
    [
      'a from-day that does not exist',
      'publishedFrom=2023-02-30',
      { publishedFrom: 'INVALID_FORMAT' },
    ],
    ['a to-day in another form', 'publishedTo=2023', { publishedTo: 'INVALID_FORMAT' }],
    ['a title of 256 characters', `title=${'a'.repeat(256)}`, { title: 'TOO_LONG' }],
    ['a control character', 'author=a%00b', { author: 'INVALID_FORMAT' }],
    [
      'several faults at once',
      'available=no&publishedTo=x&nothing=',
      { available: 'INVALID_VALUE', publishedTo: 'INVALID_FORMAT', nothing: 'UNKNOWN_PARAMETER' },
    ],
  ])('%s', async (_name, query, faults) => {
    expectFaults(await library.call('get', `/api/book-infos?${query}`), faults);
  });
});
