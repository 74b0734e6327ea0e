import { decode } from 'jsonwebtoken';
import supertest, { type Response } from 'supertest';
import { expectFaults, expectProblem } from '../../support/clients/problems';
import { openStream } from '../../support/clients/event-stream';
import { newSecret } from '../../support/service/processes';
import { exportedSecret, target, type Target } from '../../support/service/target';
import { waitUntil } from '../../support/wait';
import { forge, unique } from './helpers';

let lendline: Target;
beforeAll(async () => {
  lendline = await target();
});

const PASSWORD = 'a good pass phrase';
const NEW_PASSWORD = 'a better pass phrase';
/** Open streams are checked every few seconds. */
const STREAMS_MS = 30_000;

interface SignedIn {
  readonly username: string;
  readonly token: string;
}

async function signUp(
  headers: Record<string, string> = {},
  username = unique('Reader'),
): Promise<SignedIn> {
  const { body } = await lendline
    .api()
    .post('/api/auth/signup')
    .set(headers)
    .send({ username, password: PASSWORD })
    .expect(201);
  return { username, token: body.accessToken as string };
}

const logIn = (username: string, password: string) =>
  lendline.api().post('/api/auth/login').send({ username, password });
const logOut = (token: string) =>
  lendline.api().post('/api/auth/logout').auth(token, { type: 'bearer' });
const changePassword = (token: string, currentPassword: string, newPassword = NEW_PASSWORD) =>
  lendline
    .api()
    .put('/api/users/me/password')
    .auth(token, { type: 'bearer' })
    .send({ currentPassword, newPassword });

/** A read with the token at every API; public ones check it as well. */
function readEverywhere(token: string): Promise<Response[]> {
  const paths = ['/api/borrow-histories', '/api/book-infos?size=1'];
  return Promise.all(
    lendline.urls.flatMap((url) =>
      paths.map((path) => supertest(url).get(path).auth(token, { type: 'bearer' })),
    ),
  );
}

async function expectGood(token: string): Promise<void> {
  for (const { status } of await readEverywhere(token)) expect(status).toBe(200);
}

async function expectEnded(token: string): Promise<void> {
  for (const response of await readEverywhere(token)) {
    expectProblem(response, 401, 'TOKEN_REVOKED');
    expect(response.headers['www-authenticate']).toBe('Bearer');
  }
}

describe('a token made here', () => {
  it('names its id, audience and kind', async () => {
    const [first, second] = [await signUp(), await signUp()];
    const parts = [first, second].map(({ token }) => decode(token, { complete: true })!);
    for (const { header, payload } of parts) {
      expect(header.typ).toBe('at+jwt');
      expect(payload).toMatchObject({ aud: 'lendline', jti: expect.any(String) });
    }
    expect((parts[0]!.payload as { jti: string }).jti).not.toBe(
      (parts[1]!.payload as { jti: string }).jti,
    );
  });
});

describe('signing out', () => {
  it('ends that token at every API, and no other one', async () => {
    const { username, token } = await signUp();
    const other = (await logIn(username, PASSWORD)).body.accessToken as string;
    await expectGood(token);
    expect((await logOut(token)).status).toBe(204);
    await expectEnded(token);
    await expectGood(other);
  });

  it('ends a token that was made with the secret elsewhere', async () => {
    const token = lendline.token();
    await expectGood(token);
    expect((await logOut(token)).status).toBe(204);
    await expectEnded(token);
  });

  it.each([
    ['after the year 9999', 300_000_000_000],
    ['at a fraction of a millisecond', 4_000_000_000.2505],
  ])('ends a token that expires %s', async (_, exp) => {
    const claims = { sub: String(lendline.newUserId()), username: 'reader', exp };
    const token = forge({ alg: 'HS256' }, claims, exportedSecret(newSecret));
    await expectGood(token);
    expect((await logOut(token)).status).toBe(204);
    await expectEnded(token);
  });

  it('ends the open streams of that token at every API, and no other one', async () => {
    const [token, other] = [1, 2].map(() => lendline.token({ isAdmin: true })) as [string, string];
    const openAll = (by: string) =>
      Promise.all(
        lendline.urls.flatMap((url) =>
          ['/api/events', '/api/console/stream', '/posts/stream?c++'].map((path) =>
            openStream(`${url}${path}`, by),
          ),
        ),
      );
    const [own, others] = [await openAll(token), await openAll(other)];
    expect(new Set([...own, ...others].map(({ status }) => status))).toEqual(new Set([200]));
    await logOut(token).expect(204);
    await waitUntil('all have ended', STREAMS_MS, () => own.every((stream) => stream.ended()));
    expect(others.filter((stream) => stream.ended())).toEqual([]);
  });

  it('refuses a token that has ended', async () => {
    const { token } = await signUp();
    await logOut(token).expect(204);
    expectProblem(await logOut(token), 401, 'TOKEN_REVOKED');
  });
});

describe('changing the password', () => {
  it('ends every token of the account at every API, and only the new password signs in', async () => {
    const { username, token } = await signUp();
    const other = (await logIn(username, PASSWORD)).body.accessToken as string;
    await expectGood(token);
    await expectGood(other);
    expect((await changePassword(token, PASSWORD)).status).toBe(204);
    await expectEnded(token);
    await expectEnded(other);
    expectProblem(await logIn(username, PASSWORD), 401, 'INVALID_CREDENTIALS');
    await expectGood((await logIn(username, NEW_PASSWORD).expect(200)).body.accessToken as string);
  });

  it('answers 401 INVALID_CREDENTIALS to a wrong current password, and changes nothing', async () => {
    const { username, token } = await signUp();
    expectProblem(await changePassword(token, 'not the password'), 401, 'INVALID_CREDENTIALS');
    await expectGood(token);
    await logIn(username, PASSWORD).expect(200);
  });

  it('accepts one of two simultaneous changes', async () => {
    const { username, token } = await signUp();
    const passwords = ['one of two pass phrases', 'two of two pass phrases'];
    const answers = await Promise.all(
      passwords.map((password) => changePassword(token, PASSWORD, password)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 401]);
    const won = passwords[answers.findIndex(({ status }) => status === 204)]!;
    await logIn(username, won).expect(200);
  });

  it('takes the new password by the rules of a signup', async () => {
    const { token } = await signUp();
    expectFaults(await changePassword(token, PASSWORD, 'short'), { newPassword: 'TOO_SHORT' });
  });

  it('gives no token to a signup that is sent again with its key', async () => {
    const headers = { 'Idempotency-Key': unique('signup') };
    const { username, token } = await signUp(headers);
    await expectGood((await signUp(headers, username)).token);
    await changePassword(token, PASSWORD).expect(204);
    const again = { username, password: PASSWORD };
    const response = await lendline.api().post('/api/auth/signup').set(headers).send(again);
    expectProblem(response, 401, 'TOKEN_REVOKED');
  });
});
