import { generateKeyPairSync } from 'node:crypto';
import { sign, type JwtHeader, type SignOptions } from 'jsonwebtoken';
import { expectProblem } from '../../support/clients/problems';
import { newSecret } from '../../support/service/processes';
import { exportedSecret, target, type Target } from '../../support/service/target';
import { waitUntil } from '../../support/wait';
import { forge, registerTitle, unique } from './helpers';

let lendline: Target;
let secret: string;
beforeAll(async () => {
  lendline = await target();
  secret = exportedSecret(newSecret);
});

const read = (authorization: string) =>
  lendline.api().get('/api/book-infos?size=1').set('Authorization', authorization);
const bearer = (token: string) => read(`Bearer ${token}`);
const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;
const claims = () => ({
  sub: String(lendline.newUserId()),
  username: 'reader',
  role: 'user',
  isAdmin: false,
  exp: inAnHour(),
});
const signed = (changes: object = {}, options: SignOptions = {}) =>
  sign(JSON.stringify({ ...claims(), ...changes }), secret, { algorithm: 'HS256', ...options });

describe('a token', () => {
  it('is good with the right claims and signature', async () => {
    expect((await bearer(signed())).status).toBe(200);
    expect((await read(`bearer  ${signed()}`)).status).toBe(200);
  });

  it('may lack role and isAdmin, and then grants no right', async () => {
    const token = signed({ role: undefined, isAdmin: undefined });
    expect((await bearer(token)).status).toBe(200);
    expectProblem(
      await lendline.api().post('/api/users').auth(token, { type: 'bearer' }).send({}),
      403,
      'FORBIDDEN',
    );
  });

  const faulty: Record<string, () => string> = {
    'no token at all': () => 'x',
    'two parts': () => signed().split('.').slice(0, 2).join('.'),
    'a signature of another secret': () => sign(claims(), newSecret()),
    'a changed claim': () => {
      const [header, , signature] = signed().split('.');
      return [
        header,
        Buffer.from(JSON.stringify({ ...claims(), isAdmin: true })).toString('base64url'),
        signature,
      ].join('.');
    },
    'no signature': () => `${signed().split('.').slice(0, 2).join('.')}.`,
    'the algorithm none': () => forge({ alg: 'none' }, claims()),
    'the algorithm None and a signature': () => forge({ alg: 'None' }, claims(), secret),
    'an algorithm that is not configured, signed with the right secret': () =>
      signed({}, { algorithm: 'HS512' }),
    'the algorithm RS256 and a key of its own': () =>
      sign(claims(), generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, {
        algorithm: 'RS256',
      }),
    'a key of its own, and where to find it': () => {
      const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      return sign(claims(), privateKey, {
        header: {
          alg: 'RS256',
          jwk: publicKey.export({ format: 'jwk' }),
          jku: `${lendline.url}/openapi.json`,
        } as JwtHeader,
      });
    },
    'no JSON in it': () => forge({ alg: 'HS256' }, 'text', secret),
    'no sub': () => signed({ sub: undefined }),
    'a number as sub': () => forge({ alg: 'HS256' }, { ...claims(), sub: 7 }, secret),
    'sub ""': () => signed({ sub: '' }),
    'sub 0': () => signed({ sub: '0' }),
    'sub -1': () => signed({ sub: '-1' }),
    'sub 1.5': () => signed({ sub: '1.5' }),
    'sub 007': () => signed({ sub: '007' }),
    'sub 2^53': () => signed({ sub: '9007199254740992' }),
    'a name as sub': () => signed({ sub: 'alice' }),
    'no username': () => signed({ username: undefined }),
    'an empty username': () => signed({ username: '' }),
    'a username of 256 characters': () => signed({ username: 'x'.repeat(256) }),
    'a username that is no text': () => signed({ username: { $ne: null } }),
    'a role that does not exist': () => signed({ role: 'admin' }),
    'isAdmin as text': () => signed({ isAdmin: 'true' }),
    'no exp': () => signed({ exp: undefined }),
    'a time before it is valid': () => signed({ nbf: inAnHour() }),
  };

  it.each(Object.keys(faulty))(
    'answers 401 TOKEN_INVALID, also where no token is needed, to %s',
    async (fault) => {
      const response = await bearer(faulty[fault]!());
      expectProblem(response, 401, 'TOKEN_INVALID');
      expect(response.headers['www-authenticate']).toBe('Bearer');
    },
  );

  it.each([
    '',
    'Bearer',
    'Bearer ',
    'Basic YTpi',
    'Token x',
    'Bearer a b',
    'Bearer a,Bearer b',
    'Bearer ü',
  ])('answers 401 TOKEN_INVALID to the header %j', async (header) => {
    expectProblem(
      await lendline
        .api()
        .get('/api/book-infos')
        .set('Authorization', Buffer.from(header).toString('latin1')),
      401,
      'TOKEN_INVALID',
    );
  });

  it('answers 401 TOKEN_EXPIRED when it was good once', async () => {
    expectProblem(await bearer(lendline.token({ expiresIn: -1 })), 401, 'TOKEN_EXPIRED');
    // A token begins in a whole second, and a busy machine may take some for an answer.
    const short = lendline.token({ expiresIn: 5 });
    expect((await bearer(short)).status).toBe(200);
    const late = await waitUntil('the token has expired', 30_000, async () => {
      const response = await bearer(short);
      return response.status === 401 && response;
    });
    expectProblem(late, 401, 'TOKEN_EXPIRED');
    expect(late.headers['www-authenticate']).toBe('Bearer');
  });
});

describe('a user who is known by a token alone', () => {
  const borrow = (token: string, bookInfoId: number) =>
    lendline.api().post('/api/borrows').auth(token, { type: 'bearer' }).send({ bookInfoId });

  it('gets a row with the first write', async () => {
    const { bookInfoId } = await registerTitle(lendline, { copies: 1 });
    const [userId, username] = [lendline.newUserId(), unique('데미안 📚')];
    const { status, body } = await borrow(lendline.token({ userId, username }), bookInfoId);
    expect([status, body.userId, body.username]).toEqual([201, userId, username]);
  });

  it('gets a row with the first read', async () => {
    const { bookInfoId } = await registerTitle(lendline, { copies: 1 });
    const [userId, username] = [lendline.newUserId(), unique('first name')];
    await bearer(lendline.token({ userId, username })).expect(200);
    expect(
      (await borrow(lendline.token({ userId, username: 'second name' }), bookInfoId)).body.username,
    ).toBe(username);
  });

  it('gets one row of many requests at the same time', async () => {
    const titles = await Promise.all(
      [1, 2, 3, 4].map(() => registerTitle(lendline, { copies: 1 })),
    );
    const [userId, username] = [lendline.newUserId(), unique('at once')];
    const answers = await Promise.all(
      titles.flatMap(({ bookInfoId }) => [
        borrow(lendline.token({ userId, username }), bookInfoId),
        bearer(lendline.token({ userId, username })),
      ]),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      200, 200, 200, 200, 201, 201, 201, 201,
    ]);
  });

  it('may have the largest id there is', async () => {
    const { bookInfoId } = await registerTitle(lendline, { copies: 1 });
    expect(
      (await borrow(lendline.token({ userId: Number.MAX_SAFE_INTEGER }), bookInfoId)).body.userId,
    ).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('does not take the name from somebody with an account of that name', async () => {
    const username = unique('same name');
    await bearer(lendline.token({ username })).expect(200);
    await lendline
      .api()
      .post('/api/auth/signup')
      .send({ username, password: 'a good pass phrase' })
      .expect(201);
  });
});
