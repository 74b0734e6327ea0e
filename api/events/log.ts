import { Op } from 'sequelize';
import { idTime } from '../../shared/command';
import type { Now } from '../../shared/database/clock';
import { Outbox } from '../../shared/database/tables';
import { eventMessage } from '../../shared/messaging/event';
import type { EventMessage } from '../../shared/messaging/transport';

/**
 * Reads published events for streams that are resumed: the rows of the outbox, in their order.
 *
 * A stream subscribes first and reads these afterwards, so it misses none. What was published
 * before it subscribed is marked as relayed, or among the first pending events. Everything later
 * comes live, and some of it twice.
 */

/** How long ago a stream may have stopped, milliseconds: an hour. */
const RESUMED_MS = 3600 * 1000;
/**
 * Rows read at a time; a row holds a quarter of a megabyte at most, save one with a single event.
 */
const ROWS_AT_A_TIME = 20;
/** Pending rows that are read: more than the relay publishes before it marks them. */
const PENDING_ROWS = 100;
/** By how much the clocks of two processes may differ, and an event be on its way, milliseconds. */
export const CLOCKS_MS = 10_000;

/** `live`: it may also reach an earlier subscriber live. */
export interface LoggedEvent {
  readonly event: EventMessage;
  readonly live: boolean;
}

export const eventsIn = ({ events }: Pick<Outbox, 'events'>): EventMessage[] =>
  events.split('\n').map(eventMessage);

/** An event's id begins with that of its command, which begins with the time of its reception. */
const TIME_DIGITS = idTime(0).length;
const ID_FORM = /^[0-9a-f]{40}\.[1-9]\d*$/;

export const isEventId = (text: string): boolean => ID_FORM.test(text);
/** Returns when the command of an event was received, milliseconds since 1970. */
export const receivedAt = (eventId: string): number =>
  Number.parseInt(eventId.slice(0, TIME_DIGITS), 16);

/** A place among the rows that were relayed. */
export interface Place {
  readonly relayedAt: Date;
  readonly seq: number;
}

/** Relayed rows after a place, in their order. */
export async function* relayedSince({ relayedAt, seq }: Place): AsyncGenerator<Outbox> {
  let [at, after] = [relayedAt, seq];
  for (;;) {
    const later = {
      [Op.or]: [{ relayedAt: { [Op.gt]: at } }, { relayedAt: at, seq: { [Op.gt]: after } }],
    };
    const rows = await Outbox.findAll({
      where: { relayedAt: { [Op.gte]: at }, [Op.and]: later },
      order: ['relayedAt', 'seq'],
      limit: ROWS_AT_A_TIME,
    });
    yield* rows;
    const last = rows.at(-1);
    if (rows.length < ROWS_AT_A_TIME || !last?.relayedAt) return;
    [at, after] = [last.relayedAt, last.seq];
  }
}

/**
 * Returns the events after the one with this id, for a subscriber. Null when it is not among those
 * of the last hour. Rejects when the database is unavailable.
 */
export async function eventsAfter(
  eventId: string,
  now: Now,
): Promise<AsyncGenerator<LoggedEvent> | null> {
  if (!isEventId(eventId)) return null;
  const asked = now().getTime();
  const since = Math.max(receivedAt(eventId), asked - RESUMED_MS) - CLOCKS_MS;
  const events = rowsAfter(
    await Outbox.findAll({ where: { relayedAt: null }, order: ['seq'], limit: PENDING_ROWS }),
    new Date(since),
    asked,
  );
  // Not with `for await`, which would end them.
  for (let next = await events.next(); !next.done; next = await events.next())
    if (next.value.event.eventId === eventId) return events;
  return null;
}

async function* rowsAfter(
  pending: readonly Outbox[],
  since: Date,
  asked: number,
): AsyncGenerator<LoggedEvent> {
  const seen = new Set<number>();
  for await (const row of relayedSince({ relayedAt: since, seq: 0 })) {
    seen.add(row.seq);
    const live = (row.relayedAt?.getTime() ?? 0) >= asked - CLOCKS_MS;
    for (const event of eventsIn(row)) yield { event, live };
  }
  for (const row of pending)
    if (!seen.has(row.seq)) for (const event of eventsIn(row)) yield { event, live: true };
}
