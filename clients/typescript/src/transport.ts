import { NoAnswer } from './errors.ts';
import { backoffMs, pause } from './pause.ts';

/** Sends a request until an answer comes that is worth something. */

/** A token, or a function that is asked for one before each request. */
export type Token = string | (() => string | null | undefined | Promise<string | null | undefined>);

export interface TransportOptions {
  /** Address of the service, such as `https://library.example.org`; '' for that of the page. */
  readonly baseUrl: string;
  /** Access token; without one the client is nobody in particular. */
  readonly token?: Token | undefined;
  /** How often a request is sent again, or a function that says whether it is. Default 5. */
  readonly retries?: number | (() => boolean) | undefined;
  /** A longer `Retry-After` is the caller's to wait for, milliseconds. Default 30,000. */
  readonly retryAfterMaxMs?: number | undefined;
  /** Takes the place of the global `fetch`. */
  readonly fetch?: Fetch | undefined;
}

/** What the client needs of `fetch`. */
export type Fetch = (
  url: string,
  init: {
    readonly method: Method;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly signal: AbortSignal;
  },
) => Promise<Pick<Response, 'ok' | 'status' | 'headers' | 'body' | 'text'>>;

/** The methods that the service has. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface RawRequest {
  readonly method: Method;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const RETRIES = 5;
/** How long one try may take, milliseconds: longer than the service ever waits (30 s). */
const TRY_MS = 45_000;
const RETRY_AFTER_MAX_MS = 30_000;
/**
 * The request arrived too slowly, there were too many, or the service or a proxy cannot answer now.
 */
export const LATER: readonly number[] = [408, 429, 502, 503, 504];

export function retryAfterMs(headers: Headers): number {
  const seconds = Number(headers.get('Retry-After') ?? 0);
  return Number.isFinite(seconds) ? seconds * 1000 : 0;
}

export class Transport {
  constructor(readonly options: TransportOptions) {}

  /** One try. @throws whatever `fetch` throws */
  async open(url: string, { method, headers, body }: RawRequest, signal: AbortSignal) {
    const { baseUrl, token, fetch = globalThis.fetch } = this.options;
    const current = typeof token === 'function' ? await token() : token;
    return fetch(baseUrl.replace(/\/+$/, '') + url, {
      method,
      ...(body !== undefined && { body }),
      headers: { ...headers, ...(current && { Authorization: `Bearer ${current}` }) },
      signal,
    });
  }

  /**
   * The answer to a request. It is sent again after 408, 429, 502, 503 and 504, and when the
   * connection breaks: `Idempotency-Key` makes one command of all that.
   * @throws NoAnswer when the last try had none, and the reason of the signal
   */
  async send(url: string, request: RawRequest, signal?: AbortSignal): Promise<RawAnswer> {
    const { retries = RETRIES, retryAfterMaxMs = RETRY_AFTER_MAX_MS } = this.options;
    const isLastOf = (failures: number) =>
      typeof retries === 'number' ? failures >= retries : !retries();
    for (let failures = 0; ; failures += 1) {
      signal?.throwIfAborted();
      let answer: RawAnswer;
      try {
        answer = await this.read(url, request, signal);
      } catch (cause) {
        signal?.throwIfAborted();
        if (isLastOf(failures))
          throw new NoAnswer(`No answer to ${request.method} ${url}.`, { cause });
        await pause(backoffMs(failures), signal);
        continue;
      }
      const { status, headers } = answer;
      const askedMs = retryAfterMs(headers);
      if (!LATER.includes(status)) return answer;
      if (isLastOf(failures) || askedMs > retryAfterMaxMs) return answer;
      await pause(backoffMs(failures, askedMs), signal);
    }
  }

  private async read(url: string, request: RawRequest, signal?: AbortSignal): Promise<RawAnswer> {
    const limit = AbortSignal.timeout(TRY_MS);
    const response = await this.open(
      url,
      request,
      signal ? AbortSignal.any([signal, limit]) : limit,
    );
    // The connection may also break within the body.
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
}
