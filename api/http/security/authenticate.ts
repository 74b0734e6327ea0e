import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { expressjwt, UnauthorizedError, type Request as JwtRequest } from 'express-jwt';
import type { JwtPayload } from 'jsonwebtoken';
import { boundedCache } from '../../../shared/bounded-cache';
import type { Actor, Role } from '../../../shared/command';
import { ROLES } from '../../../shared/identity/commands';
import { passing } from '../passing';
import { Problem } from '../responses/problem';
import { contextOf, type TokenFacts } from '../request-context';
import { textFault } from '../requests/texts';
import type { TokenRules } from './token-rules';
import { parseId } from '../requests/path-params';

/** Finds out who asks. */

const USERNAME_LENGTH_MAX = 255;

/**
 * Tokens whose signature was checked lately are not checked again; their expiry is. About 25 MB
 * when all places are taken.
 */
const TOKENS_KEPT_MAX = 50_000;

/** Ids of tokens that can be kept as they are. */
const TOKEN_ID = /^[\x21-\x7e]{1,64}$/;

/**
 * What the header `typ` of an access token may be (RFC 9068, RFC 7519); many providers write none.
 */
const KINDS = new Set(['at+jwt', 'application/at+jwt', 'jwt']);

const NOBODY: Actor = { userId: null, username: null, role: 'user', isAdmin: false };

/**
 * The actor of a request; nobody when it brings no token.
 * @throws Problem TOKEN_INVALID or TOKEN_EXPIRED for a bad token, UNAVAILABLE when the provider's
 * keys cannot be had.
 */
export type Authenticate = (request: Request, response: Response) => Promise<Actor>;

interface Verified {
  readonly actor: Actor;
  readonly facts: TokenFacts;
}

function bearerToken({ headers: { authorization } }: Request): string | null {
  if (authorization === undefined) return null;
  const token = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization)?.[1];
  if (!token)
    throw new Problem(
      'TOKEN_INVALID',
      'The Authorization header must have the form "Bearer <token>".',
    );
  return token;
}

function idOf(token: string, jti: unknown): string {
  return typeof jti === 'string' && TOKEN_ID.test(jti)
    ? jti
    : createHash('sha256').update(token).digest('base64url');
}

/** @throws Problem TOKEN_INVALID naming the claim that is wrong. */
function verifiedOf(token: string, { sub, exp, jti, ...claims }: JwtPayload): Verified {
  const reject = (claim: string) =>
    new Problem('TOKEN_INVALID', `The token's claim "${claim}" is missing or wrong.`);
  const {
    username,
    role = 'user',
    isAdmin = false,
    gen = null,
  } = claims as Record<string, unknown>;
  const userId = typeof sub === 'string' ? parseId(sub) : null;
  if (userId === null) throw reject('sub');
  if (
    typeof username !== 'string' ||
    username === '' ||
    username.length > USERNAME_LENGTH_MAX ||
    textFault(username)
  )
    throw reject('username');
  if (!(ROLES as readonly unknown[]).includes(role)) throw reject('role');
  if (typeof isAdmin !== 'boolean') throw reject('isAdmin');
  if (typeof exp !== 'number') throw reject('exp');
  if (gen !== null && !Number.isSafeInteger(gen)) throw reject('gen');
  return {
    actor: { userId, username, role: role as Role, isAdmin },
    facts: { id: idOf(token, jti), generation: gen as number | null, expiresAt: exp },
  };
}

function expired(): Problem {
  return new Problem('TOKEN_EXPIRED', 'The token has expired. Sign in again.');
}

function problemOf(error: unknown): Error {
  if (!(error instanceof UnauthorizedError))
    return error instanceof Error ? error : new Error(String(error));
  const { name } = error.inner as { name?: string };
  return name === 'TokenExpiredError'
    ? expired()
    : new Problem('TOKEN_INVALID', 'The token is not valid.', { cause: error });
}

/**
 * @throws Problem TOKEN_INVALID for a JWT of another kind, such as an ID token, which the same key
 * may have signed.
 */
function checkKind(typ: unknown): void {
  if (typ !== undefined && !(typeof typ === 'string' && KINDS.has(typ.toLowerCase())))
    throw new Problem('TOKEN_INVALID', 'The token is not an access token.');
}

/** @throws Problem TOKEN_INVALID for a token that names others, and not us. */
function checkAudience(aud: JwtPayload['aud'], audience: string | undefined): void {
  if (audience !== undefined && aud !== undefined && ![aud].flat().includes(audience))
    throw new Problem('TOKEN_INVALID', 'The token is for another audience.');
}

export function createAuthenticate({
  algorithms,
  key,
  keptMs,
  issuer,
  audience,
  audienceIfNamed,
}: TokenRules): Authenticate {
  const verified = boundedCache<string, Verified>(TOKENS_KEPT_MAX, keptMs);
  const check = expressjwt({
    algorithms,
    secret: (request, token) => {
      checkKind(token?.header.typ);
      return key(request, token);
    },
    getToken: (request) => bearerToken(request) ?? undefined,
    ...(issuer ? { issuer } : {}),
    ...(audience ? { audience } : {}),
  });

  return async (request, response) => {
    const token = bearerToken(request);
    if (token === null) return NOBODY;
    let found = verified.get(token);
    if (!found) {
      await passing(check, request, response, problemOf);
      const claims = (request as JwtRequest).auth ?? {};
      checkAudience(claims.aud, audienceIfNamed);
      found = verifiedOf(token, claims);
      verified.set(token, found);
    }
    if (Date.now() >= found.facts.expiresAt * 1000) throw expired();
    contextOf(response).token = found.facts;
    return found.actor;
  };
}
