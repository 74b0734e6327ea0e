import type { IdentityCommand } from '../../shared/identity/commands';
import { folded } from '../../shared/fields';
import { keptLookOf } from '../../shared/identity/names';
import { done, type Decision, type DecisionContext } from '../batch/decision';
import type { AccountChange } from './changes';

/** The rules of accounts. Pure, like every `decide`. */

export interface Account {
  readonly id: number;
  readonly username: string;
  readonly loginName: string;
  /** Null for a look that is too long to keep, of a command of the release before. */
  readonly loginLook: string | null;
  readonly passwordHash: string;
  readonly role: 'user' | 'lecturer';
  readonly isAdmin: boolean;
  readonly createdAt: Date;
}

export interface IdentityView {
  /** Whether an account of this case-folded name exists. */
  isTaken(loginName: string): boolean;
  /** Whether the name of an account looks so. */
  isLookTaken(look: string): boolean;
  /** Whether some user has this id already, for instance one who came with an identity provider's token. */
  isUser(userId: number): boolean;
  /** Of the user's tokens; undefined when there is no such user. */
  generationOf(userId: number): number | undefined;
}

/** What becomes of a command. */
interface Decided {
  readonly decision: Decision;
  /** The account to make. */
  readonly account?: Account;
  /** What to change of one that is there. */
  readonly change?: AccountChange;
}

type Payload<Type extends IdentityCommand['type']> = Extract<IdentityCommand, { type: Type }>['payload'];

function createAccount(state: IdentityView, payload: Payload<'identity.create-account'>, context: DecisionContext): Decided {
  const loginName = folded(payload.username);
  if (state.isTaken(loginName)) {
    const decision: Decision = { kind: 'refused', refusal: { code: 'USERNAME_TAKEN', detail: 'There is an account of this name; names that differ only in case are the same.' } };
    return { decision };
  }
  const loginLook = keptLookOf(payload.username);
  if (loginLook !== null && state.isLookTaken(loginLook)) {
    const decision: Decision = { kind: 'refused', refusal: { code: 'USERNAME_TAKEN', detail: 'There is an account whose name looks the same; choose another name.' } };
    return { decision };
  }
  let id = context.takeId('user');
  while (state.isUser(id)) id = context.takeId('user');
  const { username, passwordHash, role, isAdmin } = payload;
  const account: Account = { id, username, loginName, loginLook, passwordHash, role, isAdmin, createdAt: context.now };
  return { decision: done({ userId: id, username, role, isAdmin }, [], true), account };
}

function changePassword(state: IdentityView, { userId, passwordHash, generation }: Payload<'identity.change-password'>): Decided {
  // Somebody else may have changed it since the current one was checked.
  if (state.generationOf(userId) !== generation) {
    return { decision: { kind: 'refused', refusal: { code: 'INVALID_CREDENTIALS', detail: 'The current password is wrong.' } } };
  }
  return { decision: done(null, []), change: { kind: 'password', userId, passwordHash, generation: generation + 1 } };
}

/** The decision, and what it makes or changes. */
export function decideIdentity(state: IdentityView, command: IdentityCommand, context: DecisionContext): Decided {
  switch (command.type) {
    case 'identity.create-account':
      return createAccount(state, command.payload, context);
    case 'identity.change-password':
      return changePassword(state, command.payload);
    case 'identity.end-token':
      return { decision: done(null, []), change: { kind: 'end-token', ...command.payload } };
    case 'identity.ensure-user':
      // Every command's actor has a row by now: see `workers/batch/actors.ts`.
      return { decision: done(null, []) };
    case 'identity.probe':
      return { decision: done(null, []) };
  }
}
