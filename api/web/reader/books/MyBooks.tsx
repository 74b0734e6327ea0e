import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Heading } from '../../shared/Heading';
import { Shown } from '../../shared/Shown';
import { texts } from '../../shared/texts';
import { Actions } from './Actions';
import { History } from './History';
import { withBorrow, withHold, type Possible } from './possible';
import { openBorrowsQuery, openHoldsQuery } from './queries';

function Item({
  bookInfoId,
  title,
  possible: { says, actions },
}: {
  readonly bookInfoId: number;
  readonly title: string;
  readonly possible: Possible;
}) {
  return (
    <li>
      <div>
        <Link href={`/books/${bookInfoId}`}>{title}</Link>
        <small>{says}</small>
      </div>
      <Actions actions={actions} of={title} />
    </li>
  );
}

function Items({
  heading,
  none,
  children,
}: {
  readonly heading: string;
  readonly none: string;
  readonly children: readonly ReactNode[];
}) {
  return (
    <section aria-label={heading}>
      <h2>{heading}</h2>
      {children.length === 0 && <p>{none}</p>}
      <ul className="rows">{children}</ul>
    </section>
  );
}

export function MyBooks() {
  const borrows = useQuery(openBorrowsQuery);
  const holds = useQuery(openHoldsQuery);
  return (
    <>
      <Heading>{texts.mine.heading}</Heading>
      <Shown query={borrows}>
        {({ items }) => (
          <Items heading={texts.mine.borrowed} none={texts.mine.noBorrows}>
            {items.map((borrow) => (
              <Item
                key={borrow.borrowId}
                bookInfoId={borrow.bookInfoId}
                title={borrow.title}
                possible={withBorrow(borrow)}
              />
            ))}
          </Items>
        )}
      </Shown>
      <Shown query={holds}>
        {({ items }) => (
          <Items heading={texts.mine.holds} none={texts.mine.noHolds}>
            {items.map((hold) => (
              <Item
                key={hold.holdId}
                bookInfoId={hold.bookInfoId}
                title={hold.title}
                possible={withHold(hold)}
              />
            ))}
          </Items>
        )}
      </Shown>
      <History />
    </>
  );
}
