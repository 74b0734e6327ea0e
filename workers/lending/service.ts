import type { LendingCommand } from '../../shared/lending/commands';
import type { WorkerService } from '../batch/service/decision';
import type { LeaderJob } from '../jobs/leader-jobs';
import { statePlan } from '../batch/service/state-plan';
import { decideLending } from './decide';
import { lendingDue } from './due';
import type { LendingRules } from './decided';
import { lendingNeeds, type AnyLendingId } from './needs';
import { KnownPolicies } from './policy-store';
import { lendingReads } from './reads';
import type { ReadOptions } from './rule-reads';
import type { LendingChanges } from './rows';
import { LendingState } from './state';
import { lendingViews } from './subjects';
import { lendingWrites } from './writes';

export interface LendingServiceOptions {
  readonly rules: LendingRules;
  /** Name of a user by id; every actor of the batch is known. */
  readonly usernameOf: (userId: number) => string;
  /**
   * Whether several workers may write at once, so that rows shared between partitions must be
   * locked.
   */
  readonly lockRows: boolean;
  readonly jobs?: readonly LeaderJob[];
}

/** Combines reads, decisions and writes of library lending. */
export function lendingService({
  rules,
  usernameOf,
  lockRows,
  jobs = [],
}: LendingServiceOptions): WorkerService {
  const known = new KnownPolicies();
  return {
    needs: lendingNeeds,
    plan(envelopes) {
      const commands = envelopes as readonly LendingCommand[];
      const { policies } = known;
      const { loanRules } = policies;
      const options: ReadOptions = {
        limited: rules.maxOpenBorrows > 0 || loanRules.has('maxOpenBorrows'),
        holdsLimited: loanRules.has('holdsMax'),
        blocking: loanRules.has('blockOverdueDays'),
        ruled: !loanRules.isEmpty,
        lockRows,
      };
      return statePlan<LendingState, LendingCommand, LendingChanges, AnyLendingId>({
        reads: [known.read(), ...lendingReads(commands, options)],
        newState: () => new LendingState(usernameOf, policies),
        decide: (state, command, context) => decideLending(state, command, context, rules),
        events: ({ events }) => events,
        writes: lendingWrites,
        views: lendingViews,
      });
    },
    due: lendingDue(rules),
    jobs,
  };
}
