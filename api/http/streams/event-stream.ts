import { once } from 'node:events';
import type { Response } from 'express';
import { endWhenRefused } from './allowed';

/**
 * A comment line goes out this often on a stream that stands still, milliseconds: proxies cut
 * silent connections.
 */
const KEEP_ALIVE_MS = 15_000;
/** Largest backlog of a slow reader, bytes. A reader with a longer one is disconnected. */
const BUFFERED_MAX = 2 * 1024 * 1024;

export interface EventStream {
  /** False once the client has gone. */
  readonly open: boolean;
  /**
   * Sends JSON text, which has no line ends, as one event. `id` is what the client remembers as the
   * last one.
   */
  send(event: string, json: string, id?: string): void;
  /** Resolves when what was sent is on its way, or the client has gone. */
  drained(): Promise<void>;
  end(): void;
}

/**
 * Answers with server-sent events (WHATWG HTML, section 9.2) until `end`, until the client goes, or
 * until it may no longer have them.
 */
export function startEventStream(response: Response): EventStream {
  const isOpen = () => !response.closed && !response.writableEnded;
  const write = (text: string) => {
    if (!isOpen()) return;
    if (response.writableLength > BUFFERED_MAX) response.destroy();
    else response.write(text);
  };
  response.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
  });
  write(': open\n\n');
  const keepAlive = setInterval(() => {
    write(': keep-alive\n\n');
  }, KEEP_ALIVE_MS);
  response.once('close', () => {
    clearInterval(keepAlive);
  });
  const end = () => {
    if (isOpen()) response.end();
  };
  endWhenRefused(response, end);
  // A HEAD request asks for the headers alone.
  if (response.req.method === 'HEAD') end();
  return {
    get open() {
      return isOpen();
    },
    send(event, json, id) {
      write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${json}\n\n`);
    },
    async drained() {
      if (!isOpen() || !response.writableNeedDrain) return;
      const either = new AbortController();
      await Promise.race(
        ['drain', 'close'].map((name) => once(response, name, { signal: either.signal })),
      ).catch(() => undefined);
      either.abort();
    },
    end,
  };
}
