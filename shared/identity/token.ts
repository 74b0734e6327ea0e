import { randomUUID } from 'node:crypto';
import { sign } from 'jsonwebtoken';
import type { Role } from '../command';

/** Signs the tokens that are made here, for sign-ins and by operators. */

export interface TokenClaims {
  readonly userId: number;
  readonly username: string;
  readonly role: Role;
  readonly isAdmin: boolean;
  /**
   * Only in tokens of a sign-in: how often the account had ended its tokens. The token counts until
   * its account ends tokens again or is gone. A token that an operator makes lacks it, and needs no
   * row.
   */
  readonly generation?: number;
}

export interface TokenKey {
  /** HS256 secret. */
  readonly secret: string;
  /** Claims `iss` and `aud`, when the tokens are checked for them. */
  readonly issuer?: string;
  readonly audience?: string;
}

/** The audience of tokens, unless JWT_AUDIENCE sets another. */
export const AUDIENCE = 'lendline';

/** Signs a token. `lifetimeS`: lifetime in seconds. */
export function signToken(
  { userId, generation, ...claims }: TokenClaims,
  { secret, issuer, audience = AUDIENCE }: TokenKey,
  lifetimeS: number,
): string {
  return sign({ ...claims, ...(generation !== undefined && { gen: generation }) }, secret, {
    algorithm: 'HS256',
    // RFC 9068: an access token, and no other kind of JWT.
    header: { alg: 'HS256', typ: 'at+jwt' },
    subject: String(userId),
    audience,
    jwtid: randomUUID(),
    expiresIn: lifetimeS,
    ...(issuer ? { issuer } : {}),
  });
}
