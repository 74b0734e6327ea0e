import { Unfinished } from '../../../clients/typescript/src/errors.ts';
import { Requests } from '../../../clients/typescript/src/requests.ts';
import { LATER, type Fetch, type Method } from '../../../clients/typescript/src/transport.ts';
import { OpsError } from '../command';
import { Connections } from './connections';
import { fatalReason, parsedBody, type Answer } from './service-answer';

/**
 * Calls the running service with the client, which makes keys, tries again and follows promises. An
 * import is more patient than other callers: it goes on as long as the service accepts something.
 */

/** How long an accepted command may take, milliseconds. */
export const COMMAND_WAIT_MS = 15 * 60_000;
/** When no request at all was answered for so long, the service counts as gone, milliseconds. */
const SILENCE_MAX_MS = 120_000;
/** Longest Retry-After that is waited for, milliseconds. */
const RETRY_AFTER_MAX_MS = 60_000;

export interface Call {
  readonly method: Method;
  /** Path and query below the service's address. */
  readonly path: string;
  readonly body?: object;
  /** Idempotency-Key of a write. */
  readonly key?: string;
}

/** Returns why a request brought no answer. */
function reasonOf(error: unknown): string {
  const { message, code, cause } = error as Error & { code?: string };
  return cause === undefined ? (code ?? message) : reasonOf(cause);
}

export class ServiceClient {
  private isReached = false;
  private lastAnswerAt = Date.now();
  private readonly connections = new Connections();
  private readonly requests: Requests;

  /** `token` is asked before each request, so that a long import can renew it. */
  constructor(
    private readonly base: string,
    token: () => string,
  ) {
    this.requests = new Requests({
      ...{ baseUrl: base, token, fetch: this.fetch, followMs: COMMAND_WAIT_MS },
      retries: () => this.isReached && Date.now() - this.lastAnswerAt <= SILENCE_MAX_MS,
      retryAfterMaxMs: RETRY_AFTER_MAX_MS,
    });
  }

  /** Asks once. @throws OpsError when there is no service, or it refuses the token. */
  async check(): Promise<void> {
    const first = await this.requests
      .send('GET', '/api/book-infos?size=1')
      .catch((error: unknown) => {
        throw new OpsError(`No service answers at ${this.base} (${reasonOf(error)}).`);
      });
    this.isReached = true;
    if (!LATER.includes(first.status)) this.judged(first);
  }

  /** @throws OpsError when the service is gone, or the fault is not the call's. */
  async call({ method, path, body, key }: Call): Promise<Answer> {
    try {
      const answer = await this.requests.send(method, path, {
        ...(body && { body }),
        ...(key !== undefined && { idempotencyKey: key }),
      });
      if (LATER.includes(answer.status)) throw this.gone(String(answer.status));
      return this.judged(answer);
    } catch (error) {
      if (error instanceof OpsError) throw error;
      if (error instanceof Unfinished) return { status: 504, body: { detail: error.message } };
      throw this.gone(reasonOf(error));
    }
  }

  /** Ends what is open, once no call is under way. */
  close(): void {
    this.connections.close();
  }

  private readonly fetch: Fetch = async (url, init) => {
    const answer = await this.connections.fetch(url, init);
    if (!LATER.includes(answer.status)) this.lastAnswerAt = Date.now();
    return answer;
  };

  private judged({ status, text }: { readonly status: number; readonly text: string }): Answer {
    const answer = { status, body: parsedBody(text) };
    const reason = fatalReason(answer);
    if (reason) throw new OpsError(reason);
    return answer;
  }

  private gone(reason: string): OpsError {
    return new OpsError(
      `The service at ${this.base} has accepted nothing for ${SILENCE_MAX_MS / 1000} s (${reason}). Start the import again when it is back. It continues where it stopped.`,
    );
  }
}
