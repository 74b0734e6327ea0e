import { texts } from '../../shared/texts';
import type { LendingAction } from './lending';
import type { BookInfo, Borrow, Hold } from './queries';

/** Before a due date this close, readers are reminded, milliseconds. */
const SOON_MS = 3 * 24 * 60 * 60 * 1000;

/**
 * What a reader has of a title, in words, and what they can do with it; what they will most likely
 * do comes first.
 */
export interface Possible {
  readonly says: string;
  /** Of the badge that says it. */
  readonly tone: 'good' | 'warn' | 'bad' | '';
  readonly actions: readonly { readonly label: string; readonly action: LendingAction }[];
}

const isSoon = (instant: string): boolean => new Date(instant).getTime() - Date.now() < SOON_MS;

export const withBorrow = ({ borrowId, dueAt, overdue }: Borrow): Possible => ({
  says: overdue ? texts.books.overdueSince(dueAt) : texts.books.borrowedUntil(dueAt),
  tone: overdue ? 'bad' : isSoon(dueAt) ? 'warn' : 'good',
  actions: [
    { label: texts.books.giveBack, action: { kind: 'giveBack', borrowId } },
    { label: texts.books.renew, action: { kind: 'renew', borrowId } },
  ],
});

/** A return is undone by borrowing the title again. */
export const afterReturn = ({ bookInfoId }: Borrow): Possible => ({
  says: texts.books.returned,
  tone: '',
  actions: [{ label: texts.books.undoReturn, action: { kind: 'borrow', bookInfoId } }],
});

export function withHold({ holdId, bookInfoId, status, expiresAt, position }: Hold): Possible {
  const cancel = { label: texts.books.cancelHold, action: { kind: 'cancelHold', holdId } } as const;
  if (status !== 'READY')
    return { says: texts.books.waiting(position), tone: '', actions: [cancel] };
  return {
    says: texts.books.ready(expiresAt),
    tone: 'good',
    actions: [{ label: texts.books.collect, action: { kind: 'borrow', bookInfoId } }, cancel],
  };
}

export const afterCancel = ({ bookInfoId }: Hold): Possible => ({
  says: texts.books.cancelled,
  tone: '',
  actions: [{ label: texts.books.hold, action: { kind: 'hold', bookInfoId } }],
});

/** Of who has nothing of it. */
export function withNothing({ bookInfoId, availableStock }: BookInfo): Possible {
  const isThere = availableStock > 0;
  return {
    says: '',
    tone: '',
    actions: [
      isThere
        ? { label: texts.books.borrow, action: { kind: 'borrow', bookInfoId } }
        : { label: texts.books.hold, action: { kind: 'hold', bookInfoId } },
    ],
  };
}
