import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onCleanUp } from '../run/cleanup';

/**
 * A proxy in front of the service that answers the next requests as a test wants, and passes the
 * rest.
 */

type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

export interface Front {
  readonly url: string;
  /** Method, path and key of each request, in order. */
  readonly seen: { readonly method: string; readonly url: string; readonly key: string }[];
  /** What the next requests get, one after the other. */
  next(...answers: Answer[]): void;
  /** Resets every connection. */
  cut(): void;
}

const CODES = { 408: 'REQUEST_TIMEOUT', 429: 'RATE_LIMITED', 503: 'UNAVAILABLE' } as const;

/** The service refuses for now. */
export const refuse =
  (status: keyof typeof CODES, retryAfterS: number): Answer =>
  (incoming, outgoing) => {
    incoming.resume();
    const headers = {
      'Content-Type': 'application/problem+json',
      'Retry-After': String(retryAfterS),
    };
    const code = CODES[status];
    outgoing.writeHead(status, headers).end(JSON.stringify({ status, code, detail: 'Not now.' }));
  };

/** The connection breaks before the service has the request. */
export const breakOff: Answer = ({ socket }) => {
  socket.resetAndDestroy();
};

export async function startFront(serviceUrl: string): Promise<Front> {
  const waiting: Answer[] = [];
  const pass: Answer = (incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    const onward = request(serviceUrl + url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  };
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    front.seen.push({ method, url, key: String(headers['idempotency-key'] ?? '') });
    (waiting.shift() ?? pass)(incoming, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onCleanUp(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  const front: Front = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: [],
    next: (...answers) => {
      waiting.push(...answers);
    },
    cut: () => {
      server.closeAllConnections();
    },
  };
  return front;
}

/** The service has the request and answers it, and the answer is lost. */
export const loseAnswer =
  (serviceUrl: string): Answer =>
  (incoming, { socket }) => {
    const { method = '', url = '', headers } = incoming;
    const onward = request(serviceUrl + url, { method, headers }, (answer) => {
      answer.resume().on('end', () => socket?.resetAndDestroy());
    });
    incoming.pipe(onward);
  };
