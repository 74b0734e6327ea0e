import { once } from 'node:events';
import type { Response } from 'express';
import type { Endpoint } from '../http/endpoint';
import { startEventStream } from '../http/event-stream';
import { Problem } from '../http/problem';
import { text } from '../openapi/schema';
import type { Sampler } from './sampler';
import { consoleSample } from './schemas';

/** Most consoles that this process serves at a time; more are refused. */
const CONSOLES_MAX = 50;

/** The open consoles of this process. */
export class ConsoleStreams {
  private readonly open = new Set<AbortController>();
  private closed = false;

  constructor(private readonly sampler: Sampler) {}

  /**
   * Sends a sample each second until the client goes.
   * @throws Problem UNAVAILABLE when there are too many.
   */
  async serve(response: Response): Promise<void> {
    if (this.closed || this.open.size >= CONSOLES_MAX) throw new Problem('UNAVAILABLE', `No more consoles are served now; the limit is ${CONSOLES_MAX}.`);
    const over = new AbortController();
    this.open.add(over);
    const stream = startEventStream(response);
    const leave = this.sampler.watch((json) => {
      stream.send('sample', json);
    });
    try {
      if (!response.closed) await once(response, 'close', { signal: over.signal }).catch(() => undefined);
    } finally {
      leave();
      stream.end();
      this.open.delete(over);
    }
  }

  /** Ends all streams, and takes no more. */
  close(): void {
    this.closed = true;
    for (const stream of this.open) stream.abort();
  }
}

export function consoleStreamEndpoint(streams: ConsoleStreams): Endpoint {
  return {
    method: 'get',
    path: '/api/console/stream',
    who: 'admin',
    kind: 'stream',
    doc: {
      id: 'streamConsole',
      tag: 'Console',
      summary: 'How the service is doing, each second, as server-sent events',
      description:
        'The data of each event `sample` is a `ConsoleSample`. Depth counts what waits and what a worker has in hand. Nobody can tell how old the oldest command is where no worker holds the partition. Types are those of the last minute, and their times from the reception of a command to its decision.',
      answers: { 200: { description: 'The stream, which ends when the client goes or lags too far behind.', schema: { ...text, contentMediaType: 'application/json', contentSchema: consoleSample }, type: 'text/event-stream' } },
    },
    stream: (_input, _request, response) => streams.serve(response),
  };
}
