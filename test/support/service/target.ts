import { createSecretKey, randomInt } from 'node:crypto';
import jwt from 'jsonwebtoken';
import supertest from 'supertest';
import { watch } from '../check/document/watched';

/**
 * What the contract tests talk to. The same files run on both ways of running; each Jest project
 * names its way in `globals`, and its global setup has started the service and put the addresses
 * into the environment.
 */

export type TargetName = 'embedded' | 'servers';

declare global {
  var contractTarget: TargetName | undefined;
}

export interface TestUser {
  readonly userId: number;
  readonly username: string;
  readonly role: 'user' | 'lecturer';
  readonly isAdmin: boolean;
  /** How long the token is valid, seconds; negative makes one that has expired. */
  readonly expiresIn: number;
}

export interface Target {
  readonly name: TargetName;
  /** The addresses of all API processes. */
  readonly urls: readonly string[];
  /** The first of them. */
  readonly url: string;
  /** An administrator's token. */
  readonly admin: string;
  /** Returns a valid token; a new user's unless the overrides say whose. */
  token(overrides?: Partial<TestUser>): string;
  /** Returns an id that no other test uses. */
  newUserId(): number;
  /**
   * Returns a supertest agent; every call goes to the next API process, so that a test also finds
   * what one alone would hide.
   */
  api(): ReturnType<typeof supertest>;
}

const variable = (name: TargetName) => `TEST_${name.toUpperCase()}_URLS`;
const SECRET_VARIABLE = 'TEST_JWT_SECRET';
/** A day, so that a token is also valid for an API whose clock is wrong by hours, seconds. */
export const TOKEN_LIFE_S = 86_400;
/** Higher than any id that a database assigns in a test run, and below 2^53. */
const USER_ID_MIN = 2 ** 40;

export function exportTarget(name: TargetName, urls: readonly string[]): void {
  process.env[variable(name)] = urls.join(',');
}

/** Returns the secret that every target of this run is started with. */
export function exportedSecret(make: () => string): string {
  return (process.env[SECRET_VARIABLE] ??= make());
}

export function target(): Promise<Target> {
  const name = globalThis.contractTarget;
  const urls = name && process.env[variable(name)]?.split(',');
  if (!name || !urls?.[0])
    return Promise.reject(
      new Error(
        'There is no target: contract tests run in the Jest projects `embedded` and `servers`.',
      ),
    );
  return Promise.resolve(targetAt(name, urls));
}

/** Returns a service at these addresses that was started with the secret of this run. */
export function targetAt(name: TargetName, urls: readonly string[]): Target {
  watch(...urls);
  const newUserId = () => USER_ID_MIN + randomInt(2 ** 47);
  let calls = 0;
  return {
    name,
    urls,
    url: urls[0] ?? '',
    admin: token({ userId: newUserId(), isAdmin: true }),
    token: (overrides = {}) => token({ userId: newUserId(), ...overrides }),
    newUserId,
    api: () => supertest(urls[calls++ % urls.length] ?? ''),
  };
}

function token({
  userId,
  username = `user-${userId}`,
  role = 'user',
  isAdmin = false,
  expiresIn = TOKEN_LIFE_S,
}: Partial<TestUser> & { userId: number }): string {
  const secret = process.env[SECRET_VARIABLE];
  if (!secret) throw new Error(`${SECRET_VARIABLE} is not set`);
  // As a key, for a text is tried as a private key first, which takes a while.
  const key = createSecretKey(Buffer.from(secret));
  return jwt.sign({ username, role, isAdmin }, key, {
    algorithm: 'HS256',
    subject: String(userId),
    expiresIn,
  });
}
