import { once } from 'node:events';
import type { Response } from 'express';
import type { Now } from '../../shared/database/clock';
import type { EventMessage, EventSource } from '../../shared/messaging/transport';
import { startEventStream, type EventStream } from '../http/event-stream';
import { Problem } from '../http/problem';
import { eventsAfter, type LoggedEvent } from './log';

/** Most streams of domain events that this process serves at a time; more are refused. */
const STREAMS_MAX = 100;
/** Most live events that wait while a stream catches up, and most that it knows it has sent already; with more it ends, and is resumed from further on. */
const EVENTS_HELD_MAX = 20_000;

interface Wanted {
  readonly fits: (event: EventMessage) => boolean;
  /** The last event that the client has; undefined for one that begins. */
  readonly after: string | undefined;
}

/**
 * The open streams of domain events. A stream shows what happens while it is open, before that what its client has missed, when it says
 * what it has seen last; and it says so when that was too long ago. When its source may have missed something it ends, so that its client
 * sees that and connects again.
 */
export class EventStreams {
  private readonly streams = new Set<AbortController>();
  private closed = false;

  constructor(
    private readonly source: EventSource,
    private readonly now: Now,
  ) {}

  /**
   * Sends the wanted events until the client goes, or the source is lost.
   * @throws Problem UNAVAILABLE when there are too many streams, or when events cannot be had now.
   */
  async serve(response: Response, { fits, after }: Wanted): Promise<void> {
    if (this.closed || this.streams.size >= STREAMS_MAX) throw new Problem('UNAVAILABLE', `No more streams are served now; the limit is ${STREAMS_MAX}.`);
    const over = new AbortController();
    const end = () => {
      over.abort();
    };
    const early: EventMessage[] = [];
    let take = (event: EventMessage) => {
      if (early.push(event) > EVENTS_HELD_MAX) end();
    };
    this.streams.add(over);
    try {
      const taken = (event: EventMessage) => {
        if (fits(event)) take(event);
      };
      const leave = await this.source.subscribe({ take: taken, lost: end }).catch((cause: unknown) => {
        throw new Problem('UNAVAILABLE', 'Events cannot be had now; try again.', { cause });
      });
      try {
        const missed = after === undefined ? undefined : await eventsAfter(after, this.now);
        const stream = startEventStream(response);
        if (missed === null) stream.send('gap', JSON.stringify({ lastEventId: after }));
        const told = missed ? await this.catchUp(stream, missed, fits, over) : new Set<string>();
        const send = ({ type, json, eventId }: EventMessage) => {
          if (!told.delete(eventId)) stream.send(type, json, eventId);
        };
        for (let event = early.shift(); event && !over.signal.aborted; event = early.shift()) {
          send(event);
          await stream.drained();
        }
        take = send;
        if (stream.open && !over.signal.aborted) await once(response, 'close', { signal: over.signal }).catch(() => undefined);
        stream.end();
      } finally {
        leave();
      }
    } finally {
      this.streams.delete(over);
    }
  }

  /** Sends what a client has missed; returns the ids of those that may also come live. */
  private async catchUp(stream: EventStream, missed: AsyncGenerator<LoggedEvent>, fits: Wanted['fits'], over: AbortController): Promise<Set<string>> {
    const told = new Set<string>();
    for await (const { event, live } of missed) {
      if (!stream.open || over.signal.aborted) break;
      if (live && told.add(event.eventId).size > EVENTS_HELD_MAX) over.abort();
      if (!fits(event)) continue;
      stream.send(event.type, event.json, event.eventId);
      await stream.drained();
    }
    return told;
  }

  /** Ends all streams, and takes no more. */
  close(): void {
    this.closed = true;
    for (const stream of this.streams) stream.abort();
  }
}
