import type { IdentityCommand } from '../../shared/identity/commands';
import { accountSubject, NAMES_SUBJECT } from '../../shared/identity/tables';
import type { CachedViews } from '../batch/service/cached-views';
import type { IdentityState } from './state';

const none = (): string[] => [];
const itsAccount = ({ payload }: { readonly payload: { readonly userId: number } }): string[] => [
  accountSubject(payload.userId),
];

/** The cache subjects of accounts. */
export const identityViews: CachedViews<IdentityState, IdentityCommand> = {
  changed({ changes }) {
    const names = changes.some(({ kind }) => kind === 'erase') ? [NAMES_SUBJECT] : [];
    const accounts = changes
      .filter(({ kind }) => kind !== 'read-notices')
      .map(({ userId }) => accountSubject(userId));
    return [...new Set(accounts), ...names];
  },
  of: {
    // Nobody has looked for a new account before.
    'identity.create-account': none,
    'identity.ensure-user': none,
    'identity.change-password': itsAccount,
    'identity.end-token': itsAccount,
    'identity.update-profile': itsAccount,
    'identity.update-user': itsAccount,
    'identity.erase-user': (command) => [...itsAccount(command), NAMES_SUBJECT],
    'identity.issue-password-reset': itsAccount,
    'identity.reset-password': itsAccount,
    'identity.read-notices': none,
    'identity.create-webhook': none,
    'identity.update-webhook': none,
    'identity.delete-webhook': none,
    'identity.test-webhook': none,
    'identity.resize-partitions': none,
    'identity.drain-worker': none,
    'identity.resume-worker': none,
    'identity.probe': none,
  },
};
