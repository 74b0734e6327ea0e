import type { Logger } from '../../shared/logger';
import type { Draft } from '../http/endpoint';
import { findAccount } from './queries';
import { accountDraft } from './routes';

export interface FirstAdmin {
  readonly username: string;
  readonly password: string;
  /** The password was made now, and not chosen. */
  readonly isMade: boolean;
}

/**
 * Returns the command that makes the first administrator, null when an account of that name exists.
 * The caller sends it; when several processes start at once all but one are refused with
 * USERNAME_TAKEN, which is as good.
 */
export async function ensureFirstAdmin(
  { username, password, isMade }: FirstAdmin,
  logger: Logger,
): Promise<Draft | null> {
  const found = await findAccount(username);
  if (!found)
    return accountDraft({ username, password, isAdmin: true, mustChangePassword: isMade });
  // Somebody may have signed up under the name. That does not make an administrator of them.
  if (!found.account.isAdmin)
    logger.warn({ username }, 'ADMIN_USERNAME is an account without the administrator flag');
  return null;
}
