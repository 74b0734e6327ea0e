import { setTimeout as sleep } from 'node:timers/promises';
import { OpsError } from '../command';
import { Connections } from './connections';
import { asObject, fatalReason, parsedBody, textOf, type Answer } from './service-answer';

/**
 * Calls the running service. A call that was not taken (429, 502, 503, 504, a connection that
 * broke) is sent again with the same Idempotency-Key until it is answered; a 202 is followed until
 * its command has ended.
 */

/**
 * Longest silence of the service in one call, milliseconds. It is longer than the API ever waits
 * for a command.
 */
const ANSWER_WAIT_MS = 60_000;
/** How long a status is waited for in one request, seconds: the most that the API allows. */
const STATUS_WAIT_S = 30;
/** How long an accepted command may take, milliseconds. */
const COMMAND_WAIT_MS = 15 * 60_000;
/** When no request at all was answered for so long, the service counts as gone, milliseconds. */
const SILENCE_MAX_MS = 120_000;
/**
 * Waits between tries without a Retry-After: doubled from the first to the longest, milliseconds.
 */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5000;
/** Longest Retry-After that is honoured, milliseconds. */
const RETRY_AFTER_MAX_MS = 60_000;
const TRY_AGAIN = new Set([429, 502, 503, 504]);

export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Path and query below the service's address. */
  readonly path: string;
  readonly body?: object;
  /** Idempotency-Key of a POST. */
  readonly key?: string;
}

interface CommandStatus {
  readonly status: string;
  readonly httpStatus: number | null;
  readonly result: unknown;
  readonly problem: unknown;
}

/** Why a request brought no answer. */
function reasonOf(error: unknown): string {
  const { message, code } = error as Error & { code?: string };
  return code ?? message;
}

export class ServiceClient {
  private lastAnswerAt = Date.now();
  private readonly connections = new Connections(ANSWER_WAIT_MS);

  /** `token` is asked before each request, so that a long import can renew it. */
  constructor(
    private readonly base: string,
    private readonly token: () => string,
  ) {}

  /** Asks once. @throws OpsError when there is no service, or it refuses the token. */
  async check(): Promise<void> {
    const first = await this.request({ method: 'GET', path: '/api/book-infos?size=1' }).catch(
      (error: unknown) => {
        throw new OpsError(`No service answers at ${this.base} (${reasonOf(error)}).`);
      },
    );
    if (!TRY_AGAIN.has(first.answer.status)) this.judged(first.answer);
  }

  /** @throws OpsError when the service is gone, or the fault is not the call's. */
  async call(call: Call): Promise<Answer> {
    const answer = await this.answered(call);
    return answer.status === 202 ? this.followed(textOf(answer, 'statusUrl')) : answer;
  }

  /** Ends what is open, once no call is under way. */
  close(): void {
    this.connections.close();
  }

  private async request({ method, path, body, key }: Call) {
    const { status, retryAfter, text } = await this.connections.request(new URL(path, this.base), {
      method,
      headers: {
        authorization: `Bearer ${this.token()}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(key ? { 'idempotency-key': key } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { answer: { status, body: parsedBody(text) } satisfies Answer, retryAfter };
  }

  private async answered(call: Call): Promise<Answer> {
    for (let tries = 0; ; tries += 1) {
      let reason: string;
      let pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS);
      try {
        const { answer, retryAfter } = await this.request(call);
        if (!TRY_AGAIN.has(answer.status)) return this.judged(answer);
        reason = String(answer.status);
        const askedMs = Number(retryAfter) * 1000;
        if (askedMs > 0) pauseMs = Math.min(askedMs, RETRY_AFTER_MAX_MS);
      } catch (error) {
        if (error instanceof OpsError) throw error;
        reason = reasonOf(error);
      }
      if (Date.now() - this.lastAnswerAt > SILENCE_MAX_MS) {
        throw new OpsError(
          `The service at ${this.base} has accepted nothing for ${SILENCE_MAX_MS / 1000} s (${reason}). Start the import again when it is back. It continues where it stopped.`,
        );
      }
      // The waits differ, so that all calls in flight do not come back in the same instant.
      await sleep(pauseMs * (1 + Math.random() / 2));
    }
  }

  private judged(answer: Answer): Answer {
    this.lastAnswerAt = Date.now();
    const reason = fatalReason(answer);
    if (reason) throw new OpsError(reason);
    return answer;
  }

  private async followed(statusUrl: string): Promise<Answer> {
    const url = new URL(statusUrl, this.base);
    url.searchParams.set('wait', String(STATUS_WAIT_S));
    const deadline = Date.now() + COMMAND_WAIT_MS;
    while (Date.now() < deadline) {
      const answer = await this.answered({ method: 'GET', path: `${url.pathname}${url.search}` });
      if (answer.status !== 200) return answer;
      const { status, httpStatus, result, problem } = answer.body as unknown as CommandStatus;
      if (status !== 'queued')
        return {
          status: httpStatus ?? (status === 'succeeded' ? 200 : 500),
          body: asObject(result ?? problem),
        };
      await sleep(FIRST_PAUSE_MS);
    }
    return {
      status: 504,
      body: {
        detail: `its command has not ended after ${COMMAND_WAIT_MS / 60_000} minutes (${url.pathname})`,
      },
    };
  }
}
