import type { Caller } from './caller.ts';
import { pause } from './pause.ts';
import { valueOf } from './result.ts';
import type { DomainEvent, Schemas } from './types.ts';

/** Domain events in the order of each aggregate, without a gap. */

/** Which events, and from where on. */
export interface EventsOptions {
  /** Event types or their first words, with `*` for any one word: `lending.borrow.*`. */
  readonly types?: readonly string[] | undefined;
  /** Only events of this aggregate, such as `book-info:42`. */
  readonly aggregateId?: string | undefined;
  /**
   * The id of the last event that you have; '' begins with the first that is kept. Without it, only
   * later events are yielded.
   */
  readonly after?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

const PAGE_SIZE = 1000;
/** Pause before the kept events are read again when nothing new was among them, milliseconds. */
const QUIET_MS = 1000;

const fits = (filter: string, type: string): boolean => {
  const words = type.split('.');
  return filter.split('.').every((word, index) => word === '*' || word === words[index]);
};

interface Place {
  /** The id of the last event that was read. */
  last: string | undefined;
}

/**
 * Yields the kept events after a place, page by page.
 * @param untilNew waits until there is one.
 */
async function* keptEvents(
  caller: Caller,
  place: Place,
  { query, untilNew, signal }: Pick<EventsOptions, 'signal'> & { query: object; untilNew: boolean },
): AsyncGenerator<DomainEvent, void, undefined> {
  for (let isOver = place.last === undefined; !isOver;) {
    const { last = '' } = place;
    const page = { ...query, after: last, size: PAGE_SIZE };
    const { items, next, more }: Schemas['EventPage'] = valueOf(
      await caller.request('GET', '/api/events', { query: page, signal }),
    );
    yield* items;
    const isNew = next !== null && next !== last;
    if (isNew) place.last = next;
    untilNew &&= !isNew;
    isOver = !more && !untilNew;
    if (untilNew && !more) await pause(QUIET_MS, signal);
  }
}

/** Yields live events, and after a broken connection those that were missed. Ends at a gap. */
async function* liveEvents(
  caller: Caller,
  place: Place,
  { query, signal }: Pick<EventsOptions, 'signal'> & { query: object },
): AsyncGenerator<DomainEvent, void, undefined> {
  const options = { query: { ...query }, lastEventId: place.last, signal };
  for await (const { event, id, data } of caller.stream('/api/events', options)) {
    if (event === 'gap') return;
    place.last = id;
    yield JSON.parse(data) as DomainEvent;
  }
}

/**
 * The service resumes a stream from an event of the last hour. What is older is read page by page
 * until the last event is young enough, so that nothing between pages and stream is lost.
 */
export async function* domainEvents(
  caller: Caller,
  { types, aggregateId, after, signal }: EventsOptions,
): AsyncGenerator<DomainEvent, void, undefined> {
  // The service takes one filter.
  const query = {
    ...(aggregateId !== undefined && { aggregateId }),
    ...(types?.length === 1 && types[0] !== undefined && { type: types[0] }),
  };
  const isWanted = ({ type }: DomainEvent) => types?.some((filter) => fits(filter, type)) ?? true;
  const place: Place = { last: after };
  // At a gap the last event is too old, maybe because nothing has happened since.
  for (let untilNew = after === ''; ; untilNew = true) {
    for await (const event of keptEvents(caller, place, { query, untilNew, signal }))
      if (isWanted(event)) yield event;
    for await (const event of liveEvents(caller, place, { query, signal }))
      if (isWanted(event)) yield event;
  }
}
