import { ClientRequest, type IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

/** One request and its answer, as they went over the wire. */
export interface Exchange {
  readonly origin: string;
  readonly method: string;
  /** Path and query as they were sent. */
  readonly url: string;
  readonly requestHeaders: Readonly<Record<string, string | undefined>>;
  readonly requestBody: Buffer;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Decompressed; empty for a stream, which is looked at when it begins. */
  readonly body: Buffer;
}

type Listener = (exchange: Exchange) => void;

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  deflate: inflateSync,
};

const isStream = ({ headers }: IncomingMessage): boolean =>
  headers['content-type']?.startsWith('text/event-stream') ?? false;

const flat = (headers: Readonly<Record<string, unknown>>): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value)
        ? value.join(', ')
        : value === undefined
          ? undefined
          : String(value as string | number),
    ]),
  );

const bytesOf = (chunk: unknown, encoding: unknown): Buffer =>
  typeof chunk === 'string'
    ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
    : Buffer.isBuffer(chunk)
      ? chunk
      : Buffer.alloc(0);

/** Collects the body without consuming it, which the caller does. */
function collect(response: IncomingMessage, done: (body: Buffer) => void): void {
  const parts: Buffer[] = [];
  const push = response.push.bind(response);
  response.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (chunk === null) done(Buffer.concat(parts));
    else parts.push(bytesOf(chunk, encoding));
    return push(chunk, encoding);
  };
}

/**
 * Returns the body as it was before it was compressed; one that cannot be unpacked stays as it is.
 */
function decoded(body: Buffer, encoding = ''): Buffer {
  try {
    return DECODERS[encoding]?.(body) ?? body;
  } catch {
    return body;
  }
}

function listenTo(request: ClientRequest, requestBody: () => Buffer, listener: Listener): void {
  request.once('response', (response: IncomingMessage) => {
    const tell = (body: Buffer) => {
      const headers = flat(response.headers);
      const origin = `${request.protocol}//${String(request.getHeader('host'))}`;
      const requestHeaders = flat(request.getHeaders());
      const asked = {
        origin,
        method: request.method,
        url: request.path,
        requestHeaders,
        requestBody: decoded(requestBody(), requestHeaders['content-encoding']),
      };
      listener({
        ...asked,
        status: response.statusCode ?? 0,
        headers,
        body: decoded(body, headers['content-encoding']),
      });
    };
    if (isStream(response)) tell(Buffer.alloc(0));
    else collect(response, tell);
  });
}

/** Reports every exchange of Node's HTTP client to a listener. Returns a function that stops it. */
export function tapExchanges(listener: Listener): () => void {
  const prototype = ClientRequest.prototype as unknown as Record<
    'write' | 'end',
    (...args: unknown[]) => unknown
  >;
  const { write, end } = prototype;
  const sent = new WeakMap<object, Buffer[]>();
  const note = (request: object, [chunk, encoding]: unknown[]) => {
    const parts = sent.get(request) ?? [];
    sent.set(request, [...parts, bytesOf(chunk, encoding)]);
  };
  prototype.write = function (this: ClientRequest, ...args) {
    note(this, args);
    return write.apply(this, args);
  };
  prototype.end = function (this: ClientRequest, ...args) {
    note(this, args);
    listenTo(this, () => Buffer.concat(sent.get(this) ?? []), listener);
    return end.apply(this, args);
  };
  return () => Object.assign(prototype, { write, end });
}
