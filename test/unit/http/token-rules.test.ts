import { generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { Socket, type AddressInfo } from 'node:net';
import type { Request, Response } from 'express';
import { decode, sign, type Algorithm } from 'jsonwebtoken';
import { createAuthenticate, type Authenticate } from '../../../api/http/security/authenticate';
import type { Problem } from '../../../api/http/responses/problem';
import {
  hasIdentityProvider,
  tokenRules,
  type TokenConfig,
} from '../../../api/http/security/token-rules';
import { issueToken } from '../../../api/identity/tokens';

const secret = 'a secret of at least 32 characters';
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const pem = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString();

const signed = (key: KeyObject | string, algorithm: Algorithm, more: object = {}): string =>
  sign({ sub: '7', username: 'ada' }, key, { algorithm, expiresIn: 60, keyid: algorithm, ...more });

const userOf = async (config: TokenConfig | Authenticate, token: string) => {
  const authenticate =
    typeof config === 'function' ? config : createAuthenticate(tokenRules(config));
  const request = new IncomingMessage(new Socket()) as Request;
  request.headers.authorization = `Bearer ${token}`;
  const response = Object.assign(new ServerResponse(request), { locals: {} }) as Response;
  return (await authenticate(request, response)).userId;
};

describe('tokens issued here', () => {
  it('are taken here', async () => {
    const account = { userId: 7, username: 'ada', role: 'user', isAdmin: false } as const;
    const issued = issueToken(account, 0, { secret, lifetimeS: 60, issuer: 'us' });
    await expect(userOf({ secret, issuer: 'us' }, issued.accessToken)).resolves.toBe(7);
    await expect(userOf({ secret, issuer: 'them' }, issued.accessToken)).rejects.toMatchObject({
      code: 'TOKEN_INVALID',
    });
    await expect(userOf({ secret, audience: 'us' }, issued.accessToken)).rejects.toMatchObject({
      code: 'TOKEN_INVALID',
    });
  });

  it('name the audience that is configured', async () => {
    const account = { userId: 7, username: 'ada', role: 'user', isAdmin: false } as const;
    const issued = issueToken(account, 0, { secret, lifetimeS: 60, audience: 'us' });
    expect(decode(issued.accessToken)).toMatchObject({ aud: 'us' });
    await expect(userOf({ secret, audience: 'us' }, issued.accessToken)).resolves.toBe(7);
  });
});

describe('a public key', () => {
  it('takes tokens of its own kind only', async () => {
    const config = { secret, publicKey: pem(rsa.publicKey).replaceAll('\n', '\\n') };
    expect(hasIdentityProvider(config)).toBe(true);
    await expect(userOf(config, signed(rsa.privateKey, 'RS256'))).resolves.toBe(7);
    await expect(
      userOf({ publicKey: pem(ec.publicKey) }, signed(ec.privateKey, 'ES256')),
    ).resolves.toBe(7);
    await expect(userOf(config, signed(ec.privateKey, 'ES256'))).rejects.toMatchObject({
      code: 'TOKEN_INVALID',
    });
    await expect(userOf(config, signed(secret, 'HS256'))).rejects.toMatchObject({
      code: 'TOKEN_INVALID',
    });
  });

  it('takes access tokens only, until they expire', async () => {
    const config = { publicKey: pem(rsa.publicKey) };
    const header = { alg: 'RS256', typ: 'id+jwt' };
    await expect(userOf(config, signed(rsa.privateKey, 'RS256', { header }))).rejects.toMatchObject(
      { code: 'TOKEN_INVALID' },
    );
    await expect(
      userOf(config, signed(rsa.privateKey, 'RS256', { expiresIn: -1 })),
    ).rejects.toMatchObject({ code: 'TOKEN_EXPIRED' });
  });

  it('that is invalid stops the start', () => {
    expect(() => tokenRules({ publicKey: 'nonsense' })).toThrow('JWT_PUBLIC_KEY');
    expect(() => tokenRules({})).toThrow('JWT_SECRET');
  });
});

describe('a JWKS', () => {
  const keys = [
    { ...rsa.publicKey.export({ format: 'jwk' }), kid: 'RS256', use: 'sig' },
    { ...ec.publicKey.export({ format: 'jwk' }), kid: 'ES256', use: 'sig' },
  ];
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = { ...stranger.publicKey.export({ format: 'jwk' }), kid: 'RS256', use: 'sig' };
  const asked: string[] = [];
  const provider = createServer(({ url = '' }, response) => {
    asked.push(url);
    response.statusCode = url === '/broken' ? 500 : 200;
    const body = { keys: url === '/' ? keys : [jwk] };
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
  });
  const jwksUrl = () => `http://127.0.0.1:${(provider.address() as AddressInfo).port}/`;
  beforeAll((done) => {
    provider.listen(0, '127.0.0.1', done);
  });
  afterAll(() => {
    provider.close();
    provider.closeAllConnections();
  });

  it('takes tokens of its keys', async () => {
    await expect(userOf({ jwksUrl: jwksUrl() }, signed(rsa.privateKey, 'RS256'))).resolves.toBe(7);
    await expect(userOf({ jwksUrl: jwksUrl() }, signed(ec.privateKey, 'ES256'))).resolves.toBe(7);
  });

  it('rejects an unknown key, and a secret', async () => {
    await expect(
      userOf({ jwksUrl: jwksUrl() }, signed(rsa.privateKey, 'RS256', { keyid: 'other' })),
    ).rejects.toMatchObject({ code: 'TOKEN_INVALID' });
    await expect(userOf({ jwksUrl: jwksUrl() }, signed(secret, 'HS256'))).rejects.toMatchObject({
      code: 'TOKEN_INVALID',
    });
  });

  it.each(['RS256', 'unknown'])('alone has keys, whatever a token names (kid %s)', async (kid) => {
    asked.length = 0;
    const url = `${jwksUrl()}stranger`;
    const header = { alg: 'RS256', jwk, jku: url, x5u: url };
    const token = signed(stranger.privateKey, 'RS256', { header, keyid: kid });
    for (const config of [{ jwksUrl: jwksUrl() }, { publicKey: pem(rsa.publicKey) }, { secret }])
      await expect(userOf(config, token)).rejects.toMatchObject({ code: 'TOKEN_INVALID' });
    expect(asked).toEqual(['/']);
  });

  it('is asked once in six seconds for keys that it does not have', async () => {
    asked.length = 0;
    const check = createAuthenticate(tokenRules({ jwksUrl: jwksUrl() }));
    const unknown = () =>
      Promise.all(
        Array.from({ length: 30 }, () =>
          userOf(check, signed(stranger.privateKey, 'RS256', { keyid: randomUUID() })).catch(
            (error: unknown) => (error as Problem).code,
          ),
        ),
      );
    const codes = [...(await unknown()), ...(await unknown())];
    expect(new Set(codes)).toEqual(new Set(['TOKEN_INVALID']));
    expect(asked).toHaveLength(1);
    const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 6000);
    await unknown();
    now.mockRestore();
    expect(asked).toHaveLength(2);
  });

  it('that fails is asked again after a second, not before', async () => {
    asked.length = 0;
    const check = createAuthenticate(tokenRules({ jwksUrl: `${jwksUrl()}broken` }));
    const now = jest.spyOn(performance, 'now');
    for (const at of [0, 400, 800, 1200, 1600]) {
      now.mockReturnValue(at);
      await expect(userOf(check, signed(rsa.privateKey, 'RS256'))).rejects.toMatchObject({
        code: 'UNAVAILABLE',
      });
    }
    now.mockRestore();
    expect(asked).toHaveLength(2);
  });

  it('that is unavailable does not make the token invalid', async () => {
    await expect(
      userOf({ jwksUrl: 'http://127.0.0.1:9/' }, signed(rsa.privateKey, 'RS256')),
    ).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
