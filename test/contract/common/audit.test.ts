import type { Response } from 'supertest';
import type { AuditView } from '../../../api/audit/queries';
import {
  INSTANT,
  openLibrary,
  succeeded,
  uniqueWord,
  type Library,
} from '../../support/clients/books';
import { documentOf } from '../../support/check/document/served';
import { startService } from '../../support/service/start-service';
import { expectFaults, expectProblem } from '../../support/clients/problems';
import { waitUntil } from '../../support/wait';

/** GET /api/audit. Other tests run at the same time, so each looks for what it did itself. */

/** How long entries may take that the API gathers before it writes them, milliseconds. */
const GATHERED_MS = 20_000;
const PASSWORD = 'a good pass phrase';

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

async function entries(query: string): Promise<AuditView[]> {
  return succeeded(await library.manage('get', `/api/audit?${query}&size=100`), 200)
    .items as AuditView[];
}

const gathered = (query: string, count = 1) =>
  waitUntil(`the audit of ${query}`, GATHERED_MS, async () => {
    const found = await entries(query);
    return found.length >= count && found;
  });

const newUser = (role?: 'lecturer') => {
  const userId = library.target.newUserId();
  return {
    userId,
    username: `user-${userId}`,
    token: library.target.token({ userId, isAdmin: !role, ...(role && { role }) }),
  };
};

const requestIdOf = ({ headers }: Response) => headers['x-request-id'] as string;

describe('the audit', () => {
  it('records who wrote what, from which address and with which request, before the answer', async () => {
    const { userId, username, token } = newUser();
    const response = await library.call('post', '/api/book-infos', {
      token,
      body: { title: 'Dune', author: uniqueWord() },
    });
    const { bookInfoId } = succeeded(response, 201);
    expect(await entries(`actor=${userId}`)).toEqual([
      {
        auditId: expect.any(Number),
        at: expect.stringMatching(INSTANT),
        actor: { userId, username },
        action: 'lending.register-book-info',
        target: `book-info:${bookInfoId}`,
        details: {
          status: 'succeeded',
          commandId: expect.stringMatching(/^[0-9a-f]{40}$/),
          payload: expect.objectContaining({ title: 'Dune' }),
        },
        address: expect.stringMatching(/127\.0\.0\.1|::1/),
        requestId: requestIdOf(response),
      },
    ]);
  });

  it('records a refused write of an administrator with its code', async () => {
    const { userId, token } = newUser();
    const { bookInfoId } = await library.registered({ copies: 1 });
    succeeded(await library.call('post', '/api/borrows', { token, body: { bookInfoId } }), 201);
    expectProblem(
      await library.call('post', '/api/borrows', { token, body: { bookInfoId } }),
      409,
      'ALREADY_BORROWED',
      { borrowId: expect.any(Number) },
    );
    const found = await entries(`actor=${userId}&target=book-info:${bookInfoId}`);
    expect(
      found.map(({ action, details }) => [action, details['status'], details['code']]),
    ).toEqual([
      ['lending.borrow-book', 'failed', 'ALREADY_BORROWED'],
      ['lending.borrow-book', 'succeeded', undefined],
    ]);
  });

  it('records the writes of lecturers, but not those of readers', async () => {
    const lecturer = newUser('lecturer');
    succeeded(
      await library.call('post', '/courses', {
        token: lecturer.token,
        body: { courseName: uniqueWord() },
      }),
      201,
    );
    expect((await entries(`actor=${lecturer.userId}`)).map(({ action }) => action)).toEqual([
      'courses.register-course',
    ]);
    const reader = library.newReader();
    const { bookInfoId } = await library.registered({ copies: 1 });
    await library.borrowed(reader, { bookInfoId });
    expect(await entries(`actor=${reader.userId}`)).toEqual([]);
  });

  it('records who made an account with rights, without password or hash', async () => {
    const { userId, token } = newUser();
    const username = uniqueWord();
    const body = { username, password: PASSWORD, role: 'lecturer', isAdmin: true };
    const made = succeeded(await library.call('post', '/api/users', { token, body }), 201);
    const [entry, ...others] = await entries(`actor=${userId}`);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      action: 'identity.create-account',
      target: `user:${made.userId}`,
      details: { payload: { username, role: 'lecturer', isAdmin: true, passwordHash: '***' } },
    });
    expect(JSON.stringify(entry)).not.toMatch(/scrypt|pass phrase/);
  });

  it('is never changed through the API', async () => {
    const { userId, token } = newUser();
    const body = { title: 'Dune', author: uniqueWord() };
    succeeded(await library.call('post', '/api/book-infos', { token, body }), 201);
    const before = await entries(`actor=${userId}`);
    for (const method of ['post', 'put', 'patch', 'delete'] as const) {
      const all = await library.manage(method, '/api/audit');
      expectProblem(all, 405, 'METHOD_NOT_ALLOWED');
      expect(all.headers.allow).toBe('GET, HEAD, OPTIONS');
      const one = await library.manage(method, `/api/audit/${before[0]?.auditId}`);
      expectProblem(one, 404, 'ROUTE_NOT_FOUND');
    }
    expect(await entries(`actor=${userId}`)).toEqual(before);
  });

  it('finds entries by the first word of their action, by target and by time, and shows them in pages', async () => {
    const { userId, token } = newUser();
    const { bookInfoId } = succeeded(
      await library.call('post', '/api/book-infos', {
        token,
        body: { title: 'Dune', author: uniqueWord(), copies: 1 },
      }),
      201,
    );
    succeeded(
      await library.call('post', '/courses', {
        token: newUser('lecturer').token,
        body: { courseName: uniqueWord() },
      }),
      201,
    );
    succeeded(await library.call('delete', `/api/book-infos/${bookInfoId}`, { token }), 204);
    const [deleted, made] = await entries(`actor=${userId}`);
    expect([deleted!.action, made!.action]).toEqual([
      'lending.delete-book-info',
      'lending.register-book-info',
    ]);
    expect(await entries(`actor=${userId}&action=lending`)).toEqual([deleted, made]);
    expect(await entries(`actor=${userId}&action=lending.delete-book-info`)).toEqual([deleted]);
    expect(await entries(`actor=${userId}&action=courses`)).toEqual([]);
    expect(
      await entries(`actor=${userId}&target=book-info:${bookInfoId}&from=${deleted!.at}`),
    ).toEqual([deleted]);
    expect(await entries(`actor=${userId}&to=${deleted!.at}`)).toEqual([made]);
    const second = succeeded(
      await library.manage('get', `/api/audit?actor=${userId}&page=2&size=1`),
      200,
    );
    expect(second).toMatchObject({ items: [made], page: 2, size: 1 });
  });

  it.each([
    ['actor=admin', { actor: 'INVALID_TYPE' }],
    ['action=%25', { action: 'INVALID_FORMAT' }],
    ['action=a.b.c', { action: 'INVALID_FORMAT' }],
    ['from=yesterday', { from: 'INVALID_FORMAT' }],
    ['to=2026-02-30T00:00:00Z', { to: 'INVALID_FORMAT' }],
    ['user=1', { user: 'UNKNOWN_PARAMETER' }],
  ])('refuses %s: 400', async (query, faults) => {
    expectFaults(await library.manage('get', `/api/audit?${query}`), faults);
  });
});

describe('the audit of clients that ask too often', () => {
  const BOUND = 3;

  it('names a user by id, and anybody else by address', async () => {
    const limited = (
      await startService({
        env: {
          RATE_LIMIT_WRITES_PER_MINUTE: String(BOUND),
          RATE_LIMIT_ANONYMOUS_PER_MINUTE: String(BOUND),
        },
      })
    ).target;
    // Exchanges are held against the document, whose read of each API counts as an anonymous one.
    await Promise.all(limited.urls.map(documentOf));
    const userId = limited.newUserId();
    const token = limited.token({ userId });
    const write = () =>
      limited.api().post('/api/returns').auth(token, { type: 'bearer' }).send({ borrowId: 1 });
    const read = () => limited.api().get('/api/book-infos?size=1');
    const found = async () =>
      (
        succeeded(
          await limited.api().get('/api/audit?action=http').auth(limited.admin, { type: 'bearer' }),
          200,
        ) as { items: AuditView[] }
      ).items;
    /** The first answer beyond the limit: others may have asked from this address. */
    const refusedOf = async (call: () => PromiseLike<Response>) => {
      for (let count = 0; count < BOUND; count += 1) {
        const answer = await call();
        if (answer.status === 429) return answer;
      }
      return call();
    };
    const refused = [await refusedOf(write), await refusedOf(read)];
    expect(refused.map(({ status }) => status)).toEqual([429, 429]);
    const items = await waitUntil('both entries', GATHERED_MS, async () => {
      const some = await found();
      return some.length === 2 && some;
    });
    const entry = {
      action: 'http.rate-limited',
      target: null,
      address: expect.any(String) as string,
      details: { count: 1 },
    };
    expect(items).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          ...entry,
          actor: expect.objectContaining({ userId }) as object,
          requestId: requestIdOf(refused[0]!),
        }),
        expect.objectContaining({ ...entry, actor: null, requestId: requestIdOf(refused[1]!) }),
      ]),
    );
  });
});

describe('the audit of sign-ins', () => {
  const signedUp = async () => {
    const username = uniqueWord();
    const { userId, accessToken } = succeeded(
      await library.call('post', '/api/auth/signup', { body: { username, password: PASSWORD } }),
      201,
    ) as { userId: number; accessToken: string };
    return { username, userId, accessToken };
  };
  const logIn = (username: string, password: string) =>
    library.call('post', '/api/auth/login', { body: { username, password } });

  it('records a wrong password with account and address, never the password', async () => {
    const { username, userId } = await signedUp();
    expectProblem(await logIn(username, 'a wrong pass phrase'), 401, 'INVALID_CREDENTIALS');
    const [entry] = await gathered(`action=identity.sign-in-failed&target=user:${userId}`);
    expect(entry).toMatchObject({
      actor: null,
      address: expect.any(String),
      requestId: expect.any(String),
      details: { count: 1 },
    });
    expect(JSON.stringify(entry)).not.toContain('phrase');
  });

  it('does not record an unknown name, which may be a password', async () => {
    const name = uniqueWord();
    const since = new Date(Date.now() - 60_000).toISOString();
    expectProblem(await logIn(name, PASSWORD), 401, 'INVALID_CREDENTIALS');
    const found = await waitUntil('a failure of no account', GATHERED_MS, async () => {
      const all = await entries(`action=identity.sign-in-failed&from=${since}`);
      return all.some(({ target }) => target === null) && all;
    });
    expect(JSON.stringify(found)).not.toContain(name);
  });

  it('records blocked sign-ins in few entries, however many attempts there are', async () => {
    const { username, userId } = await signedUp();
    const tries = await Promise.all(
      Array.from({ length: 40 }, () => logIn(username, 'a wrong pass phrase')),
    );
    const blocked = tries.filter(({ status }) => status === 429).length;
    expect(blocked).toBeGreaterThan(0);
    const counted = (found: AuditView[]) =>
      found.reduce((sum, { details }) => sum + Number(details['count']), 0);
    const query = `action=identity.sign-in-blocked&target=user:${userId}`;
    const found = await waitUntil('all blocked tries', GATHERED_MS, async () => {
      const some = await entries(query);
      return counted(some) === blocked && some;
    });
    expect(found.length).toBeLessThan(blocked);
  });

  it('records a sign-out and a new password', async () => {
    const { username, userId, accessToken } = await signedUp();
    const body = { currentPassword: PASSWORD, newPassword: 'another pass phrase' };
    await library.target
      .api()
      .put('/api/users/me/password')
      .auth(accessToken, { type: 'bearer' })
      .send(body)
      .expect(204);
    const again = succeeded(await logIn(username, 'another pass phrase'), 200) as {
      accessToken: string;
    };
    succeeded(await library.call('post', '/api/auth/logout', { token: again.accessToken }), 204);
    const found = await entries(`actor=${userId}`);
    expect(found.map(({ action, target }) => [action, target])).toEqual([
      ['identity.end-token', `user:${userId}`],
      ['identity.change-password', `user:${userId}`],
    ]);
    expect(JSON.stringify(found)).not.toMatch(/scrypt|phrase/);
  });
});
