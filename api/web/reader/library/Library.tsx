import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Empty } from '../../shared/Empty';
import { Heading } from '../../shared/Heading';
import { Shown } from '../../shared/Shown';
import { texts } from '../../shared/texts';
import { Actions } from '../books/Actions';
import { OwnCover } from '../books/OwnCover';
import { afterCancel, afterReturn, withBorrow, withHold, type Possible } from '../books/possible';
import { openBorrowsQuery, openHoldsQuery, type Borrow, type Hold } from '../books/queries';
import { pathOfBook, places } from '../places';
import { History } from './History';
import { useKept } from './kept';

const titleOf = ({ bookInfoId }: { readonly bookInfoId: number }) => bookInfoId;

function Item({
  of: held,
  possible: { says, tone, actions },
}: {
  readonly of: Borrow | Hold;
  readonly possible: Possible;
}) {
  const { bookInfoId, title } = held;
  return (
    <li>
      <OwnCover of={held} />
      <div>
        <Link href={pathOfBook(bookInfoId)} className="title">
          {title}
        </Link>
        <small role="status">
          <span className={`badge ${tone}`}>{says}</span>
        </small>
      </div>
      <Actions actions={actions} state={says} of={title} />
    </li>
  );
}

function Section({
  heading,
  none,
  children,
}: {
  readonly heading: string;
  readonly none: ReactNode;
  readonly children: readonly ReactNode[];
}) {
  return (
    <section aria-label={heading}>
      <h2>{heading}</h2>
      {children.length === 0 ? none : <ul className="rows">{children}</ul>}
    </section>
  );
}

function Borrowed({ items }: { readonly items: readonly Borrow[] }) {
  const byDueDate = items.toSorted((a, b) => a.dueAt.localeCompare(b.dueAt));
  return (
    <Section
      heading={texts.mine.borrowed}
      none={
        <Empty text={texts.mine.noBorrows}>
          <Link href={places.books}>{texts.mine.browse}</Link>
        </Empty>
      }
    >
      {useKept(byDueDate, titleOf).map(({ item, isGone }) => (
        <Item
          key={item.bookInfoId}
          of={item}
          possible={isGone ? afterReturn(item) : withBorrow(item)}
        />
      ))}
    </Section>
  );
}

function Holds({
  items,
  borrowed,
}: {
  readonly items: readonly Hold[];
  readonly borrowed: readonly Borrow[];
}) {
  const kept = useKept(items, titleOf).filter(
    ({ item, isGone }) => !isGone || !borrowed.some((borrow) => titleOf(borrow) === titleOf(item)),
  );
  return (
    <Section heading={texts.mine.holds} none={<Empty text={texts.mine.noHolds} />}>
      {kept.map(({ item, isGone }) => (
        <Item
          key={item.bookInfoId}
          of={item}
          possible={isGone ? afterCancel(item) : withHold(item)}
        />
      ))}
    </Section>
  );
}

/** What a reader has: borrowed books, holds, and what they had. */
export function Library() {
  const borrows = useQuery(openBorrowsQuery);
  const holds = useQuery(openHoldsQuery);
  return (
    <>
      <Heading>{texts.mine.heading}</Heading>
      <Shown query={borrows}>{({ items }) => <Borrowed items={items} />}</Shown>
      <Shown query={holds}>
        {({ items }) => <Holds items={items} borrowed={borrows.data?.items ?? []} />}
      </Shown>
      <History />
    </>
  );
}
