import type { IdentityCommand } from '../../shared/identity/commands';
import { folded } from '../../shared/fields';
import { done, type Decision, type DecisionContext } from '../batch/decision';

/** The rules of accounts. Pure, like every `decide`. */

export interface Account {
  readonly id: number;
  readonly username: string;
  readonly loginName: string;
  readonly passwordHash: string;
  readonly role: 'user' | 'lecturer';
  readonly isAdmin: boolean;
  readonly createdAt: Date;
}

export interface IdentityView {
  /** Whether an account of this case-folded name exists. */
  isTaken(loginName: string): boolean;
  /** Whether some user has this id already, for instance one who came with an identity provider's token. */
  isUser(userId: number): boolean;
}

function createAccount(state: IdentityView, payload: Extract<IdentityCommand, { type: 'identity.create-account' }>['payload'], context: DecisionContext) {
  const loginName = folded(payload.username);
  if (state.isTaken(loginName)) {
    const decision: Decision = { kind: 'refused', refusal: { code: 'USERNAME_TAKEN', detail: 'There is an account of this name; names that differ only in case are the same.' } };
    return { decision, account: null };
  }
  let id = context.takeId('user');
  while (state.isUser(id)) id = context.takeId('user');
  const { username, passwordHash, role, isAdmin } = payload;
  const account: Account = { id, username, loginName, passwordHash, role, isAdmin, createdAt: context.now };
  return { decision: done({ userId: id, username, role, isAdmin }, [], true), account };
}

/** The decision, and the account to make when there is one. */
export function decideIdentity(state: IdentityView, command: IdentityCommand, context: DecisionContext): { decision: Decision; account: Account | null } {
  switch (command.type) {
    case 'identity.create-account':
      return createAccount(state, command.payload, context);
    case 'identity.ensure-user':
      // Every command's actor has a row by now: see `workers/batch/actors.ts`.
      return { decision: done(null, []), account: null };
    case 'identity.probe':
      return { decision: done(null, []), account: null };
  }
}
