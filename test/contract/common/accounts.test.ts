import { randomInt } from 'node:crypto';
import { decode, type JwtPayload } from 'jsonwebtoken';
import type { Response } from 'supertest';
import { expectFaults, expectProblem } from '../../support/clients/problems';
import { ADMIN } from '../../support/service/processes';
import { target, type Target } from '../../support/service/target';
import { unique } from './helpers';

let lendline: Target;
beforeAll(async () => {
  lendline = await target();
});

const PASSWORD = 'a good pass phrase';
const newName = () => unique('Reader');
const signUp = (body: object) => lendline.api().post('/api/auth/signup').send(body);
const logIn = (username: string, password: string) =>
  lendline.api().post('/api/auth/login').send({ username, password });
const makeUser = (body: object, token = lendline.admin) =>
  lendline.api().post('/api/users').auth(token, { type: 'bearer' }).send(body);

/** Checks a sign-in's body, and that its token says the same and is good. */
async function expectSignedIn({ body, headers }: Response, account: object): Promise<void> {
  expect(body).toEqual({
    userId: expect.any(Number),
    role: 'user',
    isAdmin: false,
    ...account,
    accessToken: expect.any(String),
    tokenType: 'Bearer',
    expiresIn: expect.any(Number),
  });
  expect(headers['cache-control']).toBe('no-store');
  const { userId, username, role, isAdmin, accessToken, expiresIn } = body;
  const claims = decode(accessToken) as JwtPayload;
  expect(claims).toMatchObject({ sub: String(userId), username, role, isAdmin });
  expect(claims.exp! - claims.iat!).toBe(expiresIn);
  // A working day.
  expect(expiresIn).toBe(8 * 3600);
  expect(
    (await lendline.api().get('/api/borrow-histories').auth(accessToken, { type: 'bearer' }))
      .status,
  ).toBe(200);
}

describe('signing up', () => {
  it('makes an account and signs it in', async () => {
    const username = newName();
    const response = await signUp({ username, password: PASSWORD });
    expect(response.status).toBe(201);
    await expectSignedIn(response, { username });
  });

  it('answers 409 USERNAME_TAKEN to a name that is taken, whatever its case, form and margins', async () => {
    const username = unique('Zoé ﬁ');
    await signUp({ username, password: PASSWORD }).expect(201);
    for (const same of [
      username,
      username.toUpperCase(),
      username.toLowerCase(),
      ` ${username} `,
      username.normalize('NFD'),
    ]) {
      expectProblem(
        await signUp({ username: same, password: 'another password' }),
        409,
        'USERNAME_TAKEN',
      );
    }
  });

  it.each([
    ['\u0441\u043e\u0441\u043e', 'coco'],
    ['ern', 'em'],
    ['bill', 'bi1l'],
    ['\uac00', '\u1100\u1161'],
  ])('answers 409 USERNAME_TAKEN to %s, which looks like %s', async (one, other) => {
    const digits = randomInt(2, 10 ** 12)
      .toString()
      .replaceAll(/[01]/g, '7');
    await signUp({ username: `${other}${digits}`, password: PASSWORD }).expect(201);
    expectProblem(
      await signUp({ username: `${one}${digits}`, password: PASSWORD }),
      409,
      'USERNAME_TAKEN',
    );
  });

  it('accepts one of several simultaneous names that look the same', async () => {
    const name = newName().replaceAll('-', ' ');
    const names = [`${name} coco`, `${name} c0co`, `${name} coc0`, `${name} c0c0`];
    const answers = await Promise.all(
      names.map((username) => signUp({ username, password: PASSWORD })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  });

  it.each([
    ['ad\u200bmin', 'username must not contain invisible characters.'],
    ['ad\u00admin', 'username must not contain invisible characters.'],
    ['\u202enimda', 'username must not contain invisible characters.'],
    [
      '\u0430dmin',
      'username must be of one script, or of Latin with Chinese, Japanese or Korean characters.',
    ],
  ])(
    'refuses the name %j by its field and rule, also where an administrator makes the account',
    async (username, detail) => {
      for (const response of [
        await signUp({ username, password: PASSWORD }),
        await makeUser({ username, password: PASSWORD }),
      ]) {
        expectFaults(response, { username: 'INVALID_FORMAT' });
        expect(response.body.detail).toBe(detail);
      }
    },
  );

  it('accepts one of several simultaneous requests', async () => {
    const username = newName();
    const answers = await Promise.all(
      [username, username.toUpperCase(), username.toLowerCase(), username].map((name) =>
        signUp({ username: name, password: PASSWORD }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  });

  it('trims the name and keeps it as it is written', async () => {
    const username = unique('Zoë 데미안 📚');
    expect((await signUp({ username: `  ${username}\t`, password: PASSWORD })).body.username).toBe(
      username,
    );
  });

  it.each([
    [{}, { username: 'REQUIRED', password: 'REQUIRED' }],
    [
      { username: '  ', password: 'short' },
      { username: 'TOO_SHORT', password: 'TOO_SHORT' },
    ],
    [
      { username: 'x'.repeat(256), password: 'x'.repeat(129) },
      { username: 'TOO_LONG', password: 'TOO_LONG' },
    ],
    [
      { username: 5, password: null },
      { username: 'INVALID_TYPE', password: 'INVALID_TYPE' },
    ],
    [{ username: 'a\u0000b', password: PASSWORD }, { username: 'INVALID_FORMAT' }],
  ])('answers 400 VALIDATION_FAILED to %.60j', async (body, faults: Record<string, string>) => {
    expectFaults(await signUp(body), faults);
  });

  it('takes names of 255 characters and passwords of 8 and of 128', async () => {
    for (const length of [8, 128]) {
      const username = newName().padEnd(255, 'x');
      const password = 'ü'.repeat(length);
      expect((await signUp({ username, password })).status).toBe(201);
      expect((await logIn(username, password)).status).toBe(200);
    }
  });

  it.each(['password1', 'PassWord1', '12345678', 'iloveyou'])(
    'refuses the common password %s by its field and rule',
    async (password) => {
      const response = await signUp({ username: newName(), password });
      expectFaults(response, { password: 'INVALID_VALUE' });
      expect(response.body.detail).toBe(
        'password must not be one of the 3,000 commonest passwords.',
      );
    },
  );

  it('takes a password as it is: no other form of it signs in', async () => {
    const [username, password] = [newName(), ' caf\u00e9 \u2460 au lait '];
    await signUp({ username, password }).expect(201);
    for (const other of [password.trim(), password.normalize('NFD'), password.normalize('NFKC')]) {
      expectProblem(await logIn(username, other), 401, 'INVALID_CREDENTIALS');
    }
    await logIn(username, password).expect(200);
  });

  it('ignores a request for the rights of an administrator or lecturer', async () => {
    const rights = { isAdmin: true, role: 'lecturer', userId: 1 };
    expectFaults(await signUp({ username: newName(), password: PASSWORD, ...rights }), {
      isAdmin: 'UNKNOWN_FIELD',
      role: 'UNKNOWN_FIELD',
      userId: 'UNKNOWN_FIELD',
    });
  });

  it('is a command like other writes, whose stored result holds no token', async () => {
    const username = newName();
    const { body } = await lendline
      .api()
      .post('/api/auth/signup')
      .set('Prefer', 'respond-async')
      .send({ username, password: PASSWORD })
      .expect(202);
    const command = await lendline
      .api()
      .get(`${body.statusUrl}?wait=30`)
      .auth(lendline.admin, { type: 'bearer' });
    expect(command.body).toMatchObject({ status: 'succeeded', httpStatus: 201 });
    expect(command.body.result).toEqual({
      userId: expect.any(Number),
      username,
      role: 'user',
      isAdmin: false,
    });
    expect((await logIn(username, PASSWORD)).body.userId).toBe(command.body.result.userId);
  });
});

describe('signing in', () => {
  it('takes the name in any case, and gives another token', async () => {
    const username = newName();
    const { body } = await signUp({ username, password: PASSWORD });
    const response = await logIn(` ${username.toUpperCase()}`, PASSWORD);
    expect(response.status).toBe(200);
    await expectSignedIn(response, { username, userId: body.userId });
    expect(response.body.accessToken).not.toBe(body.accessToken);
  });

  it('takes the configured administrator', async () => {
    const response = await logIn(ADMIN.username, ADMIN.password);
    expect(response.status).toBe(200);
    await expectSignedIn(response, { username: ADMIN.username, isAdmin: true });
  });

  it('answers 401 INVALID_CREDENTIALS to a wrong password as to a name that does not exist', async () => {
    const username = newName();
    await signUp({ username, password: PASSWORD }).expect(201);
    const refused = [
      await logIn(username, PASSWORD.toUpperCase()),
      await logIn(username, `${PASSWORD} `),
      await logIn(newName(), PASSWORD),
    ];
    for (const response of refused) {
      expectProblem(response, 401, 'INVALID_CREDENTIALS');
      expect(response.headers['www-authenticate']).toBe('Bearer');
      expect(response.body.detail).toBe(refused[0]!.body.detail);
    }
  });

  it('checks a password against no rule: a forbidden password is just wrong', async () => {
    for (const password of ['password1', 'x'])
      expectProblem(await logIn(newName(), password), 401, 'INVALID_CREDENTIALS');
  });

  it('accepts old names that break the rules for new ones', async () => {
    expectProblem(
      await logIn(unique('ad\u200bmin \u0430da'), PASSWORD),
      401,
      'INVALID_CREDENTIALS',
    );
  });

  it('needs a name and a password', async () => {
    expectFaults(await lendline.api().post('/api/auth/login').send({ user: 'x' }), {
      username: 'REQUIRED',
      password: 'REQUIRED',
      user: 'UNKNOWN_FIELD',
    });
  });

  it('is slowed after ten wrong tries at whichever API: 429 RATE_LIMITED, for that name alone', async () => {
    const [username, other] = [newName(), newName()];
    for (const name of [username, other])
      await signUp({ username: name, password: PASSWORD }).expect(201);
    for (let tries = 0; tries < 10; tries += 1)
      expectProblem(
        await logIn(tries % 2 ? username : username.toUpperCase(), 'wrong password'),
        401,
        'INVALID_CREDENTIALS',
      );
    for (const password of ['wrong password', PASSWORD]) {
      const response = await logIn(username, password);
      expectProblem(response, 429, 'RATE_LIMITED');
      expect(Number(response.headers['retry-after'])).toBeGreaterThan(1);
    }
    expect((await logIn(other, PASSWORD)).status).toBe(200);
  });

  it('forgets wrong tries when the password was right', async () => {
    const username = newName();
    await signUp({ username, password: PASSWORD }).expect(201);
    for (let round = 0; round < 2; round += 1) {
      for (let tries = 0; tries < 6; tries += 1)
        await logIn(username, 'wrong password').expect(401);
      await logIn(username, PASSWORD).expect(200);
    }
  });
});

describe('making users', () => {
  it.each([
    [{}, { role: 'user', isAdmin: false }],
    [{ role: 'lecturer' }, { role: 'lecturer', isAdmin: false }],
    [{ isAdmin: true }, { role: 'user', isAdmin: true }],
    [
      { role: 'lecturer', isAdmin: true },
      { role: 'lecturer', isAdmin: true },
    ],
  ])('gives an account the rights %j', async (rights, given) => {
    const username = newName();
    const { status, body } = await makeUser({ username, password: PASSWORD, ...rights });
    expect(status).toBe(201);
    expect(body).toEqual({ userId: expect.any(Number), username, ...given });
    await expectSignedIn(await logIn(username, PASSWORD), {
      username,
      userId: body.userId,
      ...given,
    });
  });

  it('is allowed to every administrator, and answers others 403 FORBIDDEN', async () => {
    const username = newName();
    await makeUser({ username, password: PASSWORD, isAdmin: true }).expect(201);
    const { accessToken } = (await logIn(username, PASSWORD)).body;
    await makeUser({ username: newName(), password: PASSWORD }, accessToken).expect(201);
    const signedUp = (await signUp({ username: newName(), password: PASSWORD })).body;
    expectProblem(
      await makeUser({ username: newName(), password: PASSWORD }, signedUp.accessToken),
      403,
      'FORBIDDEN',
    );
  });

  it.each([
    [{ role: 'admin' }, { role: 'INVALID_VALUE' }],
    [{ role: 'USER' }, { role: 'INVALID_VALUE' }],
    [{ isAdmin: 'true' }, { isAdmin: 'INVALID_TYPE' }],
    [{ isAdmin: 1 }, { isAdmin: 'INVALID_TYPE' }],
    [{ password: 'short' }, { password: 'TOO_SHORT' }],
  ])('answers 400 VALIDATION_FAILED to %j', async (fields, faults: Record<string, string>) => {
    expectFaults(await makeUser({ username: newName(), password: PASSWORD, ...fields }), faults);
  });

  it('answers 409 USERNAME_TAKEN to the name of somebody who signed up', async () => {
    const username = newName();
    await signUp({ username, password: PASSWORD }).expect(201);
    expectProblem(
      await makeUser({ username: username.toLowerCase(), password: PASSWORD }),
      409,
      'USERNAME_TAKEN',
    );
  });
});
