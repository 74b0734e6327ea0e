import type { IdentityCommand } from '../../shared/identity/commands';
import { folded } from '../../shared/fields';
import { keptLookOf } from '../../shared/identity/names';
import { done, type DecisionContext } from '../batch/service/decision';
import {
  changePassword,
  eraseUser,
  issuePasswordReset,
  refuse,
  resetPassword,
  updateProfile,
  updateUser,
  type IdentityDecision,
  type Payload,
} from './decide-users';
import { createWebhook, deleteWebhook, testWebhook, updateWebhook } from './decide-webhooks';
import { drainWorker, resizePartitions, resumeWorker } from './decide-workers';
import type { AnyIdentityId, IdentityIds } from './needs';
import type { Account, IdentityView } from './state';

/** Decisions about accounts. Pure, like every `decide`. */

function createAccount(
  state: IdentityView,
  payload: Payload<'identity.create-account'>,
  context: DecisionContext<IdentityIds<'identity.create-account'>>,
): IdentityDecision {
  const loginName = folded(payload.username);
  if (state.isTaken(loginName)) {
    return refuse(
      'USERNAME_TAKEN',
      'This username is taken. Upper and lower case count as the same. Choose another one.',
    );
  }
  const loginLook = keptLookOf(payload.username);
  if (loginLook !== null && state.isLookTaken(loginLook)) {
    return refuse(
      'USERNAME_TAKEN',
      'This username looks like the name of another account. Choose another one.',
    );
  }
  let id = context.takeId('user');
  while (state.isUser(id)) id = context.takeId('user');
  const { username, passwordHash, role, isAdmin, mustChangePassword = false } = payload;
  const account: Account = {
    id,
    username,
    loginName,
    loginLook,
    passwordHash,
    role,
    isAdmin,
    mustChangePassword,
    createdAt: context.now,
  };
  return {
    decision: done({ userId: id, username, role, isAdmin }, [], true),
    changes: { account },
  };
}

/** Returns the decision, and what it makes or changes. */
export function decideIdentity(
  state: IdentityView,
  command: IdentityCommand,
  context: DecisionContext<AnyIdentityId>,
): IdentityDecision {
  switch (command.type) {
    case 'identity.create-account':
      return createAccount(state, command.payload, context);
    case 'identity.change-password':
      return changePassword(state, command.payload);
    case 'identity.issue-password-reset':
      return issuePasswordReset(state, command.payload, context);
    case 'identity.reset-password':
      return resetPassword(state, command.payload, context);
    case 'identity.update-profile':
      return updateProfile(state, command.payload);
    case 'identity.update-user':
      return updateUser(state, command.payload);
    case 'identity.erase-user':
      return eraseUser(state, command.payload, context);
    case 'identity.end-token':
      return {
        decision: done(null, []),
        changes: { change: { kind: 'end-token', ...command.payload } },
      };
    case 'identity.read-notices': {
      const change = { kind: 'read-notices', ...command.payload, at: context.now } as const;
      return { decision: done(null, []), changes: { change } };
    }
    case 'identity.resize-partitions':
      return resizePartitions(state, command.payload);
    case 'identity.drain-worker':
      return drainWorker(state, command.payload);
    case 'identity.resume-worker':
      return resumeWorker(state, command.payload);
    case 'identity.ensure-user':
      // Every command's actor has a row by now: see `workers/batch/service/actors.ts`.
      return { decision: done(null, []), changes: {} };
    case 'identity.probe':
      return { decision: done(null, []), changes: {} };
    default:
      return decideWebhooks(state, command, context);
  }
}

function decideWebhooks(
  state: IdentityView,
  command: Extract<IdentityCommand, { readonly type: `${string}-webhook` }>,
  context: DecisionContext<AnyIdentityId>,
): IdentityDecision {
  switch (command.type) {
    case 'identity.create-webhook':
      return createWebhook(state, command.payload, context);
    case 'identity.update-webhook':
      return updateWebhook(state, command.payload, context);
    case 'identity.delete-webhook':
      return deleteWebhook(state, command.payload);
    case 'identity.test-webhook':
      return testWebhook(state, command, context);
  }
}
