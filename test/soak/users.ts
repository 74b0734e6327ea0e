import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, Call, UsersOptions } from './call';
import { Steps } from './steps';

/**
 * A steady number of writes a second of all services, each with the reads around it, and some open
 * streams.
 */

/** Steps under way at a time; what is due while there are so many is left out. */
const UNDER_WAY_MAX = 60;
/** How long a stream is kept open, milliseconds, until it is opened anew. */
const STREAM_MS = 30_000;
const CALL_MS = 60_000;

export class Users {
  /** Answers by status; 0 for a connection that broke. */
  readonly statuses = new Map<number, number>();
  leftOut = 0;
  private underWay = 0;
  private readonly stopping = new AbortController();
  private running: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: UsersOptions) {}

  /** Registers what is borrowed and subscribed to, then goes on until `stop`. */
  async start(): Promise<void> {
    const steps = new Steps(this.call.bind(this), this.options);
    await steps.prepare();
    const streams = ['/api/events', '/api/events', '/api/console/stream'].map((path) =>
      this.watch(path),
    );
    this.running = Promise.all([this.pace(steps), ...streams]);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /**
   * A call whose every second write bears a key; some of these are sent twice, and some ask for a
   * promise and follow it.
   */
  private async call(method: string, path: string, { token, body }: Call = {}): Promise<Answer> {
    const write = method !== 'GET' && path !== '/api/auth/login';
    const keyed = write && randomInt(2) === 0;
    const promised = write && randomInt(12) === 0;
    const who = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const how = {
      ...(keyed && { 'idempotency-key': randomUUID() }),
      ...(promised && { prefer: 'respond-async' }),
    };
    const request = {
      method,
      headers: { 'content-type': 'application/json', ...who, ...how },
      ...(body && { body: JSON.stringify(body) }),
    };
    const answer = await this.send(path, request);
    if (keyed && randomInt(10) === 0) await this.send(path, request);
    if (answer.status !== 202) return answer;
    const followed = await this.send(`${String(answer.body['statusUrl'])}?wait=10`, {
      headers: who,
    });
    return {
      status: Number(followed.body['httpStatus'] ?? followed.status),
      body: (followed.body['result'] ?? {}) as Record<string, unknown>,
    };
  }

  private async send(path: string, request: RequestInit): Promise<Answer> {
    const { urls } = this.options;
    let answer: Answer = { status: 0, body: {} };
    try {
      const response = await fetch(`${urls[randomInt(urls.length)] ?? ''}${path}`, {
        ...request,
        signal: AbortSignal.timeout(CALL_MS),
      });
      const text = await response.text();
      answer = {
        status: response.status,
        body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {},
      };
    } catch {
      // Counted as status 0.
    }
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
    return answer;
  }

  private async pace(steps: Steps): Promise<void> {
    const from = performance.now();
    for (let number = 1; !this.stopping.signal.aborted; number += 1) {
      const waitMs = from + (number * 1000) / this.options.writesPerSecond - performance.now();
      if (waitMs > 0) await this.rest(waitMs);
      if (this.underWay >= UNDER_WAY_MAX) {
        this.leftOut += 1;
        continue;
      }
      this.underWay += 1;
      void steps.step().finally(() => (this.underWay -= 1));
    }
    while (this.underWay > 0) await pause(50);
  }

  /** Reads a stream and throws away what comes. */
  private async watch(path: string): Promise<void> {
    const { urls, admin } = this.options;
    while (!this.stopping.signal.aborted) {
      const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(STREAM_MS)]);
      try {
        const { body } = await fetch(`${urls[randomInt(urls.length)] ?? ''}${path}`, {
          headers: { authorization: `Bearer ${admin}` },
          signal,
        });
        await body?.pipeTo(new WritableStream());
      } catch {
        // Its time is over, or the soak is.
      }
      if (!signal.aborted) await this.rest(1000);
    }
  }

  private async rest(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}
