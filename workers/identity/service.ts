import type { Now } from '../../shared/database/clock';
import type { IdentityCommand } from '../../shared/identity/commands';
import type { BelongingsRead } from '../batch/service/belongings';
import type { WorkerService } from '../batch/service/decision';
import { statePlan } from '../batch/service/state-plan';
import { decideIdentity } from './decide';
import { identityNeeds, type AnyIdentityId } from './needs';
import { IdentityState, type IdentityChanges } from './state';
import { identityReads, identityWrites } from './store';
import { identityViews } from './subjects';

export interface IdentityServiceOptions {
  /** How the other services find what they keep about a user. */
  readonly belongings: readonly BelongingsRead[];
  /**
   * Whether several workers may write at once, so that rows shared between partitions must be
   * locked.
   */
  readonly lockRows: boolean;
  readonly now: Now;
}

/** Combines reads, decisions and writes of accounts. */
export function identityService(options: IdentityServiceOptions): WorkerService {
  return {
    needs: identityNeeds,
    plan(envelopes, upcoming) {
      const commands = envelopes as readonly IdentityCommand[];
      return statePlan<IdentityState, IdentityCommand, IdentityChanges, AnyIdentityId>({
        reads: identityReads(commands, { ...options, ids: upcoming('user') }),
        newState: () => new IdentityState(),
        decide: decideIdentity,
        writes: identityWrites,
        views: identityViews,
      });
    },
  };
}
