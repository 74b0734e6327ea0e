import { folded } from '../../shared/fields';
import type { IdentityCommand } from '../../shared/identity/commands';
import { lookOf } from '../../shared/identity/names';
import type { AllIdsOf, IdsOf, NeedsOf } from '../batch/service/needs';

/** What each identity command needs: new ids, and rows for its decision. */

/**
 * Ids reserved for each new account. Users of other origin may have some of them, which are
 * skipped. When all are taken, the command is decided again with the next ids.
 */
const IDS_PER_ACCOUNT = 50;

/** What a batch of identity commands reads. */
export class Wanted {
  /** Names and looks of new accounts, which may be taken. */
  readonly loginNames = new Set<string>();
  readonly looks = new Set<string>();
  /** Users whose accounts change. */
  readonly users = new Set<number>();
  /** Whether rights of a user change, which needs another administrator. */
  administrators = false;
  /** Whether webhooks change, which are counted. */
  webhooks = false;
  /** Whether workers or partitions change. */
  workers = false;
  /** Users who are to be erased. */
  readonly erased = new Set<number>();
}

interface OfUser {
  readonly payload: { readonly userId: number };
}

/** The needs of a command that changes a user's account. */
const itsUser = ({ payload }: OfUser, wanted: Wanted): void => {
  wanted.users.add(payload.userId);
};
const itsRights = (command: OfUser, wanted: Wanted): void => {
  itsUser(command, wanted);
  wanted.administrators = true;
};
const allWebhooks = (_command: unknown, wanted: Wanted): void => {
  wanted.webhooks = true;
};
const allWorkers = (_command: unknown, wanted: Wanted): void => {
  wanted.workers = true;
};
const nothing = (): void => undefined;

export const identityNeeds = {
  'identity.create-account': {
    ids: { user: IDS_PER_ACCOUNT },
    reads({ payload: { username } }, wanted) {
      wanted.loginNames.add(folded(username));
      wanted.looks.add(lookOf(username));
    },
  },
  'identity.ensure-user': { ids: {}, reads: nothing },
  'identity.change-password': { ids: {}, reads: itsUser },
  'identity.end-token': { ids: {}, reads: itsUser },
  'identity.update-profile': { ids: {}, reads: itsUser },
  'identity.update-user': { ids: {}, reads: itsRights },
  'identity.erase-user': {
    ids: {},
    // A borrow of the same batch is not written yet when this reads borrows.
    alone: true,
    reads(command, wanted) {
      itsRights(command, wanted);
      wanted.erased.add(command.payload.userId);
    },
  },
  'identity.issue-password-reset': { ids: {}, reads: itsUser },
  'identity.reset-password': { ids: {}, reads: itsUser },
  'identity.read-notices': { ids: {}, reads: nothing },
  'identity.create-webhook': { ids: { webhook: 1 }, reads: allWebhooks },
  'identity.update-webhook': { ids: {}, reads: allWebhooks },
  'identity.delete-webhook': { ids: {}, reads: allWebhooks },
  'identity.test-webhook': { ids: {}, reads: allWebhooks },
  'identity.resize-partitions': { ids: {}, reads: allWorkers },
  'identity.drain-worker': { ids: {}, reads: allWorkers },
  'identity.resume-worker': { ids: {}, reads: allWorkers },
  'identity.probe': { ids: {}, reads: nothing },
} satisfies NeedsOf<IdentityCommand, Wanted>;

/** The ids that a command may take. */
export type IdentityIds<Type extends IdentityCommand['type']> = IdsOf<typeof identityNeeds, Type>;
export type AnyIdentityId = AllIdsOf<typeof identityNeeds>;
