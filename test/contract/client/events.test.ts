import { openLibrary, succeeded, type Library } from '../../support/clients/books';
import { startFront, type Front } from '../../support/faults/front';
import { loadClient, type Client } from '../../support/clients/lendline-client';

/** The TypeScript client as a consumer of events. */

let library: Library;
let front: Front;
let client: Client;
beforeAll(async () => {
  library = await openLibrary();
  client = await loadClient();
  front = await startFront(library.target.url);
});

const connect = () =>
  new client.Lendline({ baseUrl: front.url, token: library.target.token({ isAdmin: true }) });
const add = async (bookInfoId: number) =>
  succeeded(await library.manage('post', `/api/book-infos/${bookInfoId}/books`, { count: 1 }), 201);
const addTimes = async (bookInfoId: number, times: number) => {
  for (let n = 0; n < times; n += 1) await add(bookInfoId);
};

/** The numbers of the next events. */
async function take(events: AsyncIterator<{ readonly sequence: number }>, count: number) {
  const numbers: number[] = [];
  while (numbers.length < count) numbers.push((await events.next()).value.sequence);
  return numbers;
}

it('yields all kept events and then live ones, even after a broken connection', async () => {
  const { bookInfoId } = await library.registered();
  await addTimes(bookInfoId, 3);
  const over = new AbortController();
  const events = connect().events({
    aggregateId: `book-info:${bookInfoId}`,
    after: '',
    signal: over.signal,
  });
  expect(await take(events, 4)).toEqual([1, 2, 3, 4]);
  const live = take(events, 2);
  await addTimes(bookInfoId, 2);
  expect(await live).toEqual([5, 6]);
  front.cut();
  await addTimes(bookInfoId, 2);
  expect(await take(events, 2)).toEqual([7, 8]);
  const next = events.next();
  over.abort(new Error('Enough.'));
  await expect(next).rejects.toThrow('Enough.');
});

it('yields only the requested types', async () => {
  const { bookInfoId } = await library.registered({ copies: 1 });
  const reader = library.newReader();
  await library.borrowed(reader, { bookInfoId });
  const aggregateId = `book-info:${bookInfoId}`;
  const types = ['lending.book-info', 'lending.*.created'];
  const events = connect().events({ aggregateId, types, after: '' });
  const found: string[] = [];
  for await (const { type } of events) if (found.push(type) === 2) break;
  expect(found).toEqual(['lending.book-info.created', 'lending.borrow.created']);
});

it('throws when the event to resume from is no longer kept', async () => {
  const after = `${'0'.repeat(40)}.1`;
  await expect(connect().events({ after }).next()).rejects.toMatchObject({
    problem: { code: 'EVENT_NOT_KEPT' },
  });
});

it('ends when another stream of its token takes its place', async () => {
  const token = library.target.token({ isAdmin: true });
  const lendline = new client.Lendline({ baseUrl: library.target.url, token });
  // Nothing happens to a title that is not there: an event would be taken for the end.
  const query = { aggregateId: `book-info:${Number.MAX_SAFE_INTEGER}` };
  let ended: Promise<unknown> | undefined;
  await new Promise<void>((onOpen) => {
    ended = lendline.stream('/api/events', { query, onOpen }).next();
  });
  const over = new AbortController();
  const second = lendline.stream('/api/events', { query, signal: over.signal }).next();
  await expect(ended).rejects.toThrow(client.StreamReplaced);
  over.abort(new Error('Enough.'));
  await expect(second).rejects.toThrow('Enough.');
});
