import {
  openLibrary,
  succeeded,
  uniqueWord,
  type BookInfo,
  type Library,
} from '../../support/clients/books';
import type { Reader } from '../../support/clients/requests';

/**
 * A read right after a write shows it, whoever asks and whichever API process answers. Everything
 * is read before the write too, so that every cache on the way holds the old state.
 */

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

interface Seen {
  readonly detail: BookInfo | null;
  readonly searched: BookInfo | null;
  readonly free: boolean;
  readonly copies: string[];
  readonly history: string[];
}

interface Subject {
  readonly bookInfoId: number;
  readonly word: string;
  readonly reader: Reader;
}

/** A new title with two copies, and a user who has borrowed nothing. */
async function subject(): Promise<Subject> {
  const word = uniqueWord();
  const { bookInfoId } = await library.registered({ author: word, copies: 2 });
  return { bookInfoId, word, reader: library.newReader() };
}

/** What each API process shows of a title and of a user's borrows. */
async function seenBy({ bookInfoId, word, reader }: Subject): Promise<Seen[]> {
  const [details, searches, available, copies, histories] = await Promise.all([
    library.readEverywhere(`/api/book-infos/${bookInfoId}`),
    library.readEverywhere(`/api/book-infos?author=${word}`),
    library.readEverywhere(`/api/book-infos?author=${word}&available=true`),
    library.readEverywhere(`/api/book-infos/${bookInfoId}/books`),
    library.readEverywhere('/api/borrow-histories', reader.token),
  ]);
  const statuses = (items: { status: string }[] = []) => items.map(({ status }) => status);
  return details.map((detail, index) => ({
    detail: detail.status === 200 ? (detail.body as BookInfo) : null,
    searched: (searches[index]!.body.items as BookInfo[])[0] ?? null,
    free: available[index]?.body.totalItems === 1,
    copies: statuses(copies[index]?.body.items as { status: string }[] | undefined),
    history: statuses(histories[index]?.body.items as { status: string }[]),
  }));
}

/** Makes the write and looks; the same must be seen everywhere. */
async function seenAfter(of: Subject, write: () => Promise<unknown>): Promise<Seen> {
  await seenBy(of);
  await write();
  const [first, ...others] = await seenBy(of);
  if (!first) throw new Error('no API process answered');
  for (const other of others) expect(other).toEqual(first);
  expect(first.searched).toEqual(first.detail);
  return first;
}

it('a registration is found by a search that found nothing before', async () => {
  const word = uniqueWord();
  const before = await library.readEverywhere(`/api/book-infos?author=${word}`);
  expect(before.map(({ body }) => body.totalItems as number)).toEqual(
    library.target.urls.map(() => 0),
  );
  const title = await library.registered({ author: word });
  for (const { body } of await library.readEverywhere(`/api/book-infos?author=${word}`))
    expect(body.items).toEqual([title]);
});

it('a registration of the same ISBN shows its copies', async () => {
  const of = await subject();
  const { isbn } = await library.detail(of.bookInfoId);
  const seen = await seenAfter(of, async () =>
    succeeded(
      await library.manage('post', '/api/book-infos', { title: 'x', author: 'y', isbn, copies: 1 }),
      200,
    ),
  );
  expect(seen).toMatchObject({
    detail: { totalStock: 3, availableStock: 3 },
    copies: ['AVAILABLE', 'AVAILABLE', 'AVAILABLE'],
  });
});

it('a change', async () => {
  const of = await subject();
  const title = uniqueWord();
  const seen = await seenAfter(of, async () =>
    succeeded(await library.manage('patch', `/api/book-infos/${of.bookInfoId}`, { title }), 200),
  );
  expect(seen.detail).toMatchObject({ title, version: 2 });
});

it('a change of the title, in histories too', async () => {
  const { bookInfoId, reader } = await subject();
  await library.borrowed(reader, { bookInfoId });
  await library.readEverywhere('/api/borrow-histories', reader.token);
  const title = uniqueWord();
  succeeded(await library.manage('patch', `/api/book-infos/${bookInfoId}`, { title }), 200);
  for (const { body } of await library.readEverywhere('/api/borrow-histories', reader.token))
    expect(body.items).toMatchObject([{ bookInfoId, title }]);
});

it('a deletion', async () => {
  const of = await subject();
  const seen = await seenAfter(of, async () =>
    succeeded(await library.manage('delete', `/api/book-infos/${of.bookInfoId}`), 204),
  );
  expect(seen).toEqual({ detail: null, searched: null, free: false, copies: [], history: [] });
});

it('new copies', async () => {
  const of = await subject();
  const seen = await seenAfter(of, async () =>
    succeeded(
      await library.manage('post', `/api/book-infos/${of.bookInfoId}/books`, { count: 1 }),
      201,
    ),
  );
  expect(seen).toMatchObject({
    detail: { totalStock: 3, availableStock: 3 },
    copies: ['AVAILABLE', 'AVAILABLE', 'AVAILABLE'],
  });
});

it('a status of a copy', async () => {
  const of = await subject();
  const [bookId = 0] = await library.copyIds(of.bookInfoId);
  const seen = await seenAfter(of, async () =>
    succeeded(await library.setCopyStatus({ bookInfoId: of.bookInfoId, bookId }, 'DAMAGED'), 200),
  );
  expect(seen).toMatchObject({
    detail: { totalStock: 2, availableStock: 1 },
    free: true,
    copies: ['DAMAGED', 'AVAILABLE'],
  });
});

it('a deleted copy', async () => {
  const of = await subject();
  const [bookId = 0] = await library.copyIds(of.bookInfoId);
  const seen = await seenAfter(of, async () =>
    succeeded(
      await library.manage('delete', `/api/book-infos/${of.bookInfoId}/books/${bookId}`),
      204,
    ),
  );
  expect(seen).toMatchObject({
    detail: { totalStock: 1, availableStock: 1 },
    copies: ['AVAILABLE'],
  });
});

it('borrows and returns, each at once and many times over', async () => {
  const of = await subject();
  const { bookInfoId, reader } = of;
  await library.borrowed(library.newReader(), { bookId: (await library.copyIds(bookInfoId))[0] });
  const closed: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    const borrowed = await seenAfter(of, () => library.borrowed(reader, { bookInfoId }));
    expect(borrowed).toMatchObject({
      detail: { totalStock: 2, availableStock: 0 },
      free: false,
      copies: ['ON_LOAN', 'ON_LOAN'],
      history: ['BORROWED', ...closed],
    });
    const returned = await seenAfter(of, () => library.returned(reader, { bookInfoId }));
    closed.push('RETURNED');
    expect(returned).toMatchObject({
      detail: { totalStock: 2, availableStock: 1 },
      free: true,
      copies: ['ON_LOAN', 'AVAILABLE'],
      history: closed,
    });
  }
});

it('a lost copy, and the borrow that it closes', async () => {
  const of = await subject();
  const { bookInfoId, reader } = of;
  const { bookId } = await library.borrowed(reader, { bookInfoId });
  const seen = await seenAfter(of, async () =>
    succeeded(await library.setCopyStatus({ bookInfoId, bookId }, 'LOST'), 200),
  );
  expect(seen).toMatchObject({
    detail: { totalStock: 2, availableStock: 1 },
    free: true,
    history: ['LOST'],
  });
  expect([...seen.copies].sort()).toEqual(['AVAILABLE', 'LOST']);
});

it('a write that answers 202 is shown as soon as its command has succeeded', async () => {
  const of = await subject();
  const { bookInfoId, reader } = of;
  const seen = await seenAfter(of, async () => {
    const accepted = await library.call('post', '/api/borrows', {
      token: reader.token,
      body: { bookInfoId },
      headers: { Prefer: 'respond-async' },
    });
    expect(accepted.status).toBe(202);
    const command = await library.call('get', `${accepted.headers.location ?? ''}?wait=30`, {
      token: reader.token,
    });
    expect(command.body).toMatchObject({
      status: 'succeeded',
      httpStatus: 201,
      result: { bookInfoId },
    });
  });
  expect(seen).toMatchObject({ detail: { availableStock: 1 }, history: ['BORROWED'] });
});
