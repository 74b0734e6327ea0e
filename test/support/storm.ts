import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import jwt from 'jsonwebtoken';

/**
 * Clients that borrow and return as fast as they are answered, each for a user of its own, while a test kills what
 * serves them. Every call has an Idempotency-Key: a client that loses its connection sends the call again until it has
 * the final answer, and a promise (202) is followed to its end. So each call has one answer in the end, and a client
 * knows what it must hold; whatever contradicts that is a violation.
 */

/** How long one call may take until its final answer, milliseconds. */
const CALL_MS = 60_000;
const RETRY_PAUSE_MS = 100;

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

export interface StormOptions {
  /** Addresses to call; asked anew for each try. */
  readonly urls: () => readonly string[];
  readonly secret: string;
  readonly titles: readonly number[];
  readonly clients: number;
}

export class Storm {
  /** Finished calls. */
  answered = 0;
  /** Calls that had to be sent more than once, because their first fate was unknown. */
  repeated = 0;
  readonly borrowIds = new Set<number>();
  readonly violations: string[] = [];
  /** What each client holds by the answers it got: title to borrow, by user id. */
  readonly holdings = new Map<number, Map<number, number>>();
  private stopped = false;
  private running: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: StormOptions) {}

  start(): void {
    this.running = Promise.all(Array.from({ length: this.options.clients }, (_, index) => this.client(2 ** 41 + randomInt(2 ** 40) + index)));
  }

  /** Resolves when every client has the final answer to its last call. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  private async client(userId: number): Promise<void> {
    const token = jwt.sign({ username: `reader-${userId}`, role: 'user', isAdmin: false }, this.options.secret, { subject: String(userId), expiresIn: 3600 });
    const held = new Map<number, number>();
    this.holdings.set(userId, held);
    while (!this.stopped) {
      const bookInfoId = this.options.titles[randomInt(this.options.titles.length)] ?? 0;
      const borrowId = held.get(bookInfoId);
      const answer = borrowId === undefined ? await this.call('/api/borrows', { bookInfoId }, token) : await this.call('/api/returns', { borrowId }, token);
      this.answered += 1;
      if (borrowId === undefined) this.borrowed(held, bookInfoId, answer);
      else if (answer.status === 200) held.delete(bookInfoId);
      else this.violations.push(`return of borrow ${borrowId}: ${JSON.stringify(answer)}`);
    }
  }

  private borrowed(held: Map<number, number>, bookInfoId: number, answer: Answer): void {
    if (answer.status === 201) {
      const borrowId = answer.body.borrowId as number;
      if (this.borrowIds.has(borrowId)) this.violations.push(`borrow ${borrowId} was given twice`);
      this.borrowIds.add(borrowId);
      held.set(bookInfoId, borrowId);
    } else if (answer.body.code !== 'OUT_OF_STOCK') this.violations.push(`borrow of ${bookInfoId}: ${JSON.stringify(answer)}`);
  }

  /** One call until its final answer. */
  private async call(path: string, body: object, token: string): Promise<Answer> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': randomUUID() };
    const deadline = Date.now() + CALL_MS;
    for (let tries = 0; ; tries += 1) {
      if (tries === 1) this.repeated += 1;
      const answer = await this.tryCall(path, { method: 'POST', headers, body: JSON.stringify(body) });
      const final = answer?.status === 202 ? await this.follow(answer.body.statusUrl as string, token, deadline) : answer;
      if (final && final.status !== 503) return final;
      if (Date.now() > deadline) return { status: 0, body: { code: 'NO_ANSWER', last: final } };
      await pause(RETRY_PAUSE_MS);
    }
  }

  /** Null when the connection broke. */
  private async tryCall(path: string, request: RequestInit): Promise<Answer | null> {
    const urls = this.options.urls();
    try {
      const response = await fetch(`${urls[randomInt(urls.length)] ?? ''}${path}`, request);
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    } catch {
      return null;
    }
  }

  /** Asks for a promised command until it has ended. */
  private async follow(statusUrl: string, token: string, deadline: number): Promise<Answer | null> {
    while (Date.now() < deadline) {
      const answer = await this.tryCall(`${statusUrl}?wait=5`, { headers: { authorization: `Bearer ${token}` } });
      if (answer?.status === 404) this.violations.push(`promised command forgotten: ${statusUrl}`);
      const { status, httpStatus, result, problem } = answer?.body ?? {};
      if (status === 'succeeded' || status === 'failed') return { status: httpStatus as number, body: (result ?? problem) as Record<string, unknown> };
      await pause(RETRY_PAUSE_MS);
    }
    return null;
  }
}
