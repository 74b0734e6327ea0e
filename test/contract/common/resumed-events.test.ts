import { randomUUID } from 'node:crypto';
import { openLibrary, succeeded, type Library } from '../../support/clients/books';
import { openStream, type OpenStream } from '../../support/clients/event-stream';
import { waitUntil } from '../../support/wait';

/** GET /api/events after a broken connection: what happened in between comes first. */

const EVENTS_MS = 30_000;

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

/** Without the registration, whose event may come late. */
const open = (aggregateId: string, after?: string, url = library.target.url): Promise<OpenStream> =>
  openStream(
    `${url}/api/events?type=lending.copies&aggregateId=${aggregateId}`,
    library.target.token({ isAdmin: true }),
    after === undefined ? {} : { 'Last-Event-ID': after },
  );
const idsOf = (stream: OpenStream) => stream.events().map(({ id }) => id);
const arrived = (stream: OpenStream, count: number) =>
  waitUntil(`${count} events`, EVENTS_MS, () => stream.events().length >= count);
const add = async (bookInfoId: number) =>
  succeeded(await library.manage('post', `/api/book-infos/${bookInfoId}/books`, { count: 1 }), 201);

it('an event stream that is resumed with Last-Event-ID sends everything since, once and in order, and continues, at every API', async () => {
  const { bookInfoId } = await library.registered();
  const aggregateId = `book-info:${bookInfoId}`;
  const whole = await open(aggregateId);
  await add(bookInfoId);
  await arrived(whole, 1);
  const [first] = idsOf(whole) as string[];
  for (let round = 0; round < 30; round += 1) await add(bookInfoId);
  // Some of these are pending, or on their way, while the streams are resumed.
  const resumed = await Promise.all(
    library.target.urls.map((url) => open(aggregateId, first, url)),
  );
  for (let round = 0; round < 5; round += 1) await add(bookInfoId);
  await arrived(whole, 36);
  for (const stream of resumed) {
    await arrived(stream, 35);
    expect(idsOf(stream)).toEqual(idsOf(whole).slice(1));
    expect(stream.events().map(({ data }) => data)).toEqual(
      whole
        .events()
        .slice(1)
        .map(({ data }) => data),
    );
  }
});

it('an event stream that is resumed from its last event begins with the next', async () => {
  const { bookInfoId } = await library.registered();
  const aggregateId = `book-info:${bookInfoId}`;
  const before = await open(aggregateId);
  await add(bookInfoId);
  await arrived(before, 1);
  const resumed = await open(aggregateId, idsOf(before)[0]);
  await add(bookInfoId);
  await arrived(before, 2);
  await arrived(resumed, 1);
  expect(idsOf(resumed)).toEqual(idsOf(before).slice(1));
});

it.each(['0'.repeat(40) + '.1', 'x', randomUUID()])(
  'an event stream that cannot be resumed from %s says that there is a gap, and goes on from now',
  async (after) => {
    const { bookInfoId } = await library.registered();
    const stream = await open(`book-info:${bookInfoId}`, after);
    await arrived(stream, 1);
    expect(stream.events()).toEqual([
      { id: undefined, event: 'gap', data: JSON.stringify({ lastEventId: after }) },
    ]);
    await add(bookInfoId);
    await arrived(stream, 2);
    expect(stream.events()[1]).toMatchObject({ event: 'lending.copies.added' });
  },
);
