import { randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { TOKEN_LIFE_S } from '../service/target';
import { waitUntil } from '../wait';

/**
 * How long a call is sent again until it is promised, and a promised command may take to end,
 * milliseconds.
 */
const PROMISE_MS = 60_000;
const END_MS = 90_000;

/**
 * An administrator who renames titles. Each renaming raises the title's version by one, so the
 * versions that came out of commands tell in which order they took effect, and how often.
 */
export class Editor {
  private readonly headers: Readonly<Record<string, string>>;
  /** For a write whose answer is needed, also from a worker that has just started. */
  private readonly waiting: Readonly<Record<string, string>>;

  constructor(
    private readonly url: string,
    secret: string,
  ) {
    const token = jwt.sign({ username: 'editor', role: 'user', isAdmin: true }, secret, {
      subject: '9000000009',
      expiresIn: TOKEN_LIFE_S,
    });
    this.headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    this.waiting = { ...this.headers, prefer: 'wait=30' };
  }

  /** New titles, each of version 1 and with one copy. */
  async register(count: number): Promise<number[]> {
    const titles = Array.from({ length: count }, async () => {
      const request = {
        method: 'POST',
        headers: this.waiting,
        body: JSON.stringify({ title: `Title ${randomUUID()}`, author: 'Fitzroy', copies: 1 }),
      };
      const answer = await fetch(`${this.url}/api/book-infos`, request);
      return ((await answer.json()) as { bookInfoId: number }).bookInfoId;
    });
    return Promise.all(titles);
  }

  /** Sends a write until it is promised, and resolves with the address of its end. */
  async promised(method: string, path: string, body: object): Promise<string> {
    const headers = { ...this.headers, prefer: 'respond-async', 'idempotency-key': randomUUID() };
    return waitUntil(`a promise for ${method} ${path}`, PROMISE_MS, async () => {
      const answer = await fetch(`${this.url}${path}`, {
        method,
        headers,
        body: JSON.stringify(body),
      });
      const { statusUrl } = (await answer.json()) as { statusUrl?: string };
      return answer.status === 202 ? statusUrl : undefined;
    });
  }

  /** Sends a write once and waits for its answer. */
  async written(
    method: string,
    path: string,
    body: object,
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: this.waiting,
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }

  rename(bookInfoId: number): Promise<string> {
    return this.promised('PATCH', `/api/book-infos/${bookInfoId}`, {
      title: `Title ${randomUUID()}`,
    });
  }

  /** Returns what has become of a promised command by now; null when nothing. */
  async result(statusUrl: string): Promise<Record<string, unknown> | null> {
    const answer = await fetch(`${this.url}${statusUrl}`, { headers: this.headers });
    const { status, result, problem } = (await answer.json()) as {
      status?: string;
      result?: Record<string, unknown>;
      problem?: Record<string, unknown>;
    };
    return status === 'succeeded' || status === 'failed' ? (result ?? problem ?? {}) : null;
  }

  /** Returns what becomes of a promised command. */
  ended(statusUrl: string): Promise<Record<string, unknown>> {
    return waitUntil(`the end of ${statusUrl}`, END_MS, () => this.result(statusUrl));
  }

  /**
   * Returns the versions that renamings of one title led to, in the order in which they were
   * promised.
   */
  async versions(statusUrls: readonly string[]): Promise<unknown[]> {
    const ends: unknown[] = [];
    for (const statusUrl of statusUrls) ends.push((await this.ended(statusUrl)).version);
    return ends;
  }
}
