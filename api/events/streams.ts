import { once } from 'node:events';
import type { Response } from 'express';
import type { Now } from '../../shared/database/clock';
import type { EventMessage, EventSource } from '../../shared/messaging/transport';
import { startEventStream, type EventStream } from '../http/streams/event-stream';
import type { Input } from '../http/endpoint';
import { Problem } from '../http/responses/problem';
import { StreamPlaces, type StreamPlace } from '../http/streams/stream-places';
import { eventsAfter, pendingRows, relayed, type Missed } from './log';

/** Most streams of domain events that this process serves at a time; more are refused. */
const STREAMS_MAX = 100;
/**
 * Most live events that wait while a stream catches up, and most that it knows it has sent already;
 * with more it ends, and is resumed from further on.
 */
const EVENTS_HELD_MAX = 20_000;

interface Wanted {
  readonly fits: (event: EventMessage) => boolean;
  /** The last event that the client has; undefined for a new stream. */
  readonly after: string | undefined;
  /** The name and data to send for an event; by default the event itself. */
  readonly shown?: (event: EventMessage) => { readonly name: string; readonly json: string };
}

const asItIs: NonNullable<Wanted['shown']> = ({ type, json }) => ({ name: type, json });

/**
 * The open streams of domain events. A stream shows what happens while it is open, before that what
 * its client has missed, when it says what it has seen last; and it says so when that was too long
 * ago. When its source may have missed something it ends, so that its client sees that and connects
 * again.
 */
export class EventStreams {
  private readonly places = new StreamPlaces(STREAMS_MAX);

  constructor(
    private readonly source: EventSource,
    private readonly now: Now,
  ) {}

  /**
   * Sends the wanted events until the client goes, or the source is lost.
   * @throws Problem RATE_LIMITED when the user has too many streams, UNAVAILABLE when there are too
   * many or events cannot be had now.
   */
  async serve(
    input: Pick<Input, 'actor' | 'token' | 'address'>,
    response: Response,
    { fits, after, shown = asItIs }: Wanted,
  ): Promise<void> {
    const over = this.places.take(input, response);
    const end = () => {
      over.end();
    };
    const early: EventMessage[] = [];
    let take = (event: EventMessage) => {
      if (early.push(event) > EVENTS_HELD_MAX) end();
    };
    try {
      const taken = (event: EventMessage) => {
        if (fits(event)) take(event);
      };
      const leave = await this.source
        .subscribe({ take: taken, lost: end })
        .catch((cause: unknown) => {
          throw new Problem('UNAVAILABLE', 'Events are unavailable. Try again later.', { cause });
        });
      try {
        const subscribed = this.now();
        const pending = after === undefined ? [] : await pendingRows();
        const stream = startEventStream(response);
        response.once('close', end);
        const show = (event: EventMessage) => {
          const { name, json } = shown(event);
          stream.send(name, json, event.eventId);
        };
        let told = new Set<string>();
        if (after !== undefined) {
          await relayed(pending, over.signal);
          const missed = await eventsAfter(after, subscribed);
          if (missed) told = await this.catchUp(stream, missed, { fits, show }, over);
          else stream.send('gap', JSON.stringify({ lastEventId: after }));
        }
        const send = (event: EventMessage) => {
          if (!told.delete(event.eventId)) show(event);
        };
        for (let event = early.shift(); event && !over.signal.aborted; event = early.shift()) {
          send(event);
          await stream.drained();
        }
        take = send;
        if (stream.open && !over.signal.aborted)
          await once(response, 'close', { signal: over.signal }).catch(() => undefined);
        over.sayGoodbye(stream);
        stream.end();
      } finally {
        leave();
      }
    } finally {
      this.places.leave(over);
    }
  }

  /**
   * Sends the events that a client has missed. Returns the ids of those that it has now, and that
   * may also come live.
   */
  private async catchUp(
    stream: EventStream,
    { events, had }: Missed,
    { fits, show }: Pick<Wanted, 'fits'> & { readonly show: (event: EventMessage) => void },
    over: StreamPlace,
  ): Promise<Set<string>> {
    const told = new Set(had);
    for await (const { event, live } of events) {
      if (!stream.open || over.signal.aborted) break;
      if (live && told.add(event.eventId).size > had.size + EVENTS_HELD_MAX) over.end();
      if (!fits(event)) continue;
      show(event);
      await stream.drained();
    }
    return told;
  }

  /** Ends all streams, and takes no more. */
  close(): void {
    this.places.close();
  }
}
