import { texts } from '../../shared/texts';
import type { LendingAction } from './lending';
import type { BookInfo, Borrow, Hold } from './queries';

/**
 * What a reader has of a title, in words, and what they can do with it; what they will most likely
 * do comes first.
 */
export interface Possible {
  readonly says: string;
  readonly actions: readonly { readonly label: string; readonly action: LendingAction }[];
}

export const withBorrow = ({ borrowId, dueAt, overdue }: Borrow): Possible => ({
  says: overdue ? texts.books.overdueSince(dueAt) : texts.books.borrowedUntil(dueAt),
  actions: [
    { label: texts.books.giveBack, action: { kind: 'giveBack', borrowId } },
    { label: texts.books.renew, action: { kind: 'renew', borrowId } },
  ],
});

export function withHold({ holdId, bookInfoId, status, expiresAt, position }: Hold): Possible {
  const cancel = { label: texts.books.cancelHold, action: { kind: 'cancelHold', holdId } } as const;
  if (status !== 'READY') return { says: texts.books.waiting(position), actions: [cancel] };
  return {
    says: texts.books.ready(expiresAt),
    actions: [{ label: texts.books.collect, action: { kind: 'borrow', bookInfoId } }, cancel],
  };
}

/** Of who has nothing of it. */
export function withNothing({ bookInfoId, availableStock }: BookInfo): Possible {
  const isThere = availableStock > 0;
  return {
    says: '',
    actions: [
      isThere
        ? { label: texts.books.borrow, action: { kind: 'borrow', bookInfoId } }
        : { label: texts.books.hold, action: { kind: 'hold', bookInfoId } },
    ],
  };
}
