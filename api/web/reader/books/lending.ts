import { client, type Call } from '../../shared/client';
import { useWrite, type Write, type WriteHeaders } from '../../shared/write';

/** What readers do with books. */
export type LendingAction =
  | { readonly kind: 'borrow'; readonly bookInfoId: number }
  | { readonly kind: 'giveBack'; readonly borrowId: number }
  | { readonly kind: 'renew'; readonly borrowId: number }
  | { readonly kind: 'hold'; readonly bookInfoId: number }
  | { readonly kind: 'cancelHold'; readonly holdId: number };

function carryOut(action: LendingAction, header: WriteHeaders): Call<unknown> {
  switch (action.kind) {
    case 'borrow':
      return client.POST('/api/borrows', {
        params: { header },
        body: { bookInfoId: action.bookInfoId },
      });
    case 'giveBack':
      return client.POST('/api/returns', {
        params: { header },
        body: { borrowId: action.borrowId },
      });
    case 'renew':
      return client.POST('/api/borrows/{borrowId}/renewals', {
        params: { header, path: { borrowId: action.borrowId } },
      });
    case 'hold':
      return client.POST('/api/book-infos/{bookInfoId}/holds', {
        params: { header, path: { bookInfoId: action.bookInfoId } },
      });
    case 'cancelHold':
      return client.DELETE('/api/holds/{holdId}', {
        params: { header, path: { holdId: action.holdId } },
      });
  }
}

/** One for each book on the page: what its last action came to stands beside it. */
export const useLending = (): Write<LendingAction, unknown> => useWrite(carryOut);
