import { openLibrary, succeeded, type Library } from '../../support/clients/books';
import { expectEvent, expectNoGap, type EventBody } from '../../support/clients/event-tour';
import { expectFaults, expectProblem } from '../../support/clients/problems';
import { waitUntil } from '../../support/wait';

/** GET /api/events?after=: events that were published, for consumers that were away. */

const EVENTS_MS = 30_000;

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

interface Page {
  readonly items: EventBody[];
  readonly next: string | null;
  readonly more: boolean;
}

async function page(query: string): Promise<Page> {
  const body = succeeded(await library.manage('get', `/api/events?${query}`), 200);
  const items = (body.items as object[]).map((item) => expectEvent(JSON.stringify(item)));
  return { ...(body as unknown as Page), items };
}

/** All pages of a title's events from a place on. */
async function readAll(
  aggregateId: string,
  { after = '', size = 100, type = '' } = {},
): Promise<EventBody[]> {
  const filter = `aggregateId=${aggregateId}${type && `&type=${type}`}`;
  const events: EventBody[] = [];
  for (let [from, more] = [after, true]; more;) {
    const found = await page(`after=${from}&${filter}&size=${size}`);
    expect(found.items.length).toBeLessThanOrEqual(size);
    events.push(...found.items);
    [from, more] = [found.next ?? '', found.more];
  }
  return events;
}

const add = async (bookInfoId: number) =>
  succeeded(await library.manage('post', `/api/book-infos/${bookInfoId}/books`, { count: 1 }), 201);

/** A title of which so many events were published. */
async function told(count: number): Promise<{ bookInfoId: number; aggregateId: string }> {
  const { bookInfoId } = await library.registered();
  const aggregateId = `book-info:${bookInfoId}`;
  for (let made = 1; made < count; made += 1) await add(bookInfoId);
  await waitUntil('the events', EVENTS_MS, async () => {
    return (await readAll(aggregateId)).length === count;
  });
  return { bookInfoId, aggregateId };
}

describe('events that are read again', () => {
  it('come in pages, each once and in the order of its aggregate', async () => {
    const { aggregateId } = await told(7);
    const events = await readAll(aggregateId, { size: 2 });
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(events.map(({ type }) => type)).toEqual([
      'lending.book-info.created',
      ...Array<string>(6).fill('lending.copies.added'),
    ]);
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(7);
  });

  it('continue after the last event that a consumer has seen', async () => {
    const { aggregateId } = await told(4);
    const events = await readAll(aggregateId);
    const rest = await readAll(aggregateId, { after: events[1]?.eventId });
    expect(rest).toEqual(events.slice(2));
  });

  it('end at the last published event, and continue from there later', async () => {
    const { bookInfoId, aggregateId } = await told(2);
    let after = '';
    for (let more = true; more;) {
      const found = await page(`after=${after}&size=1000`);
      [after, more] = [found.next ?? '', found.more];
    }
    await add(bookInfoId);
    await waitUntil('the event', EVENTS_MS, async () => {
      const [found] = await readAll(aggregateId, { after });
      return found?.sequence === 3;
    });
  });

  it('are limited to a type, when one is named', async () => {
    const { aggregateId } = await told(3);
    const events = await readAll(aggregateId, { type: '*.*.created' });
    expect(events.map(({ type }) => type)).toEqual(['lending.book-info.created']);
  });

  it('of all aggregates have no gap', async () => {
    const { items } = await page('after=&size=1000');
    expectNoGap(items);
  });

  it.each(['0'.repeat(40) + '.1', 'unknown', '%25'])(
    'after %s, which is not kept, are refused with 410',
    async (after) => {
      const answer = await library.manage('get', `/api/events?after=${after}`);
      expectProblem(answer, 410, 'EVENT_NOT_KEPT');
    },
  );

  it.each([
    ['size=0&after=', { size: 'OUT_OF_RANGE' }],
    ['size=x&after=', { size: 'INVALID_TYPE' }],
    ['after=%20', { after: 'INVALID_FORMAT' }],
  ])('refuse %s with 400', async (query, faults) => {
    expectFaults(await library.manage('get', `/api/events?${query}`), faults);
  });
});
