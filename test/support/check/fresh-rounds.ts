import { randomInt, randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { uniqueWord } from '../clients/books';
import type { Target } from '../service/target';
import { waitUntil } from '../wait';

/**
 * Rounds of a write and the reads after it: as soon as the client knows that the write is done,
 * every API shows it. Each thing has one client that changes it, so what must be shown is known
 * exactly. Readers beside them keep every view in the cache.
 */

const READERS = 10;
/** Clients that write. */
const WRITERS = 30;
/** One write in so many is promised only, and its end is asked for at another API. */
const PROMISED_EACH = 3;
/** How long a promised write may take, also while Redis hangs, milliseconds. */
const END_MS = 120_000;
/** So many faults are enough to know. */
const STALE_MAX = 20;

interface Request {
  readonly method: string;
  readonly path: string;
  readonly token?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly body: Body;
}

type Body = { readonly items?: readonly Body[] } & Readonly<Record<string, unknown>>;

/** Where a change is read, and what stands there after it. */
interface View {
  readonly path: string;
  readonly token?: string;
  readonly shown: (body: Body) => unknown;
  readonly expected: unknown;
}

/** What one client changes: the n-th write, and the views after n writes. */
interface Thing {
  write(n: number): Request;
  views(n: number): readonly View[];
}

const first = (body: Body): Body => body.items?.[0] ?? {};

export class FreshRounds {
  /** Rounds that have ended. */
  rounds = 0;
  /** Reads that refilled the cache meanwhile. */
  refills = 0;
  /** What was not as it must be. */
  readonly wrong: string[] = [];
  private stopped = false;
  private running: Promise<unknown> = Promise.resolve();
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 256 });

  constructor(private readonly target: Target) {}

  async start(): Promise<void> {
    const makers = [() => this.copy(), () => this.title(), () => this.subscription()];
    const things = await Promise.all(
      Array.from({ length: WRITERS }, (_, index) =>
        (makers[index % makers.length] as () => Promise<Thing>)(),
      ),
    );
    const written = things.map((thing) => ({ thing, n: 0 }));
    this.running = Promise.all([
      ...written.map((own) => this.writeOn(own)),
      ...Array.from({ length: READERS }, () => this.readOn(written)),
    ]);
  }

  /** Waits for more rounds to end, or for too many faults. */
  async more(count: number, deadlineMs: number): Promise<void> {
    const until = this.rounds + count;
    await waitUntil(
      `${count} rounds`,
      deadlineMs,
      () => this.rounds >= until || this.wrong.length >= STALE_MAX,
    );
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
    this.agent.destroy();
  }

  private async writeOn(own: { readonly thing: Thing; n: number }): Promise<void> {
    const { thing } = own;
    while (!this.stopped && this.wrong.length < STALE_MAX) {
      const write = thing.write(own.n + 1);
      await this.written(write, own.n);
      own.n += 1;
      const views = thing.views(own.n);
      const view = views[own.n % views.length] as View;
      await Promise.all(this.target.urls.map((url) => this.look(url, view, write)));
      this.rounds += 1;
    }
  }

  /**
   * Resolves when the client knows that the write is done: by its answer, or because another API
   * says so.
   */
  private async written(write: Request, turn: number): Promise<void> {
    const { urls } = this.target;
    const [here = '', there = here] = [urls[turn % urls.length], urls[(turn + 1) % urls.length]];
    const headers = {
      'idempotency-key': randomUUID(),
      ...(turn % PROMISED_EACH === 0 && { prefer: 'respond-async' }),
    };
    const answer = await this.accepted(here, { ...write, headers });
    if (answer.status < 300 && answer.status !== 202) return;
    const path = answer.body.statusUrl as string | undefined;
    const ended =
      path &&
      (await this.ended(there, {
        method: 'GET',
        path,
        ...(write.token && { token: write.token }),
      }));
    if (!ended || ended.status !== 'succeeded')
      this.wrong.push(`${write.method} ${write.path}: ${JSON.stringify(ended ?? answer)}`);
  }

  /** Sends a command again while it is unknown whether the broker has stored it. */
  private accepted(url: string, write: Request): Promise<Answer> {
    return waitUntil(`the answer to ${write.method} ${write.path}`, END_MS, async () => {
      const answer = await this.call(url, write);
      return answer.body.code === 'ACCEPTANCE_UNKNOWN' ? undefined : answer;
    });
  }

  private ended(url: string, status: Request): Promise<Body> {
    return waitUntil(`the end of ${status.path}`, END_MS, async () => {
      // The first look is at once: it may come between the COMMIT and the moment in which the
      // worker tells the cache.
      const { body } = await this.call(url, status);
      return body.status === 'queued' ? undefined : body;
    });
  }

  private async look(
    url: string,
    { path, token, shown, expected }: View,
    after: Request,
  ): Promise<void> {
    const { status, body } = await this.call(url, { method: 'GET', path, ...(token && { token }) });
    if (status !== 200 || shown(body) !== expected)
      this.wrong.push(
        `GET ${path} after ${after.method} ${after.path}: ${status}, ${JSON.stringify(shown(body))} instead of ${JSON.stringify(expected)}`,
      );
  }

  private async readOn(
    written: readonly { readonly thing: Thing; readonly n: number }[],
  ): Promise<void> {
    const { urls } = this.target;
    while (!this.stopped && this.wrong.length < STALE_MAX) {
      const { thing, n } = written[randomInt(written.length)] as (typeof written)[number];
      const views = thing.views(n);
      const { path, token } = views[randomInt(views.length)] as View;
      const { status } = await this.call(urls[randomInt(urls.length)] ?? '', {
        method: 'GET',
        path,
        ...(token && { token }),
      });
      if (status !== 200) this.wrong.push(`GET ${path}: ${status}`);
      this.refills += 1;
    }
  }

  /** Returns a title with one copy, which one reader borrows and gives back. */
  private async copy(): Promise<Thing> {
    const token = this.target.token();
    const [q, bookInfoId] = await this.register(1);
    return {
      write: (n) => ({
        method: 'POST',
        path: n % 2 === 1 ? '/api/borrows' : '/api/returns',
        token,
        body: { bookInfoId },
      }),
      views: (n) => [
        {
          path: `/api/book-infos/${bookInfoId}`,
          shown: ({ availableStock }) => availableStock,
          expected: (n + 1) % 2,
        },
        {
          path: `/api/book-infos?q=${q}`,
          shown: (body) => first(body).availableStock,
          expected: (n + 1) % 2,
        },
        {
          path: `/api/book-infos?q=${q}&available=true`,
          shown: ({ totalItems }) => totalItems,
          expected: (n + 1) % 2,
        },
      ],
    };
  }

  /** Returns a title that an administrator renames. */
  private async title(): Promise<Thing> {
    const [q, bookInfoId] = await this.register(0);
    return {
      write: (n) => ({
        method: 'PATCH',
        path: `/api/book-infos/${bookInfoId}`,
        token: this.target.admin,
        body: { title: `${q} ${n}` },
      }),
      views: (n) => [
        { path: `/api/book-infos/${bookInfoId}`, shown: ({ version }) => version, expected: n + 1 },
        {
          path: `/api/book-infos?q=${q}&sort=title`,
          shown: (body) => first(body).version,
          expected: n + 1,
        },
      ],
    };
  }

  /** Returns a course that one user takes and leaves. */
  private async subscription(): Promise<Thing> {
    const userId = this.target.newUserId();
    const [token, lecturer] = [
      this.target.token({ userId }),
      this.target.token({ role: 'lecturer' }),
    ];
    const q = uniqueWord();
    const { courseId } = await this.made({
      method: 'POST',
      path: '/courses',
      token: lecturer,
      body: { courseName: q },
    });
    const path = `/courses/${String(courseId)}`;
    return {
      write: (n) => ({
        method: n % 2 === 1 ? 'POST' : 'DELETE',
        path: `${path}/subscriptions`,
        token,
      }),
      views: (n) => [
        { path, shown: ({ subscriberCount }) => subscriberCount, expected: n % 2 },
        {
          path: `/users/${userId}/courses`,
          token,
          shown: ({ totalItems }) => totalItems,
          expected: n % 2,
        },
        { path: `/courses?q=${q}`, shown: (body) => first(body).subscriberCount, expected: n % 2 },
      ],
    };
  }

  private async register(copies: number): Promise<[word: string, bookInfoId: number]> {
    const word = uniqueWord();
    const { bookInfoId } = await this.made({
      method: 'POST',
      path: '/api/book-infos',
      token: this.target.admin,
      body: { title: word, author: 'Fitzroy', copies },
    });
    return [word, bookInfoId as number];
  }

  private async made(write: Request): Promise<Body> {
    const { status, body } = await this.call(this.target.url, write);
    if (status !== 201) throw new Error(`${write.path}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  /** Node's own client: with `fetch` the test would need more of the machine than the service. */
  private call(url: string, { method, path, token, body, headers = {} }: Request): Promise<Answer> {
    const text = body && JSON.stringify(body);
    const all = {
      ...headers,
      ...(token && { authorization: `Bearer ${token}` }),
      ...(text && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(text)),
      }),
    };
    return new Promise((resolve, reject) => {
      const sent = request(
        `${url}${path}`,
        { method, headers: all, agent: this.agent },
        (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('end', () => {
            const json = Buffer.concat(parts).toString();
            resolve({
              status: response.statusCode ?? 0,
              body: json === '' ? {} : (JSON.parse(json) as Body),
            });
          });
          response.on('error', reject);
        },
      );
      sent.on('error', reject);
      sent.end(text);
    });
  }
}
