import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sign, type Algorithm } from 'jsonwebtoken';
import supertest from 'supertest';
import { onCleanUp } from '../../support/run/cleanup';
import { freePorts } from '../../support/servers/ports';
import { expectProblem } from '../../support/clients/problems';
import {
  newSecret,
  startEmbedded,
  startServers,
  type Environment,
} from '../../support/service/processes';
import { target } from '../../support/service/target';
import { forge } from './helpers';

/** Tokens of an identity provider, by its public key or by the address of its keys. */

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 });
const EC = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const STRANGER = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString();
const secret = newSecret();
const ISSUER = { issuer: 'https://id.example', audience: 'lendline' };

const claims = { sub: '7', username: 'reader', role: 'user', isAdmin: false };
const tokenOf = (
  key: KeyObject,
  algorithm: Algorithm,
  { keyid, ...more }: { keyid?: string; issuer?: string; audience?: string } = {},
) => sign(claims, key, { algorithm, expiresIn: 3600, ...more, ...(keyid && { keyid }) });
const read = (url: string, token: string) =>
  supertest(url).get('/api/borrow-histories').auth(token, { type: 'bearer' });

/** Publishes the keys of the provider; returns their address. */
async function publishKeys(): Promise<string> {
  const key = (kid: string, { publicKey }: { publicKey: KeyObject }) => ({
    ...publicKey.export({ format: 'jwk' }),
    kid,
    use: 'sig',
  });
  const body = JSON.stringify({ keys: [key('rsa', RSA), key('ec', EC)] });
  const server = createServer((_request, response) =>
    response.setHeader('Content-Type', 'application/json').end(body),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onCleanUp(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`;
}

/**
 * Starts an API of its own with each environment, in the way of running under test; returns their
 * addresses.
 */
async function startApis(environments: readonly Environment[]): Promise<string[]> {
  if ((await target()).name === 'embedded')
    return Promise.all(environments.map(async (env) => (await startEmbedded({ env })).url));
  const system = await startServers({ apis: 0 });
  return Promise.all(environments.map(async (env) => (await system.addApi(env)).url));
}

const urls = { rsa: '', ec: '', jwks: '', unreachable: '' };
beforeAll(async () => {
  const [nobody] = await freePorts(1);
  const [rsa, ec, jwks, unreachable] = await startApis([
    { JWT_PUBLIC_KEY: pem(RSA.publicKey), JWT_SECRET: secret },
    // As it is written where a variable can have one line only.
    {
      JWT_PUBLIC_KEY: pem(EC.publicKey).replaceAll('\n', '\\n'),
      JWT_ISSUER: ISSUER.issuer,
      JWT_AUDIENCE: ISSUER.audience,
    },
    { JWT_JWKS_URL: await publishKeys(), JWT_SECRET: secret },
    { JWT_JWKS_URL: `http://127.0.0.1:${nobody}/jwks.json` },
  ]);
  Object.assign(urls, { rsa, ec, jwks, unreachable });
});

describe('the public key of a provider', () => {
  it.each(['RS256', 'RS512', 'PS256'] as const)('verifies its %s tokens', async (algorithm) => {
    expect((await read(urls.rsa, tokenOf(RSA.privateKey, algorithm))).status).toBe(200);
  });

  it('verifies ES256 tokens of the configured issuer and audience', async () => {
    expect((await read(urls.ec, tokenOf(EC.privateKey, 'ES256', ISSUER))).status).toBe(200);
    for (const other of [
      {},
      { ...ISSUER, issuer: 'https://else.example' },
      { ...ISSUER, audience: 'else' },
    ]) {
      expectProblem(
        await read(urls.ec, tokenOf(EC.privateKey, 'ES256', other)),
        401,
        'TOKEN_INVALID',
      );
    }
  });

  it.each([
    ['another key', () => tokenOf(STRANGER.privateKey, 'RS256')],
    ['another kind of key', () => tokenOf(EC.privateKey, 'ES256')],
    ['our own secret', () => sign(claims, secret, { expiresIn: 3600 })],
    [
      'the public key taken for a secret',
      () => forge({ alg: 'HS256' }, { ...claims, exp: 4_000_000_000 }, pem(RSA.publicKey)),
    ],
    ['nothing', () => forge({ alg: 'none' }, { ...claims, exp: 4_000_000_000 })],
  ])('answers 401 TOKEN_INVALID to a token signed with %s', async (_what, token) => {
    expectProblem(await read(urls.rsa, token()), 401, 'TOKEN_INVALID');
  });

  it('makes no accounts, and lists those of the users who came', async () => {
    const body = { username: 'reader', password: 'a good pass phrase' };
    expectProblem(
      await supertest(urls.rsa).post('/api/users').send(body),
      405,
      'METHOD_NOT_ALLOWED',
    );
    expectProblem(await supertest(urls.rsa).get('/api/users'), 401, 'UNAUTHENTICATED');
  });

  it('are shut out while an administrator blocks them, also from tokens that they have', async () => {
    const tokenFor = (sub: string, isAdmin: boolean) =>
      sign({ sub, username: `user-${sub}`, isAdmin }, RSA.privateKey, {
        algorithm: 'RS256',
        expiresIn: 3600,
      });
    const [user, admin] = [tokenFor('701', false), tokenFor('702', true)];
    const set = (status: string) =>
      supertest(urls.rsa).patch('/api/users/701').auth(admin, { type: 'bearer' }).send({ status });
    expect((await read(urls.rsa, user)).status).toBe(200);
    expect((await set('blocked')).status).toBe(200);
    expectProblem(await read(urls.rsa, user), 401, 'TOKEN_REVOKED');
    expect((await read(urls.rsa, admin)).status).toBe(200);
    expect((await set('active')).status).toBe(200);
    expect((await read(urls.rsa, user)).status).toBe(200);
  });
});

describe('the key set of a provider', () => {
  it('verifies tokens by the key that each names', async () => {
    expect((await read(urls.jwks, tokenOf(RSA.privateKey, 'RS256', { keyid: 'rsa' }))).status).toBe(
      200,
    );
    expect((await read(urls.jwks, tokenOf(EC.privateKey, 'ES256', { keyid: 'ec' }))).status).toBe(
      200,
    );
  });

  it.each([
    ['names a key that is not there', () => tokenOf(RSA.privateKey, 'RS256', { keyid: 'else' })],
    ['names no key', () => tokenOf(RSA.privateKey, 'RS256')],
    [
      'names another key than it was signed with',
      () => tokenOf(STRANGER.privateKey, 'RS256', { keyid: 'rsa' }),
    ],
    ['names a key of another kind', () => tokenOf(RSA.privateKey, 'RS256', { keyid: 'ec' })],
    [
      'was signed with our own secret',
      () => sign(claims, secret, { expiresIn: 3600, keyid: 'rsa' }),
    ],
    [
      'takes the public key for a secret',
      () =>
        forge({ alg: 'HS256', kid: 'rsa' }, { ...claims, exp: 4_000_000_000 }, pem(RSA.publicKey)),
    ],
    ['was not signed', () => forge({ alg: 'none', kid: 'rsa' }, { ...claims, exp: 4_000_000_000 })],
  ])('answers 401 TOKEN_INVALID to a token that %s', async (_what, token) => {
    expectProblem(await read(urls.jwks, token()), 401, 'TOKEN_INVALID');
  });

  it('when unavailable, answers 503 with Retry-After to requests with a token only', async () => {
    const response = await read(
      urls.unreachable,
      tokenOf(RSA.privateKey, 'RS256', { keyid: 'rsa' }),
    );
    expectProblem(response, 503, 'UNAVAILABLE');
    expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect((await supertest(urls.unreachable).get('/api/book-infos')).status).toBe(200);
  });
});

describe('with a provider', () => {
  it.each(['/api/auth/signup', '/api/auth/login', '/api/auth/password'])(
    'the service issues no tokens: 404 ROUTE_NOT_FOUND at %s',
    async (path) => {
      for (const url of [urls.rsa, urls.jwks])
        expectProblem(
          await supertest(url)
            .post(path)
            .send({ username: 'reader', password: 'a good pass phrase' }),
          404,
          'ROUTE_NOT_FOUND',
        );
    },
  );
});

describe('users of a provider', () => {
  it('are listed for administrators, and made by their tokens alone', async () => {
    const body = { username: 'reader', password: 'a good pass phrase' };
    expectProblem(
      await supertest(urls.rsa).post('/api/users').send(body),
      405,
      'METHOD_NOT_ALLOWED',
    );
    expectProblem(await supertest(urls.rsa).get('/api/users'), 401, 'UNAUTHENTICATED');
  });
});
