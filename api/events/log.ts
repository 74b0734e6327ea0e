import { setTimeout as sleep } from 'node:timers/promises';
import { Op } from 'sequelize';
import { idTime } from '../../shared/command';
import { Outbox } from '../../shared/database/tables';
import { eventMessage } from '../../shared/messaging/event';
import type { EventMessage } from '../../shared/messaging/transport';

/**
 * Reads published events for streams that are resumed: the rows of the outbox, in their order.
 *
 * A stream subscribes first and reads these afterwards, so it misses none. What was published
 * before it subscribed is marked as relayed, or among the first pending events. It waits until
 * these are marked, because the marks are the order. Everything later comes live, and some of it
 * twice.
 */

/** How long ago a stream may have stopped, milliseconds: an hour. */
const RESUMED_MS = 3600 * 1000;
/**
 * Rows read at a time; a row holds a quarter of a megabyte at most, save one with a single event.
 */
const ROWS_AT_A_TIME = 20;
/** Pending rows that are waited for: more than the relay publishes before it marks them. */
const PENDING_ROWS = 100;
/** Pauses before pending rows are looked at again, milliseconds: each twice the one before. */
const LOOK_AGAIN_MS = { first: 20, most: 1000 };
/** Most events before the last one of a client that are known to be told already: the newest. */
const HAD_MAX = 20_000;
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

/** Returns the numbers of the rows that are pending. Rejects when the database is unavailable. */
export const pendingRows = async (): Promise<number[]> =>
  (
    await Outbox.findAll({
      attributes: ['seq'],
      where: { relayedAt: null },
      order: ['seq'],
      limit: PENDING_ROWS,
      raw: true,
    })
  ).map(({ seq }) => seq);

/** Resolves when none of these rows is pending, or `signal` is aborted. */
export async function relayed(seqs: readonly number[], signal: AbortSignal): Promise<void> {
  let pauseMs = LOOK_AGAIN_MS.first;
  while (
    seqs.length > 0 &&
    !signal.aborted &&
    (await Outbox.count({ where: { seq: [...seqs], relayedAt: null } })) > 0
  ) {
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    pauseMs = Math.min(2 * pauseMs, LOOK_AGAIN_MS.most);
  }
}

/** What a client has missed. */
export interface Missed {
  readonly events: AsyncGenerator<LoggedEvent>;
  /** The ids of those before, as far as they may also come live. */
  readonly had: ReadonlySet<string>;
}

/**
 * Returns the events after the one with this id, for a client that subscribed at `subscribed`.
 * Null when that one is not among those of the last hour. Rejects when the database is unavailable.
 */
export async function eventsAfter(eventId: string, subscribed: Date): Promise<Missed | null> {
  if (!isEventId(eventId)) return null;
  const since = Math.max(receivedAt(eventId), subscribed.getTime() - RESUMED_MS) - CLOCKS_MS;
  const events = relayedEvents(new Date(since), subscribed.getTime() - CLOCKS_MS);
  const had = new Set<string>();
  // Not with `for await`, which would end them.
  for (let next = await events.next(); !next.done; next = await events.next()) {
    const { event, live } = next.value;
    if (live) had.add(event.eventId);
    const [oldest] = had;
    if (had.size > HAD_MAX && oldest !== undefined) had.delete(oldest);
    if (event.eventId === eventId) return { events, had };
  }
  return null;
}

async function* relayedEvents(since: Date, liveFrom: number): AsyncGenerator<LoggedEvent> {
  for await (const row of relayedSince({ relayedAt: since, seq: 0 })) {
    const live = (row.relayedAt?.getTime() ?? 0) >= liveFrom;
    for (const event of eventsIn(row)) yield { event, live };
  }
}
