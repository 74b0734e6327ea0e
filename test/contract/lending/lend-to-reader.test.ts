import {
  openLibrary,
  succeeded,
  uniqueWord,
  type Borrow,
  type Library,
} from '../../support/clients/books';
import { openStream } from '../../support/clients/event-stream';
import { expectEvent } from '../../support/clients/event-tour';
import { expectFaults, expectProblem } from '../../support/clients/problems';
import type { Reader } from '../../support/clients/requests';
import { waitUntil } from '../../support/wait';

/** POST /api/borrows with `userId`: an administrator lends to a reader. */

const EVENTS_MS = 30_000;

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

const lend = (reader: Reader, body: object) =>
  library.manage('post', '/api/borrows', { ...body, userId: reader.userId });

/** Somebody whom the service has seen before. */
const knownReader = (): Promise<Reader> => library.seen(library.newReader());

describe('an administrator', () => {
  it('lends to the reader whom userId names, who sees, renews and returns the borrow', async () => {
    const { bookInfoId } = await library.registered({ copies: 1 });
    const reader = await knownReader();
    const borrow: Borrow = succeeded(await lend(reader, { bookInfoId }), 201);
    expect(borrow).toMatchObject({ userId: reader.userId, username: reader.username, bookInfoId });
    const { items } = succeeded(await library.histories(reader), 200);
    expect(items).toEqual([borrow]);
    succeeded(await library.renew(reader, borrow.borrowId), 200);
    await library.returned(reader, { bookInfoId });
  });

  it('lends a copy that is named, and the one that is set aside for the reader', async () => {
    const { bookInfoId } = await library.registered({ copies: 2 });
    const [, bookId = 0] = await library.copyIds(bookInfoId);
    expect(succeeded(await lend(await knownReader(), { bookId }), 201)).toMatchObject({ bookId });
    const [holder, waiting] = [library.newReader(), library.newReader()];
    const { bookId: returned } = await library.borrowed(holder, { bookInfoId });
    succeeded(await library.placeHold(waiting, bookInfoId), 201);
    await library.returned(holder, { bookInfoId });
    expect(succeeded(await lend(waiting, { bookInfoId }), 201)).toMatchObject({ bookId: returned });
  });

  it('lends the copy that has a barcode', async () => {
    const { bookInfoId } = await library.registered();
    const barcodes = [uniqueWord(), uniqueWord()];
    const path = `/api/book-infos/${bookInfoId}/books`;
    succeeded(await library.manage('post', path, { barcodes }), 201);
    const [, copy] = (await library.copies(bookInfoId)).items;
    const reader = await knownReader();
    const borrow = succeeded(await lend(reader, { barcode: copy?.barcode }), 201) as Borrow;
    expect(borrow).toMatchObject({ userId: reader.userId, bookInfoId, bookId: copy?.bookId });
  });

  it("answers 409 for the reader's own refusals", async () => {
    const { bookInfoId } = await library.registered({ copies: 2 });
    const reader = await knownReader();
    const { borrowId } = succeeded(await lend(reader, { bookInfoId }), 201);
    expectProblem(await lend(reader, { bookInfoId }), 409, 'ALREADY_BORROWED', { borrowId });
  });

  it('is refused for an unknown reader: 404', async () => {
    const { bookInfoId } = await library.registered({ copies: 1 });
    const nobody = library.newReader();
    expectProblem(await lend(nobody, { bookInfoId }), 404, 'USER_NOT_FOUND');
    expect((await library.detail(bookInfoId)).availableStock).toBe(1);
  });

  it('and the reader are both named by the event and by the audit', async () => {
    const { bookInfoId } = await library.registered({ copies: 1 });
    const [desk, reader] = [library.newReader({ isAdmin: true }), await knownReader()];
    const filter = `type=lending.borrow.created&aggregateId=book-info:${bookInfoId}`;
    const stream = await openStream(
      `${library.target.url}/api/events?${filter}`,
      library.target.token({ isAdmin: true }),
    );
    const body = { bookInfoId, userId: reader.userId };
    const lent = succeeded(await library.borrow(desk, body), 201);
    await waitUntil('the event', EVENTS_MS, () => stream.events().length > 0);
    expect(expectEvent(stream.events()[0]!.data).data).toEqual({
      ...lent,
      lentBy: { userId: desk.userId, username: desk.username },
    });
    const query = `action=lending.borrow-book&actor=${desk.userId}`;
    const { items } = succeeded(await library.manage('get', `/api/audit?${query}`), 200);
    expect(items).toMatchObject([
      {
        actor: { userId: desk.userId, username: desk.username },
        details: { payload: { bookInfoId, userId: reader.userId } },
      },
    ]);
  });
});

describe('a reader', () => {
  it('may not lend to somebody else: 403', async () => {
    const { bookInfoId } = await library.registered({ copies: 1 });
    const other = await knownReader();
    const answer = await library.borrow(library.newReader(), { bookInfoId, userId: other.userId });
    expectProblem(answer, 403, 'FORBIDDEN');
  });

  it('may name themself', async () => {
    const { bookInfoId } = await library.registered({ copies: 1 });
    const reader = library.newReader();
    const { userId } = reader;
    expect(await library.borrowed(reader, { bookInfoId, userId })).toMatchObject({ userId });
  });

  it.each([0, -1, 1.5, '7', null, 2 ** 53])('may not name the user %j: 400', async (userId) => {
    const answer = await library.borrow(library.newReader(), { bookInfoId: 1, userId });
    expectFaults(answer, { userId: expect.any(String) });
  });
});
