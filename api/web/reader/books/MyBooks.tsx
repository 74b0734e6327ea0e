import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Heading } from '../../shared/Heading';
import { Shown } from '../../shared/Shown';
import { texts } from '../../shared/texts';
import { WriteButton } from '../../shared/WriteButton';
import { WriteProblem } from '../../shared/WriteProblem';
import { History } from './History';
import { useLending, type LendingAction } from './lending';
import { openBorrowsQuery, openHoldsQuery, type Borrow, type Hold } from './queries';

interface ItemAction {
  readonly label: string;
  readonly action: LendingAction;
}

interface ItemProps {
  readonly of: { readonly bookInfoId: number; readonly title: string };
  readonly says: string;
  readonly actions: readonly ItemAction[];
}

/** A book of the reader, with what can be done. Its buttons name the book, for there are many alike. */
function Item({ of: { bookInfoId, title }, says, actions }: ItemProps) {
  const lending = useLending();
  return (
    <li>
      <div>
        <Link href={`/books/${bookInfoId}`}>{title}</Link>
        <small>{says}</small>
      </div>
      <div className="actions">
        {actions.map(({ label, action }, index) => (
          <WriteButton key={action.kind} write={lending} input={action} label={label} name={texts.books.action(label, title)} isSecondary={index > 0} />
        ))}
      </div>
      <WriteProblem write={lending} />
    </li>
  );
}

function borrowItem({ borrowId, dueAt, overdue, ...of }: Borrow): ItemProps {
  return {
    of,
    says: overdue ? texts.books.overdueSince(dueAt) : texts.books.borrowedUntil(dueAt),
    actions: [
      { label: texts.books.giveBack, action: { kind: 'giveBack', borrowId } },
      { label: texts.books.renew, action: { kind: 'renew', borrowId } },
    ],
  };
}

function holdItem({ holdId, status, expiresAt, position, ...of }: Hold): ItemProps {
  const isReady = status === 'READY';
  const collect: ItemAction = { label: texts.books.collect, action: { kind: 'borrow', bookInfoId: of.bookInfoId } };
  return {
    of,
    says: isReady ? texts.books.ready(expiresAt) : texts.books.waiting(position),
    actions: [...(isReady ? [collect] : []), { label: texts.books.cancelHold, action: { kind: 'cancelHold', holdId } }],
  };
}

function Items({ heading, none, items }: { readonly heading: string; readonly none: string; readonly items: readonly (ItemProps & { readonly key: number })[] }) {
  return (
    <section aria-label={heading}>
      <h2>{heading}</h2>
      {items.length === 0 && <p>{none}</p>}
      <ul className="rows">
        {items.map(({ key, ...item }) => (
          <Item key={key} {...item} />
        ))}
      </ul>
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
        {({ items }) => <Items heading={texts.mine.borrowed} none={texts.mine.noBorrows} items={items.map((borrow) => ({ key: borrow.borrowId, ...borrowItem(borrow) }))} />}
      </Shown>
      <Shown query={holds}>
        {({ items }) => <Items heading={texts.mine.holds} none={texts.mine.noHolds} items={items.map((hold) => ({ key: hold.holdId, ...holdItem(hold) }))} />}
      </Shown>
      <History />
    </>
  );
}
