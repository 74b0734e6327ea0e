import { boundedCache } from '../../../shared/bounded-cache';
import type { Actor } from '../../../shared/command';

/** Most users that are remembered as having a row. */
const USERS_KNOWN_MAX = 100_000;

export type EnsureUser = (actor: Actor) => Promise<void>;

/**
 * Makes sure, once per user, that the bearer of a valid token has a row in the user table. Rows are
 * never deleted, so a known user stays known. Requests of the same user share the call under way.
 */
export function rememberUsers(ensureUser: EnsureUser): EnsureUser {
  const known = boundedCache<number, Promise<void>>(USERS_KNOWN_MAX);
  return (actor) => {
    const { userId } = actor;
    if (userId === null) return Promise.resolve();
    let ensured = known.get(userId);
    if (!ensured) {
      ensured = ensureUser(actor).catch((error: unknown) => {
        known.delete(userId);
        throw error;
      });
      known.set(userId, ensured);
    }
    // A read does not fail because a row could not be made: the next request of this user tries
    // again.
    return ensured.catch(() => undefined);
  };
}
