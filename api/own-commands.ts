import type { Actor } from '../shared/command';
import { StartError } from '../shared/config';
import { userKey } from '../shared/identity/commands';
import { User } from '../shared/identity/tables';
import type { Logger } from '../shared/logger';
import type { CommandDependencies } from './commands/carry-out';
import { sendOwnCommand } from './commands/send';
import { ADMIN_USERNAME_DEFAULT, type ApiConfig } from './config';
import type { EnsureUser } from './http/security/known-users';
import { ensureFirstAdmin } from './identity/first-admin';
import { tokenIssuerOf } from './identity/service';

/** Sends the commands of the API itself: for the first administrator, and for missing users. */

/**
 * How long a reader waits for the row of its own user, milliseconds; it reads all the same when no
 * worker made it by then.
 */
const USER_MADE_MS = 1000;

const NOBODY: Actor = { userId: null, username: null, role: 'user', isAdmin: false };

/** Gives a reader with a valid token a row, by a command, because only workers write. */
export function userMaker(commands: CommandDependencies): EnsureUser {
  return async (actor) => {
    const { userId } = actor;
    if (userId === null || (await User.count({ where: { id: userId } })) > 0) return;
    await sendOwnCommand(
      commands,
      { type: 'identity.ensure-user', key: userKey(userId), payload: { userId } },
      actor,
      USER_MADE_MS,
    );
  };
}

/** @throws StartError when only half of the first administrator is named. */
export function checkFirstAdmin({ ADMIN_USERNAME, ADMIN_PASSWORD }: ApiConfig): void {
  if (ADMIN_USERNAME && !ADMIN_PASSWORD)
    throw new StartError(
      'ADMIN_USERNAME is set without ADMIN_PASSWORD. Set both, or ADMIN_PASSWORD alone for the name admin.',
    );
}

export interface FirstAdminOptions {
  readonly config: ApiConfig;
  /** Whether ADMIN_PASSWORD was made by the program, and not chosen by an operator. */
  readonly adminPasswordIsMade?: boolean;
  readonly logger: Logger;
}

/**
 * Makes the first administrator where there is none. Without a worker the command waits in its
 * queue, and the administrator is there when one comes.
 */
export async function makeFirstAdmin(
  { config, adminPasswordIsMade: isMade = false, logger }: FirstAdminOptions,
  commands: CommandDependencies,
): Promise<void> {
  const { ADMIN_USERNAME: username = ADMIN_USERNAME_DEFAULT, ADMIN_PASSWORD: password } = config;
  if (!password || !tokenIssuerOf(config)) return;
  try {
    const draft = await ensureFirstAdmin({ username, password, isMade }, logger);
    if (draft) await sendOwnCommand(commands, draft, NOBODY, config.API_WAIT_MS);
  } catch (error) {
    logger.error({ err: error }, 'first administrator not created');
  }
}
