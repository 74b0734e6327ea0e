import { randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { waitUntil } from '../wait';

/**
 * How long a call may take that is sent again while the service is away, and a command until it has
 * ended, milliseconds.
 */
const END_MS = 120_000;

type Body = Record<string, unknown>;

/** Clients who send commands without waiting, and ask later what became of them. */
export class Clients {
  private readonly admin: string;
  private users = 2 ** 41;

  constructor(
    private readonly url: string,
    private readonly secret: string,
  ) {
    this.admin = this.token(1, true);
  }

  newUser(): number {
    return (this.users += 1);
  }

  async newTitle(copies: number): Promise<number> {
    return (
      await this.post(
        '/api/book-infos',
        { title: randomUUID(), author: 'Christie', copies },
        this.admin,
        'wait=30',
      )
    ).bookInfoId as number;
  }

  title(bookInfoId: number): Promise<Body> {
    return this.get(`/api/book-infos/${bookInfoId}`);
  }

  /** Returns the id of a promised command, as that of the next. */
  async borrow(bookInfoId: number, userId = this.newUser()): Promise<string> {
    return (await this.post('/api/borrows', { bookInfoId }, this.token(userId)))
      .commandId as string;
  }

  async giveBack(bookInfoId: number, userId: number): Promise<string> {
    return (await this.post('/api/returns', { bookInfoId }, this.token(userId)))
      .commandId as string;
  }

  /** Returns how a command ended: its status, or the code of its problem. */
  ending(commandId: string): Promise<string> {
    return waitUntil(`command ${commandId} ends`, END_MS, async () => {
      const { status, problem } = await this.get(`/api/commands/${commandId}?wait=5`);
      return status === 'queued'
        ? null
        : ((problem as { code: string } | null)?.code ?? (status as string));
    });
  }

  endings(commandIds: readonly string[]): Promise<string[]> {
    return Promise.all(commandIds.map((commandId) => this.ending(commandId)));
  }

  private token(userId: number, isAdmin = false): string {
    return jwt.sign({ username: `user-${userId}`, role: 'user', isAdmin }, this.secret, {
      subject: String(userId),
      expiresIn: 3600,
    });
  }

  private async get(path: string): Promise<Body> {
    const response = await fetch(`${this.url}${path}`, {
      headers: { authorization: `Bearer ${this.admin}` },
    });
    return (await response.json()) as Body;
  }

  /** While the service is unavailable, the same command is sent again. */
  private post(path: string, body: object, token: string, prefer = 'respond-async'): Promise<Body> {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      prefer,
      'idempotency-key': randomUUID(),
    };
    return waitUntil(`POST ${path}`, END_MS, async () => {
      const response = await fetch(`${this.url}${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      const answer = (await response.json()) as Body;
      if (response.status < 300) return answer;
      throw new Error(JSON.stringify(answer));
    });
  }
}
