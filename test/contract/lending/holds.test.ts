import {
  expectKeys,
  HOLD_KEYS,
  INSTANT,
  openLibrary,
  succeeded,
  type Library,
} from '../../support/clients/books';
import { expectFaults, expectProblem, outcomesOf } from '../../support/clients/problems';
import type { Reader } from '../../support/clients/requests';

/** POST /api/book-infos/{id}/holds, GET and DELETE /api/holds/{holdId}, GET /api/holds */

interface Hold {
  readonly holdId: number;
  readonly userId: number;
  readonly bookInfoId: number;
  readonly status: string;
  readonly position: number | null;
  readonly bookId: number | null;
  readonly [name: string]: unknown;
}

const DAY_MS = 24 * 3600 * 1000;
/** Most readers that wait for one title. */
const WAITING_MAX = 1000;
const AT_ONCE = 50;

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

const place = (reader: Reader, bookInfoId: number) => library.placeHold(reader, bookInfoId);
const placed = async (reader: Reader, bookInfoId: number): Promise<Hold> =>
  succeeded(await place(reader, bookInfoId), 201);
const cancel = (reader: Reader, holdId: number) => library.cancelHold(reader, holdId);
const get = async (reader: Reader, holdId: number): Promise<Hold> =>
  succeeded(await library.call('get', `/api/holds/${holdId}`, { token: reader.token }), 200);
const list = async (reader: Reader, query = ''): Promise<Hold[]> =>
  succeeded(await library.call('get', `/api/holds${query}`, { token: reader.token }), 200)
    .items as Hold[];
const statusesOf = (holds: readonly Hold[]) => holds.map(({ holdId, status }) => [holdId, status]);

/** A title whose only copy the first reader has on loan. */
async function out() {
  const { bookInfoId, bookId } = await library.single();
  const borrower = library.newReader();
  const { borrowId } = await library.borrowed(borrower, { bookInfoId });
  return { bookInfoId, bookId, borrower, borrowId };
}

describe('placing a hold', () => {
  it('is 201 with the Hold, its place in line and Location, where it can be read', async () => {
    const { bookInfoId } = await out();
    await placed(library.newReader(), bookInfoId);
    const reader = library.newReader();
    const response = await place(reader, bookInfoId);
    const hold = succeeded(response, 201) as Hold;
    expectKeys(hold, HOLD_KEYS);
    expect(hold).toMatchObject({
      userId: reader.userId,
      username: reader.username,
      bookInfoId,
      status: 'WAITING',
      position: 2,
      bookId: null,
      readyAt: null,
      expiresAt: null,
      closedAt: null,
    });
    expect(hold['placedAt']).toMatch(INSTANT);
    expect(response.headers['location']).toBe(`/api/holds/${hold.holdId}`);
    expect(await get(reader, hold.holdId)).toEqual(hold);
    expect(await list(reader)).toEqual([hold]);
  });

  it('is 409 STOCK_AVAILABLE while a copy is available', async () => {
    const { bookInfoId } = await library.single();
    expectProblem(await place(library.newReader(), bookInfoId), 409, 'STOCK_AVAILABLE', {
      bookInfoId,
    });
  });

  it('a second time is 409 ALREADY_HELD with the id of the hold', async () => {
    const { bookInfoId } = await out();
    const reader = library.newReader();
    const { holdId } = await placed(reader, bookInfoId);
    expectProblem(await place(reader, bookInfoId), 409, 'ALREADY_HELD', { holdId });
  });

  it('of a title that the reader has is 409 ALREADY_BORROWED with the id of the borrow', async () => {
    const { bookInfoId, borrower, borrowId } = await out();
    expectProblem(await place(borrower, bookInfoId), 409, 'ALREADY_BORROWED', { borrowId });
  });

  it('of a title that is not there is 404, also when it was deleted', async () => {
    const { bookInfoId } = await library.registered();
    succeeded(await library.manage('delete', `/api/book-infos/${bookInfoId}`), 204);
    expectProblem(await place(library.newReader(), bookInfoId), 404, 'BOOK_INFO_NOT_FOUND');
    expectProblem(await place(library.newReader(), 2 ** 50), 404, 'BOOK_INFO_NOT_FOUND');
  });

  it('by one reader 20 times at once makes one', async () => {
    const { bookInfoId } = await out();
    const reader = library.newReader();
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => place(reader, bookInfoId)),
    );
    expect(outcomesOf(responses)).toEqual({ 201: 1, '409 ALREADY_HELD': 19 });
  });

  it('by 30 readers at once gives each a place of its own', async () => {
    const { bookInfoId } = await out();
    const holds = await Promise.all(
      Array.from({ length: 30 }, () => placed(library.newReader(), bookInfoId)),
    );
    expect(holds.map(({ position }) => position).sort((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 30 }, (_, index) => index + 1),
    );
  });

  it('is 409 HOLD_LINE_FULL once a thousand readers wait', async () => {
    const { bookInfoId } = await out();
    for (let waiting = 0; waiting < WAITING_MAX; waiting += AT_ONCE)
      await Promise.all(
        Array.from({ length: AT_ONCE }, () => placed(library.newReader(), bookInfoId)),
      );
    expectProblem(await place(library.newReader(), bookInfoId), 409, 'HOLD_LINE_FULL', {
      bookInfoId,
    });
  });

  it('takes no body', async () => {
    const { bookInfoId } = await out();
    expectFaults(
      await library.call('post', `/api/book-infos/${bookInfoId}/holds`, {
        token: library.newReader().token,
        body: { bookId: 1 },
      }),
      { bookId: 'UNKNOWN_FIELD' },
    );
  });
});

describe('a copy that comes back', () => {
  it('is set aside for the first in line, for HOLD_PICKUP_DAYS; the stock has none for others', async () => {
    const { bookInfoId, bookId, borrower, borrowId } = await out();
    const [first, second] = [library.newReader(), library.newReader()];
    const { holdId } = await placed(first, bookInfoId);
    const waiting = await placed(second, bookInfoId);
    await library.returned(borrower, { borrowId });
    const ready = await get(first, holdId);
    expect(ready).toMatchObject({ status: 'READY', position: null, bookId });
    expect(Date.parse(ready['expiresAt'] as string) - Date.parse(ready['readyAt'] as string)).toBe(
      3 * DAY_MS,
    );
    expect(await get(second, waiting.holdId)).toMatchObject({ status: 'WAITING', position: 1 });
    expect(await library.detail(bookInfoId)).toMatchObject({ totalStock: 1, availableStock: 0 });
    expect((await library.copies(bookInfoId)).items).toEqual([
      { bookId, bookInfoId, available: false, status: 'ON_HOLD', kind: 'book', barcode: null },
    ]);
  });

  it('can be borrowed only by the reader it is set aside for', async () => {
    const { bookInfoId, bookId, borrower, borrowId } = await out();
    const [first, second] = [library.newReader(), library.newReader()];
    const { holdId } = await placed(first, bookInfoId);
    await placed(second, bookInfoId);
    await library.returned(borrower, { borrowId });
    for (const reader of [second, borrower, library.newReader()]) {
      expectProblem(await library.borrow(reader, { bookInfoId }), 409, 'OUT_OF_STOCK', {
        bookInfoId,
      });
      expectProblem(await library.borrow(reader, { bookId }), 409, 'COPY_NOT_AVAILABLE', {
        bookInfoId,
      });
    }
    expect(await library.borrowed(first, { bookInfoId })).toMatchObject({ bookId });
    expect(await get(first, holdId)).toMatchObject({
      status: 'FULFILLED',
      closedAt: expect.stringMatching(INSTANT),
    });
  });

  it('is available again when nobody waits', async () => {
    const { bookInfoId, borrower, borrowId } = await out();
    const reader = library.newReader();
    const { holdId } = await placed(reader, bookInfoId);
    succeeded(await cancel(reader, holdId), 204);
    await library.returned(borrower, { borrowId });
    expect(await library.detail(bookInfoId)).toMatchObject({ availableStock: 1 });
  });

  it('as a new one serves those who wait', async () => {
    const { bookInfoId } = await out();
    const reader = library.newReader();
    const { holdId } = await placed(reader, bookInfoId);
    const added = succeeded(
      await library.manage('post', `/api/book-infos/${bookInfoId}/books`, { count: 2 }),
      201,
    );
    expect(added).toMatchObject({ addedCount: 2, totalStock: 3, availableStock: 1 });
    expect(await get(reader, holdId)).toMatchObject({
      status: 'READY',
      bookId: added.items[0].bookId,
    });
  });

  it('that is lost before pick-up puts its reader back at the head of the line', async () => {
    const { bookInfoId, bookId, borrower, borrowId } = await out();
    const [first, second] = [library.newReader(), library.newReader()];
    const { holdId } = await placed(first, bookInfoId);
    await placed(second, bookInfoId);
    await library.returned(borrower, { borrowId });
    expectProblem(
      await library.setCopyStatus({ bookInfoId, bookId }, 'AVAILABLE'),
      409,
      'COPY_ON_HOLD',
      { holdId },
    );
    succeeded(await library.setCopyStatus({ bookInfoId, bookId }, 'LOST'), 200);
    expect(await get(first, holdId)).toMatchObject({
      status: 'WAITING',
      position: 1,
      bookId: null,
    });
  });
});

describe('a renewal', () => {
  it('is 409 HELD_BY_OTHERS while somebody waits, and possible when nobody waits', async () => {
    const { bookInfoId, borrower, borrowId } = await out();
    const reader = library.newReader();
    const { holdId } = await placed(reader, bookInfoId);
    expectProblem(await library.renew(borrower, borrowId), 409, 'HELD_BY_OTHERS', { bookInfoId });
    succeeded(await cancel(reader, holdId), 204);
    succeeded(await library.renew(borrower, borrowId), 200);
  });
});

describe('giving a hold up', () => {
  it('is 204; a copy set aside goes to the next in line', async () => {
    const { bookInfoId, bookId, borrower, borrowId } = await out();
    const [first, second] = [library.newReader(), library.newReader()];
    const { holdId } = await placed(first, bookInfoId);
    const next = await placed(second, bookInfoId);
    await library.returned(borrower, { borrowId });
    succeeded(await cancel(first, holdId), 204);
    expect(await get(first, holdId)).toMatchObject({ status: 'CANCELLED' });
    expect(await get(second, next.holdId)).toMatchObject({ status: 'READY', bookId });
  });

  it('is 404 HOLD_NOT_FOUND for another user, for a cancelled hold, and for one that does not exist', async () => {
    const { bookInfoId } = await out();
    const reader = library.newReader();
    const { holdId } = await placed(reader, bookInfoId);
    expectProblem(await cancel(library.newReader(), holdId), 404, 'HOLD_NOT_FOUND');
    expect(await get(reader, holdId)).toMatchObject({ status: 'WAITING' });
    succeeded(await cancel(reader, holdId), 204);
    expectProblem(await cancel(reader, holdId), 404, 'HOLD_NOT_FOUND');
    expectProblem(await cancel(reader, 2 ** 50), 404, 'HOLD_NOT_FOUND');
  });

  it('is possible for an administrator', async () => {
    const { bookInfoId } = await out();
    const reader = library.newReader();
    const { holdId } = await placed(reader, bookInfoId);
    succeeded(await library.manage('delete', `/api/holds/${holdId}`), 204);
    expect(await get(reader, holdId)).toMatchObject({ status: 'CANCELLED' });
  });

  it('happens to all when the title is deleted', async () => {
    const { bookInfoId, borrower, borrowId } = await out();
    const readers = [library.newReader(), library.newReader()];
    const holds = await Promise.all(readers.map((reader) => placed(reader, bookInfoId)));
    await library.returned(borrower, { borrowId });
    succeeded(await library.manage('delete', `/api/book-infos/${bookInfoId}`), 204);
    for (const [index, reader] of readers.entries())
      expect(await get(reader, holds[index]?.holdId ?? 0)).toMatchObject({ status: 'CANCELLED' });
  });
});

describe('reading holds', () => {
  it('one is 404 HOLD_NOT_FOUND for anybody but its reader and an administrator', async () => {
    const { bookInfoId } = await out();
    const reader = library.newReader();
    const hold = await placed(reader, bookInfoId);
    expectProblem(
      await library.call('get', `/api/holds/${hold.holdId}`, { token: library.newReader().token }),
      404,
      'HOLD_NOT_FOUND',
    );
    expect(succeeded(await library.manage('get', `/api/holds/${hold.holdId}`), 200)).toEqual(hold);
    expectProblem(await library.call('get', `/api/holds/${hold.holdId}`), 401, 'UNAUTHENTICATED');
  });

  it('the list is the caller’s own, newest first, by status and by whether they are open', async () => {
    const titles = await Promise.all([out(), out()]);
    const reader = library.newReader();
    const first = await placed(reader, titles[0].bookInfoId);
    const second = await placed(reader, titles[1].bookInfoId);
    await placed(library.newReader(), titles[0].bookInfoId);
    succeeded(await cancel(reader, first.holdId), 204);
    expect(statusesOf(await list(reader))).toEqual([
      [second.holdId, 'WAITING'],
      [first.holdId, 'CANCELLED'],
    ]);
    expect(statusesOf(await list(reader, '?me=true&open=true'))).toEqual([
      [second.holdId, 'WAITING'],
    ]);
    expect(statusesOf(await list(reader, '?open=false'))).toEqual([[first.holdId, 'CANCELLED']]);
    expect(statusesOf(await list(reader, '?status=CANCELLED'))).toEqual([
      [first.holdId, 'CANCELLED'],
    ]);
  });

  it('a list of others is 403 for a user, and open to an administrator', async () => {
    const { bookInfoId } = await out();
    const reader = library.newReader();
    const hold = await placed(reader, bookInfoId);
    expectProblem(
      await library.call('get', '/api/holds?me=false', { token: reader.token }),
      403,
      'FORBIDDEN',
    );
    expectProblem(
      await library.call('get', `/api/holds?userId=${reader.userId}`, {
        token: library.newReader().token,
      }),
      403,
      'FORBIDDEN',
    );
    expect(
      succeeded(await library.manage('get', `/api/holds?userId=${reader.userId}`), 200).items,
    ).toEqual([hold]);
    expect(
      succeeded(await library.manage('get', `/api/holds?bookInfoId=${bookInfoId}`), 200).items,
    ).toEqual([hold]);
    expect(
      succeeded(await library.manage('get', `/api/holds?me=true&bookInfoId=${bookInfoId}`), 200)
        .items,
    ).toEqual([]);
  });

  it('names a filter that is wrong', async () => {
    const { token } = library.newReader();
    const faulty = await library.call('get', '/api/holds?status=LATE&open=maybe&size=0', { token });
    expect(faulty.status).toBe(400);
    expect((faulty.body.errors as { field: string }[]).map(({ field }) => field).sort()).toEqual([
      'open',
      'size',
      'status',
    ]);
  });
});
