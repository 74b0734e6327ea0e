import type { LendingCommand } from '../../shared/lending/commands';
import type { WorkerService } from '../batch/decision';
import { statePlan } from '../batch/state-plan';
import { decideLending } from './decide';
import { dueHolds } from './due';
import type { LendingRules } from './decided';
import { lendingNeeds, type AnyLendingId } from './needs';
import { LendingState, type LendingChanges } from './state';
import { lendingReads, lendingSubjects, lendingSubjectsOf, lendingWrites } from './store';

export interface LendingServiceOptions {
  readonly rules: LendingRules;
  /** Name of a user by id; every actor of the batch is known. */
  readonly usernameOf: (userId: number) => string;
  /**
   * Whether several workers may write at once, so that rows shared between partitions must be
   * locked.
   */
  readonly lockRows: boolean;
}

/** Library lending, put together: reads, `decide`, writes. */
export function lendingService({
  rules,
  usernameOf,
  lockRows,
}: LendingServiceOptions): WorkerService {
  return {
    needs: lendingNeeds,
    plan(envelopes) {
      const commands = envelopes as readonly LendingCommand[];
      return statePlan<LendingState, LendingCommand, LendingChanges, AnyLendingId>({
        reads: lendingReads(commands, { limited: rules.maxOpenBorrows > 0, lockRows }),
        newState: () => new LendingState(usernameOf),
        decide: (state, command, context) => decideLending(state, command, context, rules),
        events: ({ events }) => events,
        writes: lendingWrites,
        subjects: lendingSubjects,
        subjectsOf: lendingSubjectsOf,
      });
    },
    due: dueHolds,
  };
}
