import type { LendingCommand } from '../../shared/lending/commands';
import { lendingCacheKeys } from '../../shared/lending/views';
import type { CachedViews } from '../batch/service/cached-views';
import type { LendingState } from './state';

const ofTitles = (ids: readonly number[]): string[] =>
  ids.length === 0 ? [] : [lendingCacheKeys.titles, ...ids.map(lendingCacheKeys.bookInfo)];

const itsTitle = ({ payload }: { readonly payload: { readonly bookInfoId: number } }): string[] =>
  ofTitles([payload.bookInfoId]);
const titleItMade = (_command: unknown, result: string | null): string[] => {
  const { bookInfoId } = JSON.parse(result ?? '{}') as { readonly bookInfoId?: number };
  return ofTitles(bookInfoId === undefined ? [] : [bookInfoId]);
};

/** The cache subjects of lending. */
export const lendingViews: CachedViews<LendingState, LendingCommand> = {
  changed(state) {
    const { loanRules, calendar } = state.changedPolicies();
    return [
      ...ofTitles(state.changedTitles()),
      ...(loanRules ? [lendingCacheKeys.loanRules] : []),
      ...(calendar ? [lendingCacheKeys.calendar] : []),
    ];
  },
  of: {
    'lending.register-book-info': titleItMade,
    'lending.update-book-info': itsTitle,
    'lending.delete-book-info': itsTitle,
    'lending.add-copies': itsTitle,
    'lending.set-copy-status': itsTitle,
    'lending.delete-copy': itsTitle,
    'lending.borrow-book': itsTitle,
    'lending.check-borrow': itsTitle,
    'lending.return-book': itsTitle,
    'lending.renew-borrow': itsTitle,
    'lending.place-hold': itsTitle,
    'lending.cancel-hold': itsTitle,
    'lending.expire-hold': itsTitle,
    'lending.remind-borrower': itsTitle,
    'lending.set-loan-rules': () => [lendingCacheKeys.loanRules],
    'lending.set-calendar': () => [lendingCacheKeys.calendar],
  },
};
