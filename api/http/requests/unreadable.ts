import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { problemBody } from '../responses/problem';
import { statusOf, type KnownCode } from '../responses/problem-kinds';

/**
 * Answers requests that Node cannot read. Then it ends the connection, because the next request on
 * it begins at an unknown place.
 */

interface Reason {
  readonly code: KnownCode;
  readonly detail: string;
}

const NO_HTTP: Reason = {
  code: 'MALFORMED_REQUEST',
  detail: 'The request line or a header is not valid HTTP/1.1.',
};

/** By the code of Node's error. */
const REASONS: Readonly<Record<string, Reason>> = {
  HPE_HEADER_OVERFLOW: {
    code: 'HEADERS_TOO_LARGE',
    detail: 'The request line and the headers must not exceed 16 KiB together.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    code: 'PAYLOAD_TOO_LARGE',
    detail: 'The chunk extensions of the body are too large.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: 'REQUEST_TIMEOUT',
    detail: 'The request did not arrive in time.',
  },
};

function textOf({ code, detail }: Reason): string {
  const requestId = randomUUID();
  const status = statusOf(code);
  const body = JSON.stringify(problemBody(code, detail, requestId));
  const headers = {
    'Content-Type': 'application/problem+json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
    Connection: 'close',
  };
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\r\n');
}

/** Listener of a server's `clientError`. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  // As Node does by itself: nothing may be written into the middle of another answer, whose only
  // mark is this property.
  const { _httpMessage: under } = socket as Duplex & {
    readonly _httpMessage?: ServerResponse | null;
  };
  if (!socket.writable || under?.headersSent) socket.destroy(error);
  else socket.end(textOf(REASONS[error.code ?? ''] ?? NO_HTTP), () => socket.destroy());
}
