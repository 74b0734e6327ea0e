import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { Socket, type AddressInfo } from 'node:net';
import type { Request, Response } from 'express';
import { sign, type Algorithm } from 'jsonwebtoken';
import { createAuthenticate } from '../../../api/http/security/authenticate';
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

const userOf = async (config: TokenConfig, token: string): Promise<number | null> => {
  const request = new IncomingMessage(new Socket()) as Request;
  request.headers.authorization = `Bearer ${token}`;
  const response = Object.assign(new ServerResponse(request), { locals: {} }) as Response;
  return (await createAuthenticate(tokenRules(config))(request, response)).userId;
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

  it('that is none stops the start', () => {
    expect(() => tokenRules({ publicKey: 'nonsense' })).toThrow('JWT_PUBLIC_KEY');
    expect(() => tokenRules({})).toThrow('JWT_SECRET');
  });
});

describe('a JWKS', () => {
  const keys = [
    { ...rsa.publicKey.export({ format: 'jwk' }), kid: 'RS256', use: 'sig' },
    { ...ec.publicKey.export({ format: 'jwk' }), kid: 'ES256', use: 'sig' },
  ];
  const provider = createServer((_request, response) =>
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ keys })),
  );
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

  it('that cannot be had is no fault of the token', async () => {
    await expect(
      userOf({ jwksUrl: 'http://127.0.0.1:9/' }, signed(rsa.privateKey, 'RS256')),
    ).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
