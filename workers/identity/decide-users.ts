import type { IdentityCommand, IdentityRefusal } from '../../shared/identity/commands';
import { profileView, userView } from '../../shared/identity/views';
import {
  decisionsOf,
  done,
  type DecisionContext,
  type DecisionOf,
} from '../batch/service/decision';
import type { IdentityChanges, IdentityView, StoredUser } from './state';

/** Decisions about existing accounts. Pure. */

/** How long a password reset is valid, milliseconds. */
const RESET_LIFETIME_MS = 24 * 3600 * 1000;

export type IdentityDecision = DecisionOf<IdentityChanges>;

export type Payload<Type extends IdentityCommand['type']> = Extract<
  IdentityCommand,
  { type: Type }
>['payload'];

export const { refuse } = decisionsOf<{
  refusals: IdentityRefusal;
  changes: IdentityChanges;
  events: object;
}>({});

const noUser = (userId: number): IdentityDecision =>
  refuse('USER_NOT_FOUND', `There is no user ${userId}.`);

/** Returns the user with a new password, and the write that ends every token. */
function withPassword(user: StoredUser, passwordHash: string): IdentityDecision {
  const after = { ...user, generation: user.generation + 1, resetId: null, resetExpiresAt: null };
  return {
    decision: done(null, []),
    changes: { user: after, change: { kind: 'password', userId: user.id, passwordHash } },
  };
}

export function changePassword(
  state: IdentityView,
  payload: Payload<'identity.change-password'>,
): IdentityDecision {
  const user = state.userOf(payload.userId);
  // Somebody else may have changed it after the current password was checked.
  if (user?.generation !== payload.generation)
    return refuse('INVALID_CREDENTIALS', 'The current password is wrong.');
  return withPassword(user, payload.passwordHash);
}

export function issuePasswordReset(
  state: IdentityView,
  { userId, resetId }: Payload<'identity.issue-password-reset'>,
  { now }: DecisionContext,
): IdentityDecision {
  const user = state.userOf(userId);
  if (!user) return noUser(userId);
  if (!user.hasPassword)
    return refuse('USER_NOT_FOUND', `User ${userId} does not sign in with a password.`);
  const expiresAt = now.getTime() + RESET_LIFETIME_MS;
  const after = { ...user, resetId, resetExpiresAt: new Date(expiresAt) };
  const result = { userId, resetId, expiresAt: after.resetExpiresAt.toISOString() };
  return {
    decision: done(result, [], true),
    changes: { user: after, change: { kind: 'reset', userId, resetId, expiresAt } },
  };
}

export function resetPassword(
  state: IdentityView,
  { userId, resetId, passwordHash }: Payload<'identity.reset-password'>,
  { now }: DecisionContext,
): IdentityDecision {
  const user = state.userOf(userId);
  const isOpen = user?.resetId === resetId && (user.resetExpiresAt?.getTime() ?? 0) > now.getTime();
  if (!user || !isOpen)
    return refuse(
      'RESET_TOKEN_INVALID',
      'The reset token was used, replaced, or has expired. Ask an administrator for a new one.',
    );
  return withPassword(user, passwordHash);
}

export function updateProfile(
  state: IdentityView,
  { userId, changes }: Payload<'identity.update-profile'>,
): IdentityDecision {
  const user = state.userOf(userId);
  if (!user) return noUser(userId);
  const after = { ...user, ...changes };
  const { email, locale } = after;
  return {
    decision: done(profileView(after), []),
    changes: { user: after, change: { kind: 'profile', userId, email, locale } },
  };
}

const isActiveAdministrator = ({ isAdmin, status }: StoredUser): boolean =>
  isAdmin && status === 'active';

/** Returns whether a user has fewer rights than before. */
const hasShrunk = (before: StoredUser, after: StoredUser): boolean =>
  (before.isAdmin && !after.isAdmin) ||
  (before.role === 'lecturer' && after.role === 'user') ||
  (before.status === 'active' && after.status === 'blocked');

/** Returns whether this user is the only administrator who can sign in. */
const isLastAdministrator = (state: IdentityView, user: StoredUser): boolean =>
  isActiveAdministrator(user) && !state.hasOtherAdministrator(user.id);

const lastAdministrator = (userId: number): IdentityDecision =>
  refuse(
    'LAST_ADMINISTRATOR',
    `User ${userId} is the only administrator who can sign in. Make another user an administrator first.`,
  );

export function eraseUser(
  state: IdentityView,
  { userId }: Payload<'identity.erase-user'>,
  { now }: DecisionContext,
): IdentityDecision {
  const user = state.userOf(userId);
  if (!user) return noUser(userId);
  if (isLastAdministrator(state, user)) return lastAdministrator(userId);
  const { openBorrows, followUps } = state.belongingsOf(userId);
  if (openBorrows.length > 0) {
    return refuse('USER_HAS_LOANS', `User ${userId} has books on loan. Return them first.`, {
      borrowIds: openBorrows,
    });
  }
  const change = { kind: 'erase', userId, username: user.username, at: now } as const;
  return { decision: { ...done(null, []), followUps }, changes: { erased: userId, change } };
}

export function updateUser(
  state: IdentityView,
  { userId, changes }: Payload<'identity.update-user'>,
): IdentityDecision {
  const before = state.userOf(userId);
  if (!before) return noUser(userId);
  const changed = { ...before, ...changes };
  if (!isActiveAdministrator(changed) && isLastAdministrator(state, before))
    return lastAdministrator(userId);
  const endsTokens = hasShrunk(before, changed);
  const user = { ...changed, generation: before.generation + (endsTokens ? 1 : 0) };
  const { role, isAdmin, status, category } = user;
  const change = { kind: 'rights', userId, role, isAdmin, status, category, endsTokens } as const;
  return { decision: done(userView(user), []), changes: { user, change } };
}
