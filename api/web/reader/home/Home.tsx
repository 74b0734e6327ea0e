import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Heading } from '../../shared/Heading';
import { useSession } from '../../shared/session';
import { Shown } from '../../shared/Shown';
import { texts } from '../../shared/texts';
import { OwnCover } from '../books/OwnCover';
import { withBorrow, withHold } from '../books/possible';
import { openBorrowsQuery, openHoldsQuery, popularQuery, shelfQuery } from '../books/queries';
import { pathOfSearch } from '../books/search-place';
import { Shelf } from '../books/Shelf';
import { pathOfBook, places } from '../places';

/** Shows the reader's loans, next due first, and the copies that are set aside. */
function Current() {
  const borrows = useQuery(openBorrowsQuery).data?.items ?? [];
  const holds = useQuery(openHoldsQuery).data?.items ?? [];
  const cards = [
    ...holds
      .filter(({ status }) => status === 'READY')
      .map((hold) => ({ ...hold, ...withHold(hold) })),
    ...borrows
      .toSorted((a, b) => a.dueAt.localeCompare(b.dueAt))
      .map((borrow) => ({ ...borrow, ...withBorrow(borrow) })),
  ];
  if (cards.length === 0) return null;
  return (
    <section aria-label={texts.home.current}>
      <div className="shelf-head">
        <h2>{texts.home.current}</h2>
        <Link href={places.library}>{texts.mine.heading}</Link>
      </div>
      <ul className="shelf row">
        {cards.map(({ bookInfoId, title, says, tone }) => (
          <li key={bookInfoId}>
            <Link href={pathOfBook(bookInfoId)}>
              <OwnCover of={{ bookInfoId, title }} />
              <span className="title">{title}</span>
            </Link>
            <span className={`badge ${tone}`}>{says}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Home() {
  const { user } = useSession();
  const popular = useQuery(popularQuery);
  return (
    <>
      <Heading>{texts.home.heading}</Heading>
      {user && <Current />}
      <Shelf
        heading={texts.home.popular}
        more={pathOfSearch({ sort: '-popularity' })}
        books={popular.data?.items ?? []}
      />
      <Shown query={useQuery(shelfQuery({}))}>
        {({ items }) => <Shelf heading={texts.home.added} more={places.books} books={items} />}
      </Shown>
    </>
  );
}
