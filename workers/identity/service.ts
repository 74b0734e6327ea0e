import type { IdentityCommand } from '../../shared/identity/commands';
import type { BelongingsRead } from '../batch/belongings';
import type { WorkerService } from '../batch/decision';
import { statePlan } from '../batch/state-plan';
import { decideIdentity } from './decide';
import { IdentityState, type IdentityChanges } from './state';
import {
  identityReads,
  identitySubjects,
  identitySubjectsOf,
  identityWrites,
  newLoginNames,
} from './store';

/**
 * Ids reserved for each new account. Users of other origin may have any of them, so that some are
 * skipped; when all are, the decision fails and is tried again with the next ids.
 */
const IDS_PER_ACCOUNT = 50;

const idsFor = (commands: readonly IdentityCommand[]): number =>
  newLoginNames(commands).length * IDS_PER_ACCOUNT;

export interface IdentityServiceOptions {
  /** How the other services find what they have of a user. */
  readonly belongings: readonly BelongingsRead[];
  /**
   * Whether several workers may write at once, so that rows shared between partitions must be
   * locked.
   */
  readonly lockRows: boolean;
}

/** Accounts, put together: reads, `decide`, writes. */
export function identityService(options: IdentityServiceOptions): WorkerService {
  return {
    idsNeeded: (envelopes) => ({ user: idsFor(envelopes as readonly IdentityCommand[]) }),
    // A borrow of the same batch is not written yet when this looks for borrows.
    isForItself: (envelopes) =>
      (envelopes as readonly IdentityCommand[]).some(({ type }) => type === 'identity.erase-user'),
    plan(envelopes, upcoming) {
      const commands = envelopes as readonly IdentityCommand[];
      return statePlan<IdentityState, IdentityCommand, IdentityChanges>({
        reads: identityReads(commands, { ...options, ids: upcoming('user', idsFor(commands)) }),
        newState: () => new IdentityState(),
        decide: decideIdentity,
        writes: identityWrites,
        subjects: identitySubjects,
        subjectsOf: identitySubjectsOf,
      });
    },
  };
}
