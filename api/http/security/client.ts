import { ipKeyGenerator } from 'express-rate-limit';
import type { Actor } from '../../../shared/command';

/**
 * Whose request it is, where clients are told apart: the user's, or without a token that of its
 * network address.
 */
export function clientOf({
  actor,
  address,
}: {
  readonly actor: Pick<Actor, 'userId'> | undefined;
  readonly address: string;
}): string {
  return actor?.userId ? `user:${actor.userId}` : `address:${ipKeyGenerator(address)}`;
}
