import type { Role } from '../../shared/command';
import { signToken, type TokenKey } from '../../shared/identity/token';

/** An account as clients see it. */
export interface Account {
  readonly userId: number;
  readonly username: string;
  readonly role: Role;
  readonly isAdmin: boolean;
}

export interface TokenIssuer extends TokenKey {
  /** Life of a token, seconds. */
  readonly lifetimeS: number;
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

/**
 * Returns a token of the account's present generation: it ends when the account ends its tokens.
 */
export function issueToken(
  { userId, username, role, isAdmin }: Account,
  generation: number,
  { lifetimeS, ...key }: TokenIssuer,
): IssuedToken {
  const accessToken = signToken({ userId, username, role, isAdmin, generation }, key, lifetimeS);
  return { accessToken, tokenType: 'Bearer', expiresIn: lifetimeS };
}
