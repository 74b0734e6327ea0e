import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onCleanUp } from '../run/cleanup';

/** A receiver of webhooks, with answers that the test sets. */

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly event: {
    readonly id: string;
    readonly type: string;
    readonly subject: string;
    readonly sequence: number;
  };
  /** The status that it was answered with; null when it was left without an answer. */
  readonly answer: number | null;
}

export class Receiver {
  /** Every request, in order. */
  readonly received: Received[] = [];
  /** The answer to a request; null leaves the request hanging. */
  answer: (request: Omit<Received, 'answer'>) => number | null = () => 204;
  url = '';
  private port = 0;
  private server: Server | null = null;

  /** Started again, it has the port that it had. */
  async start(): Promise<this> {
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => (body += part.toString('utf8')));
      request.on('end', () => {
        const event = JSON.parse(body) as Received['event'];
        const given = { headers: request.headers, body, event };
        const answer = this.answer(given);
        this.received.push({ ...given, answer });
        if (answer !== null) response.writeHead(answer, { location: `${this.url}/moved` }).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.server = server;
    this.port = (server.address() as AddressInfo).port;
    this.url = `http://127.0.0.1:${this.port}`;
    onCleanUp(() => this.stop());
    return this;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      if (!this.server?.listening) {
        resolve();
        return;
      }
      this.server.close(() => {
        resolve();
      });
      this.server.closeAllConnections();
    });
  }

  /** The events that it has accepted, in order, each once. */
  get accepted(): Received['event'][] {
    const events = this.received
      .filter(({ answer }) => answer === 204)
      .map(({ event }) => [event.id, event] as const);
    return [...new Map(events).values()];
  }
}
