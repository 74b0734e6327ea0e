import supertest from 'supertest';
import { startService } from '../../support/service/start-service';
import { expectFaults, expectProblem } from '../../support/clients/problems';
import { ADMIN } from '../../support/service/processes';
import { administratorMade } from '../../support/clients/sign-in';
import { target, type Target } from '../../support/service/target';
import { unique } from './helpers';

let lendline: Target;
beforeAll(async () => {
  lendline = await target();
});

const PASSWORD = 'a good pass phrase';
const NEW_PASSWORD = 'a better pass phrase';

interface SignedUp {
  readonly userId: number;
  readonly username: string;
  readonly token: string;
}

async function make(attributes: object = {}): Promise<SignedUp> {
  const username = unique('Reader');
  const body = { username, password: PASSWORD, ...attributes };
  const { userId } = (await send('post', '/api/users', lendline.admin, body).expect(201)).body as {
    userId: number;
  };
  const { accessToken } = (await logIn(username, PASSWORD).expect(200)).body as {
    accessToken: string;
  };
  return { userId, username, token: accessToken };
}

const logIn = (username: string, password: string) =>
  lendline.api().post('/api/auth/login').send({ username, password });
function send(
  method: 'get' | 'post' | 'patch',
  path: string,
  token: string,
  body?: object,
  at = lendline,
) {
  const sent = at.api()[method](path).auth(token, { type: 'bearer' });
  return body ? sent.send(body) : sent;
}
const change = (userId: number, changes: object) =>
  send('patch', `/api/users/${userId}`, lendline.admin, changes);
const me = (token: string) => send('get', '/api/users/me', token);

async function expectEnded(token: string): Promise<void> {
  for (const url of lendline.urls) {
    expectProblem(
      await supertest(url).get('/api/users/me').auth(token, { type: 'bearer' }),
      401,
      'TOKEN_REVOKED',
    );
  }
}

describe('the own account', () => {
  it("shows the caller's profile with counts", async () => {
    const { userId, username, token } = await make({ role: 'lecturer' });
    const book = await send('post', '/api/book-infos', lendline.admin, {
      title: unique('T'),
      author: 'A',
      copies: 1,
    });
    await send('post', '/api/borrows', token, {
      bookInfoId: book.body.bookInfoId as number,
    }).expect(201);
    const course = await send('post', '/courses', token, { courseName: unique('Course') });
    await send('post', `/courses/${course.body.courseId as number}/subscriptions`, token).expect(
      201,
    );
    const { status, body, headers } = await me(token);
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toEqual({
      ...{
        userId,
        username,
        role: 'lecturer',
        isAdmin: false,
        status: 'active',
        email: null,
        locale: 'en',
      },
      createdAt: expect.any(String),
      counts: { openBorrows: 1, holds: 0, courses: 1, notices: 0 },
    });
  });

  it('keeps an e-mail address and a language, and forgets an address that is null', async () => {
    const { token } = await make();
    const changed = await send('patch', '/api/users/me', token, {
      email: 'ada@example.org',
      locale: 'ko',
    });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ email: 'ada@example.org', locale: 'ko' });
    expect((await me(token)).body).toMatchObject({ email: 'ada@example.org', locale: 'ko' });
    await send('patch', '/api/users/me', token, { email: null }).expect(200);
    expect((await me(token)).body).toMatchObject({ email: null, locale: 'ko' });
  });

  it('takes no rights from its owner, no bad address and no empty change', async () => {
    const { token } = await make();
    expectFaults(await send('patch', '/api/users/me', token, { isAdmin: true }), {
      isAdmin: 'UNKNOWN_FIELD',
    });
    expectFaults(await send('patch', '/api/users/me', token, { email: 'ada', locale: 'xx' }), {
      email: 'INVALID_FORMAT',
      locale: 'INVALID_VALUE',
    });
    expectFaults(await send('patch', '/api/users/me', token, {}), { body: 'REQUIRED' });
  });
});

describe('the list of users', () => {
  it('finds names by their beginning, in any case, and filters by right and status', async () => {
    const { userId, username } = await make({ role: 'lecturer' });
    const find = async (query: string) =>
      (await send('get', `/api/users?${query}`, lendline.admin).expect(200)).body as {
        items: { userId: number }[];
      };
    const q = `q=${encodeURIComponent(username.toUpperCase())}`;
    expect((await find(q)).items).toEqual([
      {
        userId,
        username,
        role: 'lecturer',
        isAdmin: false,
        status: 'active',
        category: 'general',
        createdAt: expect.any(String),
      },
    ]);
    expect((await find(`${q}&role=user`)).items).toEqual([]);
    expect((await find(`${q}&isAdmin=true`)).items).toEqual([]);
    expect((await find(`${q}&status=blocked`)).items).toEqual([]);
    expect((await find(`${q}&role=lecturer&isAdmin=false&status=active`)).items).toHaveLength(1);
    expect((await find(`q=${encodeURIComponent(username.slice(3))}`)).items).toEqual([]);
  });

  it('is sorted by name or by age', async () => {
    const prefix = unique('Sorted');
    const names = ['b', 'a', 'c'].map((end) => `${prefix} ${end}`);
    for (const username of names)
      await send('post', '/api/users', lendline.admin, { username, password: PASSWORD }).expect(
        201,
      );
    const sorted = async (sort: string) => {
      const { body } = await send(
        'get',
        `/api/users?q=${encodeURIComponent(prefix)}&sort=${sort}`,
        lendline.admin,
      );
      return (body as { items: { username: string }[] }).items.map(({ username }) =>
        username.at(-1),
      );
    };
    expect(await sorted('username')).toEqual(['a', 'b', 'c']);
    expect(await sorted('-createdAt')).toEqual(['c', 'a', 'b']);
  });
});

describe("changing a user's rights", () => {
  it('ends every token of the user when rights shrink, and none when they grow', async () => {
    const { userId, token } = await make();
    expect((await change(userId, { role: 'lecturer', category: 'staff' })).body).toMatchObject({
      role: 'lecturer',
      category: 'staff',
    });
    await me(token).expect(200);
    await change(userId, { role: 'user' }).expect(200);
    await expectEnded(token);
  });

  it('shuts a blocked user out at every API, until the block ends', async () => {
    const { userId, username, token } = await make();
    await change(userId, { status: 'blocked' }).expect(200);
    await expectEnded(token);
    expectProblem(await logIn(username, PASSWORD), 403, 'FORBIDDEN');
    expectProblem(await logIn(username, 'not the password'), 401, 'INVALID_CREDENTIALS');
    await change(userId, { status: 'active' }).expect(200);
    await logIn(username, PASSWORD).expect(200);
  });

  it('shows the new role to everybody at once', async () => {
    const { userId } = await make();
    for (const url of lendline.urls) await supertest(url).get(`/users/${userId}`).expect(200);
    await change(userId, { role: 'lecturer' }).expect(200);
    for (const url of lendline.urls)
      expect((await supertest(url).get(`/users/${userId}`)).body).toMatchObject({
        role: 'lecturer',
      });
  });

  it('answers 404 USER_NOT_FOUND for a user who does not exist', async () => {
    expectProblem(await change(lendline.newUserId(), { role: 'user' }), 404, 'USER_NOT_FOUND');
  });
});

describe('a password reset', () => {
  const issue = async (userId: number) =>
    (await send('post', `/api/users/${userId}/password-resets`, lendline.admin).expect(201))
      .body as { resetToken: string; expiresAt: string };
  const use = (resetToken: string, newPassword = NEW_PASSWORD) =>
    lendline.api().post('/api/auth/password').send({ resetToken, newPassword });

  it('sets the password once, and ends every token of the account', async () => {
    const { userId, username, token } = await make();
    const { resetToken, expiresAt } = await issue(userId);
    const hours = (Date.parse(expiresAt) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23);
    expect(hours).toBeLessThanOrEqual(24);
    expect((await use(resetToken)).status).toBe(204);
    await expectEnded(token);
    await logIn(username, NEW_PASSWORD).expect(200);
    expectProblem(await logIn(username, PASSWORD), 401, 'INVALID_CREDENTIALS');
    expectProblem(await use(resetToken, 'one more pass phrase'), 401, 'RESET_TOKEN_INVALID');
  });

  it('is replaced by the next one, and ends when the password changes otherwise', async () => {
    const { userId, token } = await make();
    const [first, second] = [await issue(userId), await issue(userId)];
    expectProblem(await use(first.resetToken), 401, 'RESET_TOKEN_INVALID');
    const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    await lendline
      .api()
      .put('/api/users/me/password')
      .auth(token, { type: 'bearer' })
      .send(body)
      .expect(204);
    expectProblem(await use(second.resetToken), 401, 'RESET_TOKEN_INVALID');
  });

  it('refuses a changed token', async () => {
    const { userId } = await make();
    const { resetToken } = await issue(userId);
    const other = await make();
    for (const bad of [
      'x',
      `${resetToken}x`,
      resetToken.replace(String(userId), String(other.userId)),
    ]) {
      expectProblem(await use(bad), 401, 'RESET_TOKEN_INVALID');
    }
  });
});

describe('the last administrator', () => {
  it('remains, even when two administrators demote each other at once', async () => {
    const own = (await startService()).target;
    await administratorMade(own.url);
    const { accessToken, userId: first } = (
      await own.api().post('/api/auth/login').send(ADMIN).expect(200)
    ).body as { accessToken: string; userId: number };
    const second = (
      await send(
        'post',
        '/api/users',
        accessToken,
        { username: unique('Admin'), password: PASSWORD, isAdmin: true },
        own,
      ).expect(201)
    ).body as { userId: number; username: string };
    const token = (
      (
        await own
          .api()
          .post('/api/auth/login')
          .send({ username: second.username, password: PASSWORD })
      ).body as { accessToken: string }
    ).accessToken;
    const demote = (userId: number, by: string) =>
      send('patch', `/api/users/${userId}`, by, { isAdmin: false }, own);
    const answers = await Promise.all([demote(first, token), demote(second.userId, accessToken)]);
    // Who lost the right first may be too late to take it from the other.
    expect(answers.map(({ status }) => status).sort()).toEqual([200, expect.any(Number)]);
    expect([401, 409]).toContain(Math.max(...answers.map(({ status }) => status)));
    const [left, by] = answers[0].status === 200 ? [second.userId, token] : [first, accessToken];
    expectProblem(await demote(left, by), 409, 'LAST_ADMINISTRATOR');
    expectProblem(
      await send('patch', `/api/users/${left}`, by, { status: 'blocked' }, own),
      409,
      'LAST_ADMINISTRATOR',
    );
  });
});
