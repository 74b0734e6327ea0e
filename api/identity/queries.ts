import { folded } from '../../shared/fields';
import { User } from '../../shared/identity/tables';
import type { Account } from './tokens';

/** Key of an account made here: two spellings of a username are one account. */
export function loginNameOf(username: string): string {
  return folded(username);
}

/** An account, and what stays here of it. */
interface FoundAccount {
  readonly account: Account;
  readonly passwordHash: string | null;
  /** Of its tokens. */
  readonly generation: number;
  readonly isBlocked: boolean;
  readonly mustChangePassword: boolean;
}

function foundOf({
  id,
  username,
  role,
  isAdmin,
  passwordHash,
  tokenGeneration,
  status,
  mustChangePassword,
}: User): FoundAccount {
  return {
    account: { userId: id, username, role, isAdmin },
    passwordHash,
    generation: tokenGeneration,
    isBlocked: status === 'blocked',
    mustChangePassword,
  };
}

/** Returns the account of a username, null when there is none. */
export async function findAccount(username: string): Promise<FoundAccount | null> {
  const user = await User.findOne({ where: { loginName: loginNameOf(username) } });
  return user && foundOf(user);
}

/** Returns the account of a user, null when there is none. */
export async function findAccountOf(userId: number): Promise<FoundAccount | null> {
  const user = await User.findByPk(userId);
  return user && foundOf(user);
}
