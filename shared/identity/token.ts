import { randomUUID } from 'node:crypto';
import { sign } from 'jsonwebtoken';
import type { Role } from '../command';

/** The tokens that are made here, for sign-ins and by operators. */

export interface TokenClaims {
  readonly userId: number;
  readonly username: string;
  readonly role: Role;
  readonly isAdmin: boolean;
  /**
   * Of a sign-in: how often the account has ended its tokens. Such a token counts for as long as
   * its account exists and ends no more of them. Absent from a token that an operator makes, also
   * for a user without a row.
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

/** Whom tokens are for unless JWT_AUDIENCE says otherwise. */
export const AUDIENCE = 'lendline';

/** Signs a token. `lifetimeS`: seconds. */
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
