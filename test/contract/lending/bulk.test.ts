import { randomUUID } from 'node:crypto';
import type { Response } from 'supertest';
import {
  newIsbn13,
  openLibrary,
  succeeded,
  uniqueWord,
  type Library,
} from '../../support/clients/books';
import { expectFaults, expectProblem } from '../../support/clients/problems';
import type { Reader } from '../../support/clients/requests';
import { waitUntil } from '../../support/wait';

/** POST /api/borrows/bulk, POST /api/returns/bulk and POST /api/book-infos/bulk */

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

type Kind = 'borrows' | 'returns';
interface Item {
  readonly status: string;
  readonly httpStatus: number | null;
  readonly result: Record<string, unknown> | null;
  readonly problem: Record<string, unknown> | null;
  readonly commandId: string | null;
  readonly statusUrl: string | null;
}

const send = (
  kind: Kind,
  { token }: Pick<Reader, 'token'>,
  items: readonly unknown[],
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  library.call('post', `/api/${kind}/bulk`, { token, body: { items }, headers });
const sent = async (...given: Parameters<typeof send>): Promise<Item[]> =>
  (succeeded(await send(...given), 200) as { items: Item[] }).items;
/** How each item ended: its status, or the code of its problem. */
const ends = (items: readonly Item[]) =>
  items.map(({ httpStatus, problem }) => problem?.['code'] ?? httpStatus);
const titles = (count: number, copies = 1) =>
  Promise.all(
    Array.from({ length: count }, async () => (await library.registered({ copies })).bookInfoId),
  );

describe('many at a time', () => {
  it('get the same results as single calls, in the order of the items', async () => {
    const reader = library.newReader();
    const [free = 0, mine = 0, out = 0] = await titles(3);
    const { borrowId } = await library.borrowed(reader, { bookInfoId: mine });
    await library.borrowed(library.newReader(), { bookInfoId: out });
    const unknown = library.target.newUserId();
    const other = await library.single();
    const given = [
      { bookInfoId: free },
      { bookInfoId: mine },
      { bookInfoId: out },
      { bookInfoId: unknown },
      { barcode: uniqueWord() },
      { bookInfoId: free, bookId: other.bookId },
      { bookInfoId: free, userId: unknown },
    ];
    const items = await sent('borrows', reader, given);
    expect(ends(items)).toEqual([
      ...[201, 'ALREADY_BORROWED', 'OUT_OF_STOCK', 'BOOK_INFO_NOT_FOUND', 'BOOK_NOT_FOUND'],
      ...['VALIDATION_FAILED', 'FORBIDDEN'],
    ]);
    expect(items.map(({ httpStatus }) => httpStatus)).toEqual([201, 409, 409, 404, 404, 400, 403]);
    const path = `/api/borrows/${String(items[0]?.result?.['borrowId'])}`;
    expect(items[0]).toEqual({
      status: 'succeeded',
      httpStatus: 201,
      result: succeeded(await library.call('get', path, { token: reader.token }), 200) as unknown,
      problem: null,
      commandId: expect.stringMatching(/^[0-9a-f]{40}$/),
      statusUrl: `/api/commands/${items[0]?.commandId}`,
    });
    const single = (await library.borrow(reader, { bookInfoId: mine })).body as object;
    expect(items[1]).toMatchObject({ status: 'failed', result: null });
    expect(items[1]?.problem).toEqual({ ...single, requestId: expect.any(String) });
    expect(items[1]?.problem).toMatchObject({ borrowId });
    // What became no command has none.
    expect(items[4]).toMatchObject({ status: 'failed', commandId: null, statusUrl: null });
  });

  it('come back in the same way, each by what names it', async () => {
    const reader = library.newReader();
    const given = await titles(3);
    const borrows = await sent(
      'borrows',
      reader,
      given.map((bookInfoId) => ({ bookInfoId })),
    );
    const [{ borrowId, bookId } = {}] = borrows.map(({ result }) => result ?? {});
    const items = await sent('returns', reader, [
      { borrowId, bookId },
      { bookInfoId: given[1] },
      { bookInfoId: given[1] },
      { bookInfoId: given[2] },
    ]);
    expect(ends(items)).toEqual([200, 200, 'BORROW_NOT_FOUND', 200]);
    expect(items[0]?.result).toMatchObject({ borrowId, status: 'RETURNED' });
    expect((await library.histories(reader, '?returned=false')).body.items).toEqual([]);
  });

  it('of one title are carried out in their order', async () => {
    const readers = Array.from({ length: 40 }, () => library.newReader());
    for (const reader of readers) await library.seen(reader);
    const [bookInfoId = 0, other = 0] = await titles(2, 25);
    const given = readers.flatMap(({ userId }) => [
      { bookInfoId, userId },
      { bookInfoId: other, userId },
    ]);
    const items = await sent('borrows', { token: library.target.admin }, given);
    for (const title of [bookInfoId, other]) {
      const ofTitle = items.filter((_item, index) => given[index]?.bookInfoId === title);
      expect(ends(ofTitle)).toEqual([
        ...Array<number>(25).fill(201),
        ...Array<string>(15).fill('OUT_OF_STOCK'),
      ]);
      const ids = ofTitle.slice(0, 25).map(({ result }) => result?.['borrowId'] as number);
      expect(ids).toEqual([...ids].sort((a, b) => a - b));
    }
  });
});

describe('many titles', () => {
  const register = (items: readonly unknown[], query = '') =>
    library.manage('post', `/api/book-infos/bulk${query}`, { items });
  const book = (fields: Readonly<Record<string, unknown>> = {}) => ({
    ...{ title: uniqueWord(), author: 'Ann', isbn: null },
    ...fields,
  });

  it('get the same results as single calls, in the order of the items', async () => {
    const { isbn, bookInfoId, title } = await library.registered({ copies: 1 });
    const given = [
      book({ isbn: newIsbn13(), copies: 2 }),
      book({ isbn, copies: 1 }),
      book({ publicationDate: '1965-08-01' }),
    ];
    const { items } = succeeded(await register(given), 200) as { items: Item[] };
    expect(ends(items)).toEqual([201, 200, 201]);
    expect(items.map(({ result }) => result)).toMatchObject([
      { ...{ isbn: given[0]?.isbn, title: given[0]?.title }, totalStock: 2 },
      { bookInfoId, title, totalStock: 2 },
      { ...given[2], totalStock: 0 },
    ]);
    for (const { result } of items)
      expect(await library.detail(result?.['bookInfoId'] as number)).toEqual(result);
  });

  it('are refused one by one where their ISBN must be new', async () => {
    const { isbn, bookInfoId } = await library.registered();
    const twice = book({ isbn: newIsbn13() });
    const given = [book({ isbn }), twice, twice];
    const { items } = succeeded(await register(given, '?onDuplicate=reject'), 200) as {
      items: Item[];
    };
    expect(ends(items)).toEqual(['ISBN_ALREADY_REGISTERED', 201, 'ISBN_ALREADY_REGISTERED']);
    expect(items[0]?.problem).toMatchObject({ bookInfoId });
  });

  it('are refused together when one of them breaks a rule, and none is registered', async () => {
    const [first, second] = [book(), book({ isbn: '123', copies: -1 })];
    expectFaults(await register([first, second]), {
      'items[1].isbn': 'INVALID_ISBN',
      'items[1].copies': 'OUT_OF_RANGE',
    });
    const { body } = await library.call('get', `/api/book-infos?q=${first.title}`);
    expect(body.totalItems).toBe(0);
  });
});

describe('with an Idempotency-Key', () => {
  it('have one effect and the same answers, however often they are sent', async () => {
    const reader = library.newReader();
    const given = (await titles(5)).map((bookInfoId) => ({ bookInfoId }));
    const headers = { 'Idempotency-Key': randomUUID() };
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => sent('borrows', reader, given, headers)),
    );
    answers.push(await sent('borrows', reader, given, headers));
    expect(ends(answers[0] ?? [])).toEqual([201, 201, 201, 201, 201]);
    for (const items of answers) expect(items).toEqual(answers[0]);
    expect((await library.histories(reader)).body.totalItems).toBe(5);
  });

  it('are 422 with other items, and nothing is done', async () => {
    const reader = library.newReader();
    const [one, other] = (await titles(2)).map((bookInfoId) => ({ bookInfoId }));
    const headers = { 'Idempotency-Key': randomUUID() };
    await sent('borrows', reader, [one], headers);
    for (const items of [[other], [one, other], [other, one]])
      expectProblem(await send('borrows', reader, items, headers), 422, 'IDEMPOTENCY_KEY_REUSED');
    expect((await library.histories(reader)).body.totalItems).toBe(1);
  });
});

describe('that are not waited for', () => {
  it('are queued with a status URL, and end like single calls', async () => {
    const reader = library.newReader();
    const [bookInfoId = 0] = await titles(1);
    const given = [{ bookInfoId }, { bookInfoId }, { barcode: uniqueWord() }];
    const response = await send('borrows', reader, given, { Prefer: 'respond-async' });
    expect(response.headers['preference-applied']).toBe('respond-async');
    const { items } = succeeded(response, 200) as { items: Item[] };
    expect(items.map(({ status }) => status)).toEqual(['queued', 'queued', 'failed']);
    expect(items[0]).toMatchObject({ httpStatus: null, result: null, problem: null });
    const states: string[] = [];
    for (const { statusUrl } of items.slice(0, 2)) {
      const path = `${statusUrl}?wait=30`;
      const { body } = await library.call('get', path, { token: reader.token });
      states.push(body.status as string);
    }
    expect(states).toEqual(['succeeded', 'failed']);
    await waitUntil(
      'the borrow is there',
      30_000,
      async () => (await library.histories(reader)).body.totalItems === 1,
    );
  });
});

describe('400', () => {
  it('points to the member of the item', async () => {
    const reader = library.newReader();
    const { body } = await send('borrows', reader, [{ bookInfoId: 1 }, { bookInfoId: 0 }]);
    expect(body.errors).toMatchObject([
      { field: 'items[1].bookInfoId', pointer: '#/items/1/bookInfoId' },
    ]);
  });

  it.each<[string, unknown, Record<string, string>]>([
    ['no items', [], { items: 'TOO_SHORT' }],
    [
      'more than 100',
      Array.from({ length: 101 }, () => ({ bookInfoId: 1 })),
      { items: 'TOO_LONG' },
    ],
    ['no list', {}, { items: 'INVALID_TYPE' }],
    ['an item that is none', [{ bookInfoId: 1 }, 7], { 'items[1]': 'INVALID_TYPE' }],
    ['an item that names nothing', [{}], { 'items[0]': 'REQUIRED' }],
    [
      'bad fields',
      [{ bookInfoId: 1 }, { bookInfoId: '1' }, { bookId: 0 }, { bookInfoId: 1, colour: 'red' }],
      {
        'items[1].bookInfoId': 'INVALID_TYPE',
        'items[2].bookId': 'OUT_OF_RANGE',
        'items[3].colour': 'UNKNOWN_FIELD',
      },
    ],
    ['a bad text', [{ barcode: 'A\u0000' }], { 'items[0].barcode': 'INVALID_FORMAT' }],
    [
      'more bad fields than are told',
      [Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`k${index}`, 0]))],
      Object.fromEntries(
        Array.from({ length: 50 }, (_, index) => [`items[0].k${index}`, 'UNKNOWN_FIELD']),
      ),
    ],
  ])('for %s, and nothing is done', async (_name, items, faults) => {
    for (const kind of ['borrows', 'returns'] as const)
      expectFaults(
        await library.call('post', `/api/${kind}/bulk`, {
          token: library.newReader().token,
          body: { items },
        }),
        faults,
      );
  });
});
