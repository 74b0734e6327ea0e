import { encodeEvent, eventMessage, type PublishedEvent } from '../../shared/messaging/event';
import type { EventMessage } from '../../shared/messaging/transport';

/** Events as rows of the outbox, a line each, and back. */

/**
 * Most events in a row of the outbox, and most characters unless one event has more: bounds what
 * the relay has in memory.
 */
const EVENTS_MAX = 50;
const LENGTH_MAX = 256 * 1024;

/**
 * Makes the rows of the outbox for the events of a batch, in order. They are few, because a row
 * costs the database the same whatever it holds.
 */
export function outboxRows(
  events: readonly PublishedEvent[],
  occurredAt: Date,
): { readonly events: string; readonly occurredAt: Date }[] {
  const rows: string[][] = [];
  let length = 0;
  for (const line of events.map(encodeEvent)) {
    const row = rows.at(-1);
    if (row && row.length < EVENTS_MAX && length + line.length <= LENGTH_MAX) row.push(line);
    else {
      rows.push([line]);
      length = 0;
    }
    length += line.length;
  }
  return rows.map((lines) => ({ events: lines.join('\n'), occurredAt }));
}

/** The messages for the events of a row, in their order. */
export const messagesIn = ({ events }: { readonly events: string }): EventMessage[] =>
  events.split('\n').map(eventMessage);
