import { Unfinished } from './errors.ts';
import {
  Transport,
  type Method,
  type RawAnswer,
  type RawRequest,
  type TransportOptions,
} from './transport.ts';

/**
 * Sends requests of any operation and follows promised commands. It knows nothing of the document,
 * so that what is built before the document can use it as well.
 */

/** How a client reaches the service, as whom, and how patient it is. */
export interface ClientOptions extends TransportOptions {
  /** How long to follow a promised command, milliseconds. Default 60,000. */
  readonly followMs?: number | undefined;
}

/** Options that every call takes. */
export interface CallOptions {
  /** Ends the call. A command that was sent already is carried out all the same. */
  readonly signal?: AbortSignal | undefined;
  /** Of a write; made anew for each call when it is not given. */
  readonly idempotencyKey?: string | undefined;
  /** Do it only to the version with this ETag, else `VERSION_MISMATCH`. */
  readonly ifMatch?: string | undefined;
  /** How long the service is to wait for the final answer before it promises one, seconds. */
  readonly wait?: number | undefined;
  /** How long to follow a promised command, milliseconds; 0 rejects with `Unfinished` at once. */
  readonly followMs?: number | undefined;
}

/** What a request is made of. */
export interface Parts extends CallOptions {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

interface CommandPromise {
  readonly commandId: string;
  readonly statusUrl: string;
}

const FOLLOW_MS = 60_000;
/** How long the service waits for the end of a command when it is asked, seconds. */
const POLL_S = 20;
const KEY_BYTES = 16;

/** `crypto.randomUUID` is missing where a page is served without TLS. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');

/** Path and query of a request. */
export function urlOf(template: string, { path = {}, query = {} }: Parts): string {
  const filled = template.replace(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(path[name])),
  );
  const parameters = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => {
      const values = Array.isArray(value) ? (value as unknown[]) : [value];
      return `${name}=${values.map((one) => encodeURIComponent(String(one))).join(',')}`;
    });
  return parameters.length > 0 ? `${filled}?${parameters.join('&')}` : filled;
}

function rawRequest(method: Method, { body, idempotencyKey, ifMatch, wait }: Parts): RawRequest {
  return {
    method,
    headers: {
      Accept: 'application/json',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(method !== 'GET' && { 'Idempotency-Key': idempotencyKey ?? newKey() }),
      ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
      ...(wait !== undefined && { Prefer: `wait=${wait}` }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  };
}

/** The JSON of an answer, or its text. */
export function valueIn({ headers, text }: RawAnswer): unknown {
  if (text === '') return undefined;
  return headers.get('Content-Type')?.startsWith('application/json') ? JSON.parse(text) : text;
}

export class Requests {
  readonly transport: Transport;

  constructor(readonly options: ClientOptions) {
    this.transport = new Transport(options);
  }

  /**
   * Sends a request, follows a promised command to its end, and returns the answer.
   * @throws NoAnswer, Unfinished, and the reason of the signal
   */
  async send(method: Method, path: string, parts: Parts = {}): Promise<RawAnswer> {
    const { signal, followMs = this.options.followMs ?? FOLLOW_MS } = parts;
    const url = urlOf(path, parts);
    const request = rawRequest(method, parts);
    const endsAt = Date.now() + followMs;
    for (;;) {
      const answer = await this.transport.send(url, request, signal);
      if (answer.status !== 202) return answer;
      const promise = JSON.parse(answer.text) as CommandPromise;
      const refused = await this.follow(promise, endsAt, signal);
      if (refused) return refused;
      // The same key gets the final answer as the first request would have: with all its headers,
      // and with what is never stored, such as a token.
    }
  }

  /**
   * Waits for the end of a promised command; returns the answer when it may not be asked for.
   * @throws Unfinished
   */
  private async follow(
    { commandId, statusUrl }: CommandPromise,
    endsAt: number,
    signal?: AbortSignal,
  ): Promise<RawAnswer | null> {
    for (;;) {
      const leftS = Math.ceil((endsAt - Date.now()) / 1000);
      if (leftS <= 0) throw new Unfinished(commandId, statusUrl);
      const url = `${statusUrl}?wait=${Math.min(POLL_S, leftS)}`;
      const answer = await this.transport.send(url, rawRequest('GET', {}), signal);
      if (answer.status !== 200) return answer;
      if ((valueIn(answer) as { status: string }).status !== 'queued') return null;
    }
  }
}
