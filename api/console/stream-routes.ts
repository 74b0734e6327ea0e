import { once } from 'node:events';
import type { Response } from 'express';
import type { Endpoint, Input } from '../http/endpoint';
import { startEventStream } from '../http/streams/event-stream';
import { StreamPlaces } from '../http/streams/stream-places';
import { shown } from '../openapi/doc';
import { text } from '../openapi/schema';
import type { ConsolePoint } from './history';
import type { Sampler } from './sampler';
import { consoleHistory, consoleSample } from './schemas';

/** Most consoles that this process serves at a time; more are refused. */
const CONSOLES_MAX = 50;

/** The open consoles of this process. */
export class ConsoleStreams {
  private readonly places = new StreamPlaces(CONSOLES_MAX);

  constructor(private readonly sampler: Sampler) {}

  /**
   * Sends a sample each second until the client goes.
   * @throws Problem RATE_LIMITED when the user has too many, UNAVAILABLE when there are too many.
   */
  async serve(
    input: Pick<Input, 'actor' | 'token' | 'address'>,
    response: Response,
  ): Promise<void> {
    const over = this.places.take(input, response);
    const stream = startEventStream(response);
    const leave = this.sampler.watch((json) => {
      stream.send('sample', json);
    });
    try {
      if (!response.closed && !over.signal.aborted)
        await once(response, 'close', { signal: over.signal }).catch(() => undefined);
    } finally {
      leave();
      over.sayGoodbye(stream);
      stream.end();
      this.places.leave(over);
    }
  }

  /** Returns the endpoint of the points with which charts begin. */
  points(): Promise<readonly ConsolePoint[]> {
    return this.sampler.points();
  }

  /** Ends all streams, and takes no more. */
  close(): void {
    this.places.close();
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
        'The data of each event `sample` is a `ConsoleSample`. Depth counts waiting commands and those that a worker holds. The age of the oldest command is unknown while no worker holds the partition. Types are those of the last minute. Their times run from the reception of a command to its decision.',
      problems: ['RATE_LIMITED'],
      answers: {
        200: {
          description: 'The stream.',
          schema: { ...text, contentMediaType: 'application/json', contentSchema: consoleSample },
          type: 'text/event-stream',
        },
      },
    },
    stream: (input: Input, _request, response) => streams.serve(input, response),
  };
}

export function consoleHistoryEndpoint(streams: ConsoleStreams): Endpoint {
  return {
    method: 'get',
    path: '/api/console/history',
    who: 'admin',
    kind: 'read',
    doc: {
      id: 'getConsoleHistory',
      tag: 'Console',
      summary: 'Totals of the last minutes, a point each second',
      description:
        'Earliest first. Before somebody opened the console, only the number of ended commands is known. Unknown values are null.',
      answers: shown(consoleHistory),
    },
    handle: async () => ({ status: 200, body: { items: await streams.points() } }),
  };
}
