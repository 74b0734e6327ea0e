import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Tokens of password resets. A token names the user and the reset, and is signed with the secret of
 * access tokens: nothing is stored that could set a password, and a guess costs no query.
 */

const RESET_ID_BYTES = 16;

export interface Reset {
  readonly userId: number;
  readonly resetId: string;
}

export const newResetId = (): string => randomBytes(RESET_ID_BYTES).toString('base64url');

const signatureOf = ({ userId, resetId }: Reset, secret: string): Buffer =>
  createHmac('sha256', secret).update(`password-reset:${userId}:${resetId}`).digest();

export function resetTokenOf(reset: Reset, secret: string): string {
  return `${reset.userId}.${reset.resetId}.${signatureOf(reset, secret).toString('base64url')}`;
}

/** Returns the reset of a token, or null when the token was not made here. */
export function readResetToken(token: string, secret: string): Reset | null {
  const [user, resetId, signature, ...more] = token.split('.');
  const userId = Number(user);
  if (!resetId || !signature || more.length > 0 || !Number.isSafeInteger(userId)) return null;
  const reset = { userId, resetId };
  const given = Buffer.from(signature, 'base64url');
  const expected = signatureOf(reset, secret);
  return given.length === expected.length && timingSafeEqual(given, expected) ? reset : null;
}
