import type { Response } from 'express';

/** A comment line goes out this often on a stream that stands still, milliseconds: proxies cut silent connections. */
const KEEP_ALIVE_MS = 15_000;

export interface EventStream {
  /** False once the client has gone. */
  readonly open: boolean;
  /** Sends JSON text, which has no line ends, as one event. */
  send(event: string, json: string): void;
  end(): void;
}

/** Answers with server-sent events (WHATWG HTML, section 9.2) until `end`, or until the client goes. */
export function startEventStream(response: Response): EventStream {
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
  response.write(': open\n\n');
  const keepAlive = setInterval(() => response.write(': keep-alive\n\n'), KEEP_ALIVE_MS);
  response.once('close', () => {
    clearInterval(keepAlive);
  });
  return {
    get open() {
      return !response.closed && !response.writableEnded;
    },
    send(event, json) {
      response.write(`event: ${event}\ndata: ${json}\n\n`);
    },
    end() {
      response.end();
    },
  };
}
