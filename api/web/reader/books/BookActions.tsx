import { useQuery } from '@tanstack/react-query';
import { useSession } from '../../shared/session';
import { Shown } from '../../shared/Shown';
import { texts } from '../../shared/texts';
import { SignInLink } from '../SignInPlace';
import { Actions } from './Actions';
import { withBorrow, withHold, withNothing } from './possible';
import { openBorrowsQuery, openHoldsQuery, type BookInfo, type Borrow, type Hold } from './queries';

function OwnActions({
  book,
  borrow,
  hold,
}: {
  readonly book: BookInfo;
  readonly borrow: Borrow | undefined;
  readonly hold: Hold | undefined;
}) {
  const { says, tone, actions } = borrow
    ? withBorrow(borrow)
    : hold
      ? withHold(hold)
      : withNothing(book);
  return (
    <>
      <p role="status">{says && <span className={`badge ${tone}`}>{says}</span>}</p>
      <Actions actions={actions} state={says} />
    </>
  );
}

function SignedInActions({ book }: { readonly book: BookInfo }) {
  const borrows = useQuery(openBorrowsQuery);
  const holds = useQuery(openHoldsQuery);
  const isThis = ({ bookInfoId }: { readonly bookInfoId: number }) =>
    bookInfoId === book.bookInfoId;
  return (
    <Shown query={borrows}>
      {({ items: borrowed }) => (
        <Shown query={holds}>
          {({ items: held }) => (
            <OwnActions book={book} borrow={borrowed.find(isThis)} hold={held.find(isThis)} />
          )}
        </Shown>
      )}
    </Shown>
  );
}

/**
 * What somebody can do with a title: that depends on what they have of it, and else on whether
 * there is a copy.
 */
export function BookActions({ book }: { readonly book: BookInfo }) {
  const { user } = useSession();
  return user ? (
    <SignedInActions book={book} />
  ) : (
    <SignInLink className="button">{texts.books.signInToBorrow}</SignInLink>
  );
}
