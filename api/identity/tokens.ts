import { sign } from 'jsonwebtoken';
import type { Role } from '../../shared/command';

/** What is known of an account, as clients see it. */
export interface Account {
  readonly userId: number;
  readonly username: string;
  readonly role: Role;
  readonly isAdmin: boolean;
}

export interface TokenIssuer {
  /** HS256 secret. */
  readonly secret: string;
  /** Life of a token, seconds. A token cannot be taken back: a change of role shows when it is issued anew. */
  readonly lifetimeS: number;
  /** Claims `iss` and `aud`, when the tokens are checked for them. */
  readonly issuer?: string;
  readonly audience?: string;
}

/** The members that go with an account when somebody has signed in. */
export interface IssuedToken {
  readonly accessToken: string;
  readonly tokenType: 'Bearer';
  /** Seconds. */
  readonly expiresIn: number;
}

/** Life of a token unless configured, seconds: a working day, for there is no refreshing. */
export const TOKEN_LIFETIME_DEFAULT_S = 8 * 3600;

export function issueToken({ userId, ...claims }: Account, { secret, lifetimeS, issuer, audience }: TokenIssuer): IssuedToken {
  const accessToken = sign(claims, secret, {
    algorithm: 'HS256',
    subject: String(userId),
    expiresIn: lifetimeS,
    ...(issuer ? { issuer } : {}),
    ...(audience ? { audience } : {}),
  });
  return { accessToken, tokenType: 'Bearer', expiresIn: lifetimeS };
}
