import type { LendingCommand } from '../../shared/lending/commands';
import { lendingCacheKeys } from '../../shared/lending/views';
import type { LendingState } from './state';

function subjectsOfTitles(ids: readonly number[]): string[] {
  return ids.length === 0 ? [] : [lendingCacheKeys.titles, ...ids.map(lendingCacheKeys.bookInfo)];
}

/** Cache subjects whose views show something else now. */
export function lendingSubjects(state: LendingState): string[] {
  const { loanRules, calendar } = state.changedPolicies();
  return [
    ...subjectsOfTitles(state.changedTitles()),
    ...(loanRules ? [lendingCacheKeys.loanRules] : []),
    ...(calendar ? [lendingCacheKeys.calendar] : []),
  ];
}

/**
 * Those of a command that was carried out earlier: all of the title that it names, or that it made.
 */
export function lendingSubjectsOf(
  { type, payload }: LendingCommand,
  result: string | null,
): string[] {
  if (type === 'lending.set-loan-rules') return [lendingCacheKeys.loanRules];
  if (type === 'lending.set-calendar') return [lendingCacheKeys.calendar];
  const title =
    'bookInfoId' in payload ? payload : (JSON.parse(result ?? '{}') as { bookInfoId?: number });
  return subjectsOfTitles(title.bookInfoId === undefined ? [] : [title.bookInfoId]);
}
