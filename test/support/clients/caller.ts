import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * A client that does not give up. Every call has an Idempotency-Key: when the connection breaks, it
 * is sent again until it has the final answer, and a promise (202) is followed to its end. So each
 * call has one answer in the end, whatever is killed meanwhile.
 */

/** How long one call may take until its final answer by default, milliseconds. */
const CALL_MS = 180_000;
const RETRY_PAUSE_MS = 100;

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** One write of a client, which was sent until it had its final answer. */
export interface Call {
  /** Sent with every try; the command's outcome bears it. */
  readonly requestId: string;
  readonly request: string;
  /** Status 0 when the client gave up without one, 202 when a promise was all that it wanted. */
  readonly answer: Answer;
  /** When it was sent first, milliseconds of `performance.now()`. */
  readonly startedAt: number;
  /** Until the final answer, milliseconds. */
  readonly tookMs: number;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

function requestOf(
  method: Method,
  token: string,
  body: object | undefined,
  more: Record<string, string>,
): RequestInit {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
    ...more,
  };
  return { method, headers, ...(body && { body: JSON.stringify(body) }) };
}

export class Caller {
  /** Calls that had to be sent more than once, because their first fate was unknown. */
  repeated = 0;
  /**
   * Answers that nobody should have got: a promise that was forgotten, a 5xx other than 503 with
   * Retry-After.
   */
  readonly violations: string[] = [];
  /** Every write that has its final answer. */
  readonly calls: Call[] = [];
  private abandoned = false;

  /**
   * `urls`: addresses to call; asked anew for each try. `callMs`: how long one call may take until
   * its final answer.
   */
  constructor(
    private readonly urls: () => readonly string[],
    private readonly callMs = CALL_MS,
  ) {}

  /** Ends every call after its present try, without an answer. */
  abandon(): void {
    this.abandoned = true;
  }

  private isOver(deadline: number): boolean {
    return this.abandoned || Date.now() > deadline;
  }

  /** One call until its final answer. */
  async call(method: Method, path: string, token: string, body?: object): Promise<Answer> {
    return this.noted(method, path, (requestId) =>
      this.insist(
        path,
        requestOf(method, token, body, { 'x-request-id': requestId }),
        (answer, deadline) =>
          answer.status === 202
            ? this.follow(answer.body.statusUrl as string, token, deadline)
            : Promise.resolve(answer),
      ),
    );
  }

  /** One call until it is promised, or refused. */
  async promise(method: Method, path: string, token: string, body: object): Promise<Answer> {
    return this.noted(method, path, (requestId) =>
      this.insist(
        path,
        requestOf(method, token, body, { 'x-request-id': requestId, prefer: 'respond-async' }),
        (answer) => Promise.resolve(answer),
      ),
    );
  }

  private async noted(
    method: Method,
    path: string,
    send: (requestId: string) => Promise<Answer>,
  ): Promise<Answer> {
    const requestId = randomUUID();
    const startedAt = performance.now();
    const answer = await send(requestId);
    const tookMs = performance.now() - startedAt;
    if (method !== 'GET')
      this.calls.push({ requestId, request: `${method} ${path}`, answer, startedAt, tookMs });
    return answer;
  }

  private async insist(
    path: string,
    request: RequestInit,
    until: (answer: Answer, deadline: number) => Promise<Answer | null>,
  ): Promise<Answer> {
    const deadline = Date.now() + this.callMs;
    for (let tries = 0; ; tries += 1) {
      if (tries === 1) this.repeated += 1;
      const answer = await this.tryCall(path, request);
      const final = answer && (await until(answer, deadline));
      if (final && final.status !== 503) return final;
      if (this.isOver(deadline)) return { status: 0, body: { code: 'NO_ANSWER', last: final } };
      await pause(RETRY_PAUSE_MS);
    }
  }

  /** Null when the connection broke. */
  private async tryCall(path: string, request: RequestInit): Promise<Answer | null> {
    const urls = this.urls();
    try {
      const response = await fetch(`${urls[randomInt(urls.length)] ?? ''}${path}`, request);
      this.judge(path, response);
      return {
        status: response.status,
        body: response.status === 204 ? {} : ((await response.json()) as Record<string, unknown>),
      };
    } catch {
      return null;
    }
  }

  /** Whatever happens behind an API, it knows no other failure than "try again". */
  private judge(path: string, { status, headers }: Response): void {
    const documented = status < 500 || (status === 503 && Number(headers.get('retry-after')) >= 1);
    if (!documented)
      this.violations.push(
        `${path} was answered ${status}${headers.has('retry-after') ? '' : ' without Retry-After'}`,
      );
  }

  /** Asks for a promised command until it has ended. */
  private async follow(statusUrl: string, token: string, deadline: number): Promise<Answer | null> {
    while (!this.isOver(deadline)) {
      const answer = await this.tryCall(`${statusUrl}?wait=5`, {
        headers: { authorization: `Bearer ${token}` },
      });
      if (answer?.status === 404) this.violations.push(`promised command forgotten: ${statusUrl}`);
      const { status, httpStatus, result, problem } = answer?.body ?? {};
      if (status === 'succeeded' || status === 'failed')
        return {
          status: httpStatus as number,
          body: (result ?? problem ?? {}) as Record<string, unknown>,
        };
      await pause(RETRY_PAUSE_MS);
    }
    return null;
  }
}
