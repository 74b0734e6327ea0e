import supertest from 'supertest';
import { openLibrary, succeeded, type Library } from '../../support/clients/books';
import { services } from '../../../shared/services';
import { expectListed } from '../../support/check/listed';
import { openStream, type OpenStream } from '../../support/clients/event-stream';
import { BY_TIME, expectEvent, expectNoGap, toldBy, tour } from '../../support/clients/event-tour';
import { expectFaults, expectProblem } from '../../support/clients/problems';
import { startService } from '../../support/service/start-service';
import { waitUntil } from '../../support/wait';

/**
 * GET /api/events: domain events as they happen. Other tests run at the same time, so a stream
 * shows their events, too.
 */

const EVENTS_MS = 30_000;
/** Most streams of one API process. */
const STREAMS_MAX = 100;
const STREAMS_PER_USER_MAX = 10;

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

/** A stream of a token of its own: a token has one. */
const open = (
  query = '',
  url = library.target.url,
  token = library.target.token({ isAdmin: true }),
): Promise<OpenStream> => openStream(`${url}/api/events${query}`, token);
const bodies = (stream: OpenStream) => stream.events().map(({ data }) => expectEvent(data));
const arrival = (stream: OpenStream, aggregateId: string) =>
  waitUntil(`an event of ${aggregateId}`, EVENTS_MS, () =>
    bodies(stream).some((body) => body.aggregateId === aggregateId),
  );

describe('the stream of events', () => {
  it('sends every change once and in order at every API, but no refusals or repeats', async () => {
    const streams = await Promise.all(library.target.urls.map((url) => open('', url)));
    const told = await tour(library.target);
    const types = new Set([...[...told.values()].flat(), ...BY_TIME]);
    expectListed('the tour of test/support/clients/event-tour.ts', [...types], services.eventTypes);
    const { bookInfoId } = await library.registered();
    for (const stream of streams) {
      await arrival(stream, `book-info:${bookInfoId}`);
      expect(toldBy(bodies(stream), told.keys())).toEqual(told);
      const ofTour = bodies(stream).filter(({ aggregateId }) => told.has(aggregateId));
      expectNoGap(ofTour);
      expect(ofTour.find(({ type }) => type.endsWith('.created'))?.sequence).toBe(1);
    }
  });

  it('has id, name and data of each event, and is never stored', async () => {
    const stream = await open();
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    });
    const { bookInfoId } = await library.registered();
    await arrival(stream, `book-info:${bookInfoId}`);
    for (const { id, event, data } of stream.events())
      expect(expectEvent(data)).toMatchObject({ eventId: id, type: event });
  });

  it.each([
    ['type=lending.borrow', ['lending.borrow.created', 'lending.borrow.returned']],
    ['type=lending.borrow.*', ['lending.borrow.created', 'lending.borrow.returned']],
    ['type=*.*.created', ['lending.book-info.created', 'lending.borrow.created']],
    ['type=lending.copies.added', ['lending.copies.added']],
    ['type=posts', []],
  ])('with %s has only events whose type begins with it', async (filter, types) => {
    const stream = await open(`?${filter}`);
    const all = await open();
    const { bookInfoId } = await library.registered({ copies: 1 });
    const reader = library.newReader();
    await library.borrowed(reader, { bookInfoId });
    await library.returned(reader, { bookInfoId });
    await waitUntil('the last event', EVENTS_MS, () =>
      bodies(all).some(
        ({ type, aggregateId }) =>
          type === 'lending.borrow.returned' && aggregateId === `book-info:${bookInfoId}`,
      ),
    );
    const ofTitle = () =>
      bodies(stream)
        .filter(({ aggregateId }) => aggregateId === `book-info:${bookInfoId}`)
        .map(({ type }) => type);
    await waitUntil('the wanted events', EVENTS_MS, () => ofTitle().length >= types.length);
    expect(ofTitle()).toEqual(types);
    for (const { type } of bodies(stream))
      expect(type).toMatch(
        new RegExp(
          `^${filter.slice('type='.length).replaceAll('.', '\\.').replaceAll('*', '[^.]+')}`,
        ),
      );
  });

  it('with an aggregateId has only events of that aggregate', async () => {
    const all = await open();
    const { bookInfoId } = await library.registered();
    await arrival(all, `book-info:${bookInfoId}`);
    const stream = await open(`?aggregateId=book-info:${bookInfoId}`);
    succeeded(
      await library.manage('post', `/api/book-infos/${bookInfoId}/books`, { count: 2 }),
      201,
    );
    const other = await library.registered({ copies: 1 });
    succeeded(await library.manage('delete', `/api/book-infos/${bookInfoId}`), 204);
    await arrival(all, `book-info:${other.bookInfoId}`);
    await waitUntil('both events', EVENTS_MS, () => bodies(stream).length >= 2);
    expect(bodies(stream).map(({ type }) => type)).toEqual([
      'lending.copies.added',
      'lending.book-info.deleted',
    ]);
  });

  it('is for administrators: 401 without a token, 403 for anybody else', async () => {
    const get = (token?: string) => library.call('get', '/api/events', { token });
    expectProblem(await get(), 401, 'UNAUTHENTICATED');
    expectProblem(await get('bad'), 401, 'TOKEN_INVALID');
    expectProblem(await get(library.newReader().token), 403, 'FORBIDDEN');
    expectProblem(await get(library.newReader({ role: 'lecturer' }).token), 403, 'FORBIDDEN');
  });

  it.each([
    '',
    'lending.',
    '.lending',
    'a..b',
    'a.b.c.d',
    'lending.%23',
    'Lending',
    'lending*',
    '%20lending',
    'x'.repeat(40),
  ])('refuses type=%s: 400', async (type) => {
    expectFaults(await library.manage('get', `/api/events?type=${type}`), {
      type: expect.any(String),
    });
  });

  it.each(['nope', 'lending.nope', 'lending.borrow.nope', '*.*.nope', 'borrow'])(
    'refuses type=%s, which no event has: 400',
    async (type) => {
      expectFaults(await library.manage('get', `/api/events?type=${type}`), {
        type: 'INVALID_FORMAT',
      });
    },
  );

  it.each([
    '',
    '42',
    'book-info',
    'book-info:',
    'book-info:0',
    'book-info:x',
    'book-info:1,2',
    `book-info:${'9'.repeat(17)}`,
  ])('refuses aggregateId=%s: 400', async (aggregateId) => {
    expectFaults(await library.manage('get', `/api/events?aggregateId=${aggregateId}`), {
      aggregateId: expect.any(String),
    });
  });

  it('takes no other parameter, and no parameter twice', async () => {
    expectFaults(await library.manage('get', '/api/events?since=1'), {
      since: 'UNKNOWN_PARAMETER',
    });
    expectFaults(await library.manage('get', '/api/events?type=posts&type=courses'), {
      type: 'REPEATED_PARAMETER',
    });
  });

  it('answers HEAD with headers only', async () => {
    const { status, headers } = await supertest(library.target.url)
      .head('/api/events')
      .auth(library.target.admin, { type: 'bearer' });
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
  });

  it('answers 503 at the limit of the process, and works again when a stream has ended', async () => {
    // A process of its own, or streams of other tests were refused meanwhile.
    const { url } = (await startService()).target;
    const streams = await Promise.all(Array.from({ length: STREAMS_MAX + 1 }, () => open('', url)));
    const refused = streams.filter(({ status }) => status !== 200);
    expect(
      refused.map(({ status, headers, text }) => [
        status,
        headers['retry-after'],
        JSON.parse(text()).code,
      ]),
    ).toEqual([[503, expect.stringMatching(/^[123]$/), 'UNAVAILABLE']]);
    for (const stream of streams) stream.close();
    await waitUntil('a stream', EVENTS_MS, async () => (await open('', url)).status === 200);
  });

  it('replaces the open stream of its token, which gets an event and ends', async () => {
    const token = library.target.token({ isAdmin: true });
    const former = await open('', library.target.url, token);
    const next = await open('', library.target.url, token);
    await waitUntil('the end of the former', EVENTS_MS, () => former.ended());
    expect(former.events().at(-1)).toEqual({ id: undefined, event: 'replaced', data: '{}' });
    const { bookInfoId } = await library.registered();
    await arrival(next, `book-info:${bookInfoId}`);
    expect(next.ended()).toBe(false);
  });

  it('answers 429 to a user who has ten open, and serves others', async () => {
    const userId = library.target.newUserId();
    const own = (expiresIn: number) =>
      open('', library.target.url, library.target.token({ userId, isAdmin: true, expiresIn }));
    const streams: OpenStream[] = [];
    // Tokens of one second that say the same are the same token.
    for (let count = 0; count < STREAMS_PER_USER_MAX; count += 1)
      streams.push(await own(3600 + count));
    const refused = await own(7200);
    expect([
      refused.status,
      JSON.parse(refused.text()).code,
      refused.headers['retry-after'],
    ]).toEqual([429, 'RATE_LIMITED', '15']);
    expect((await open()).status).toBe(200);
    streams[0]!.close();
    await waitUntil('a place', EVENTS_MS, async () => (await own(7201)).status === 200);
  });
});
