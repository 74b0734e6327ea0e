import { folded } from '../../shared/fields';
import { User } from '../../shared/identity/tables';
import type { Account } from './tokens';

/** Key of an account made here: two spellings of a username are one account. */
export function loginNameOf(username: string): string {
  return folded(username);
}

/** The account of a username and its password hash, null when there is none. */
export async function findAccount(username: string): Promise<{ account: Account; passwordHash: string | null } | null> {
  const user = await User.findOne({ where: { loginName: loginNameOf(username) } });
  if (!user) return null;
  const { id, role, isAdmin, passwordHash } = user;
  return { account: { userId: id, username: user.username, role, isAdmin }, passwordHash };
}
