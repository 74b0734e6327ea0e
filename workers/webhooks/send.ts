import { lookup, type LookupAllOptions, type LookupAddress } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isPublicAddress, namesPrivateHost } from '../../shared/webhooks/addresses';

/**
 * One POST to a receiver. Redirects are not followed, because they could lead anywhere, and the
 * answer's body is not read.
 */

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SendOptions {
  /** Whether private networks may be called. */
  readonly allowPrivate: boolean;
  /** How long look-up, connection and answer may take together, milliseconds. */
  readonly timeoutMs: number;
  /** Looks up names. The system's resolver by default. */
  readonly resolve?: Resolve;
}

type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

const PRIVATE = 'it leads to an address of a private network';

/** Looks up names, and returns only public addresses to connect to. */
const publicLookup =
  (resolve: Resolve): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) {
        callback(error, '');
        return;
      }
      const [first, ...more] = found.filter(({ address }) => isPublicAddress(address));
      if (!first) callback(new Error(PRIVATE), '');
      else if (options.all) callback(null, [first, ...more]);
      else callback(null, first.address, first.family);
    });
  };

/**
 * Sends a delivery, and returns the HTTP status of the answer.
 * @throws Error with the reason in words when there is no answer.
 */
export async function send(
  post: Post,
  { allowPrivate, timeoutMs, resolve = lookup }: SendOptions,
): Promise<number> {
  const url = new URL(post.url);
  if (!allowPrivate && namesPrivateHost(url)) throw new Error(PRIVATE);
  const signal = AbortSignal.timeout(timeoutMs);
  const headers = { ...post.headers, 'content-length': String(Buffer.byteLength(post.body)) };
  const options = {
    ...{ method: 'POST', headers, signal, agent: false },
    ...(!allowPrivate && { lookup: publicLookup(resolve) }),
  };
  return new Promise((done, fail) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options);
    request.on('response', ({ statusCode = 0 }) => {
      done(statusCode);
      request.destroy();
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      fail(
        signal.aborted
          ? new Error(`it did not answer within ${timeoutMs / 1000} s`)
          : new Error(error.message || (error.code ?? 'the connection failed')),
      );
    });
    request.end(post.body);
  });
}
