import { client, type CallOptions, type Result } from '../../shared/client';
import { useWrite, type Write } from '../../shared/write';

/** What readers do with books. */
export type LendingAction =
  | { readonly kind: 'borrow'; readonly bookInfoId: number }
  | { readonly kind: 'giveBack'; readonly borrowId: number }
  | { readonly kind: 'renew'; readonly borrowId: number }
  | { readonly kind: 'hold'; readonly bookInfoId: number }
  | { readonly kind: 'cancelHold'; readonly holdId: number };

function carryOut(action: LendingAction, options: CallOptions): Promise<Result<unknown, unknown>> {
  switch (action.kind) {
    case 'borrow':
      return client.borrows.create({ bookInfoId: action.bookInfoId }, options);
    case 'giveBack':
      return client.returns.create({ borrowId: action.borrowId }, options);
    case 'renew':
      return client.borrows.renew(action.borrowId, options);
    case 'hold':
      return client.holds.create(action.bookInfoId, options);
    case 'cancelHold':
      return client.holds.cancel(action.holdId, options);
  }
}

/** The refusal of an action that says that it is done already. */
const DONE_ALREADY: Readonly<Partial<Record<LendingAction['kind'], string>>> = {
  borrow: 'ALREADY_BORROWED',
  giveBack: 'ALREADY_RETURNED',
  hold: 'ALREADY_HELD',
};

/** The state of one book on the page, with the result of its last action. */
export const useLending = (): Write<LendingAction, unknown> =>
  useWrite(carryOut, { isSo: ({ code }, { kind }) => DONE_ALREADY[kind] === code });
