import supertest, { type Response } from 'supertest';
import type { Target, TestUser } from '../service/target';
import { waitUntil } from '../wait';

/** What contract tests of every service do. */

/** How long the row of a user may take on a busy machine, milliseconds. */
const ROW_MS = 30_000;

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

export interface Call {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Somebody who is signed in. */
export interface Reader {
  readonly userId: number;
  readonly username: string;
  readonly token: string;
}

/** A service, seen from outside. */
export class Service {
  constructor(readonly target: Target) {}

  newReader(overrides: Partial<TestUser> = {}): Reader {
    const userId = this.target.newUserId();
    const username = `reader-${userId}`;
    return { userId, username, token: this.target.token({ userId, username, ...overrides }) };
  }

  /** Lets the service see somebody, and waits for the row: a read waits a second for it at most. */
  async seen(reader: Reader): Promise<Reader> {
    const { userId, token } = reader;
    expect((await this.call('get', '/api/borrow-histories', { token })).status).toBe(200);
    await waitUntil(
      `a row of user ${userId}`,
      ROW_MS,
      async () => (await this.call('get', `/users/${userId}`)).status === 200,
    );
    return reader;
  }

  /** Returns a call, anonymous unless `token` is given. */
  async call(
    method: Method,
    path: string,
    { token, body, headers = {} }: Call = {},
  ): Promise<Response> {
    const request = this.target.api()[method](path).set(headers);
    if (token !== undefined) request.set('Authorization', `Bearer ${token}`);
    return body === undefined ? request : request.send(body as object);
  }

  /** Returns a call by the administrator. */
  async manage(
    method: Method,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    return this.call(method, path, { token: this.target.admin, body, headers });
  }

  /** Reads the same path from every API process, because each may have its own cache. */
  async readEverywhere(path: string, token?: string): Promise<Response[]> {
    return Promise.all(
      this.target.urls.map((url) =>
        supertest(url)
          .get(path)
          .set(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ),
    );
  }

  /** Returns the items of all pages of a list, in order; `path` must have a query. */
  async allPages<Item>(path: string, size: number, token?: string): Promise<Item[]> {
    const items: Item[] = [];
    for (let page = 1; ; page += 1) {
      const { body } = await this.call(
        'get',
        `${path}&page=${page}&size=${size}`,
        token === undefined ? {} : { token },
      );
      items.push(...(body.items as Item[]));
      if (page >= (body.totalPages as number)) return items;
    }
  }
}
