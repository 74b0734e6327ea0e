import { once } from 'node:events';
import type { Response } from 'express';
import type { EventMessage, EventSource } from '../../shared/messaging/transport';
import { startEventStream, type EventStream } from '../http/event-stream';
import { Problem } from '../http/problem';

/** Most streams of domain events that this process serves at a time; more are refused. */
const STREAMS_MAX = 100;

/**
 * The open streams of domain events. A stream shows what happens while it is open and keeps nothing for later; when its
 * source may have missed something it ends, so that its client sees that and connects again.
 */
export class EventStreams {
  private readonly streams = new Set<AbortController>();
  private closed = false;

  constructor(private readonly source: EventSource) {}

  /**
   * Sends the wanted events until the client goes, or the source is lost.
   * @throws Problem UNAVAILABLE when there are too many streams, or when events cannot be had now.
   */
  async serve(response: Response, wanted: (event: EventMessage) => boolean): Promise<void> {
    if (this.closed || this.streams.size >= STREAMS_MAX) throw new Problem('UNAVAILABLE', `No more streams are served now; the limit is ${STREAMS_MAX}.`);
    const over = new AbortController();
    let stream: EventStream | null = null;
    const take = (event: EventMessage) => {
      if (wanted(event)) stream?.send(event.type, event.json, event.eventId);
    };
    const lost = () => {
      over.abort();
    };
    this.streams.add(over);
    try {
      const leave = await this.source.subscribe({ take, lost }).catch((cause: unknown) => {
        throw new Problem('UNAVAILABLE', 'Events cannot be had now; try again.', { cause });
      });
      stream = startEventStream(response);
      if (!response.closed) await once(response, 'close', { signal: over.signal }).catch(() => undefined);
      leave();
      stream.end();
    } finally {
      this.streams.delete(over);
    }
  }

  /** Ends all streams, and takes no more. */
  close(): void {
    this.closed = true;
    for (const stream of this.streams) stream.abort();
  }
}
