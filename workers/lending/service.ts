import type { LendingCommand } from '../../shared/lending/commands';
import type { IdKind, WorkerService } from '../batch/decision';
import { statePlan } from '../batch/state-plan';
import { decideLending } from './decide';
import { dueHolds } from './due';
import type { LendingRules } from './decided';
import { LendingState, type LendingChanges } from './state';
import { lendingReads, lendingSubjects, lendingSubjectsOf, lendingWrites } from './store';

function idsNeeded(commands: readonly LendingCommand[]): Partial<Record<IdKind, number>> {
  const ids = { author: 0, 'book-info': 0, book: 0, borrow: 0, hold: 0 };
  for (const { type, payload } of commands) {
    if (type === 'lending.register-book-info') {
      ids.author += 1;
      ids['book-info'] += 1;
      ids.book += payload.copies;
    }
    if (type === 'lending.update-book-info') ids.author += 1;
    if (type === 'lending.add-copies') ids.book += payload.count;
    if (type === 'lending.borrow-book') ids.borrow += 1;
    if (type === 'lending.place-hold') ids.hold += 1;
  }
  return ids;
}

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
    idsNeeded: (envelopes) => idsNeeded(envelopes as readonly LendingCommand[]),
    plan(envelopes) {
      const commands = envelopes as readonly LendingCommand[];
      return statePlan<LendingState, LendingCommand, LendingChanges>({
        reads: lendingReads(commands, { limited: rules.maxOpenBorrows > 0, lockRows }),
        newState: () => new LendingState(usernameOf),
        decide: (state, command, context) => decideLending(state, command, context, rules),
        writes: lendingWrites,
        subjects: lendingSubjects,
        subjectsOf: lendingSubjectsOf,
      });
    },
    due: dueHolds,
  };
}
