import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useSession } from '../../shared/session';
import { Shown } from '../../shared/Shown';
import { texts } from '../../shared/texts';
import { WriteButton } from '../../shared/WriteButton';
import { WriteProblem } from '../../shared/WriteProblem';
import { SignInLink } from '../SignInPlace';
import { useLending } from './lending';
import { openBorrowsQuery, openHoldsQuery, type BookInfo, type Borrow, type Hold } from './queries';

/** What somebody can do with a title: that depends on what they have of it, and else on whether there is a copy. */
function OwnActions({ book, borrow, hold }: { readonly book: BookInfo; readonly borrow: Borrow | undefined; readonly hold: Hold | undefined }) {
  const lending = useLending();
  const { bookInfoId, availableStock } = book;
  const { says, actions } = ((): { says: string; actions: ReactNode } => {
    if (borrow) {
      const { borrowId, dueAt, overdue } = borrow;
      const says = overdue ? texts.books.overdueSince(dueAt) : texts.books.borrowedUntil(dueAt);
      return {
        says,
        actions: (
          <>
            <WriteButton write={lending} input={{ kind: 'giveBack', borrowId }} label={texts.books.giveBack} />
            <WriteButton write={lending} input={{ kind: 'renew', borrowId }} label={texts.books.renew} isSecondary />
          </>
        ),
      };
    }
    const borrowing = { kind: 'borrow', bookInfoId } as const;
    if (hold) {
      const isReady = hold.status === 'READY';
      return {
        says: isReady ? texts.books.ready(hold.expiresAt) : texts.books.waiting(hold.position),
        actions: (
          <>
            {isReady && <WriteButton write={lending} input={borrowing} label={texts.books.collect} />}
            <WriteButton write={lending} input={{ kind: 'cancelHold', holdId: hold.holdId }} label={texts.books.cancelHold} isSecondary />
          </>
        ),
      };
    }
    const isThere = availableStock > 0;
    return { says: '', actions: <WriteButton write={lending} input={isThere ? borrowing : { kind: 'hold', bookInfoId }} label={isThere ? texts.books.borrow : texts.books.hold} /> };
  })();
  return (
    <>
      <p role="status">{says}</p>
      <div className="actions">{actions}</div>
      <WriteProblem write={lending} />
    </>
  );
}

function SignedInActions({ book }: { readonly book: BookInfo }) {
  const borrows = useQuery(openBorrowsQuery);
  const holds = useQuery(openHoldsQuery);
  const isThis = ({ bookInfoId }: { readonly bookInfoId: number }) => bookInfoId === book.bookInfoId;
  return (
    <Shown query={borrows}>
      {({ items: borrowed }) => <Shown query={holds}>{({ items: held }) => <OwnActions book={book} borrow={borrowed.find(isThis)} hold={held.find(isThis)} />}</Shown>}
    </Shown>
  );
}

export function BookActions({ book }: { readonly book: BookInfo }) {
  const { user } = useSession();
  return user ? <SignedInActions book={book} /> : <SignInLink>{texts.books.signInToBorrow}</SignInLink>;
}
