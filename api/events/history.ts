import { Op } from 'sequelize';
import { Outbox } from '../../shared/database/tables';
import type { EventMessage } from '../../shared/messaging/transport';
import { Problem } from '../http/responses/problem';
import { CLOCKS_MS, eventsIn, isEventId, receivedAt, relayedSince, type Place } from './log';

/**
 * Events that were published, page by page, for consumers that were away: in the order in which
 * they were published, which is that of each aggregate's changes.
 */

/** Rows of the outbox that one page looks at; a row has up to 50 events. */
const ROWS_MAX = 200;
/** Characters after which a page ends, unless it has a single event. */
const LENGTH_MAX = 1024 * 1024;

export interface PageWanted {
  /** Id of the last event that the client has; empty for the first that is kept. */
  readonly after: string;
  readonly size: number;
  readonly fits: (event: EventMessage) => boolean;
}

export interface EventPage {
  readonly items: readonly EventMessage[];
  /** Id of the last event that was read, whether it fits or not. */
  readonly next: string | null;
  readonly more: boolean;
}

/**
 * Returns the published events after one.
 * @throws Problem EVENT_NOT_KEPT when that one is not stored, or not any more.
 */
export async function eventsPage({ after, size, fits }: PageWanted): Promise<EventPage> {
  const items: EventMessage[] = [];
  let [next, length, rows] = [after === '' ? null : after, 0, 0];
  let isBehind = after === '';
  const page = (more: boolean): EventPage => ({ items, next, more });
  for await (const row of relayedSince(after === '' ? BEGINNING : await placeOf(after))) {
    if ((rows += 1) > ROWS_MAX) return page(true);
    for (const event of eventsIn(row)) {
      if (isBehind && fits(event)) {
        length += event.json.length;
        if (items.length === size || (items.length > 0 && length > LENGTH_MAX)) return page(true);
        items.push(event);
      }
      if (isBehind) next = event.eventId;
      else isBehind = event.eventId === after;
    }
  }
  return page(false);
}

const BEGINNING: Place = { relayedAt: new Date(0), seq: 0 };

/** Returns the place just before the row of an event. */
async function placeOf(eventId: string): Promise<Place> {
  const row = isEventId(eventId)
    ? await Outbox.findOne({
        attributes: ['relayedAt', 'seq'],
        where: {
          relayedAt: { [Op.gte]: new Date(receivedAt(eventId) - CLOCKS_MS) },
          events: { [Op.like]: `%"eventId":"${eventId}"%` },
        },
        order: ['relayedAt', 'seq'],
      })
    : null;
  if (!row?.relayedAt)
    throw new Problem(
      'EVENT_NOT_KEPT',
      'This event is no longer kept, or never existed. Reload what you depend on, and continue with `after=`.',
    );
  return { relayedAt: row.relayedAt, seq: row.seq - 1 };
}
