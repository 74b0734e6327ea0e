import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { Link } from 'wouter';
import { Heading } from '../../shared/Heading';
import { later } from '../../shared/later';
import { useSession } from '../../shared/session';
import { Shown } from '../../shared/Shown';
import { shownDay, texts } from '../../shared/texts';
import { BookActions } from './BookActions';
import { Cover } from './Cover';
import { pastBorrowsQuery, shelfQuery, titleQuery, type BookInfo } from './queries';
import { pathOfSearch } from './search-place';
import { Availability, Shelf } from './Shelf';

const ManageBook = later(async () => (await import('../admin/ManageBook')).ManageBook);

/** How long a button says what it has done, milliseconds. */
const SAID_MS = 2000;

/** Copies the address. Browsers allow that where a page is served securely. */
function Share() {
  const [isCopied, setIsCopied] = useState(false);
  if (!window.isSecureContext) return null;
  return (
    <button
      type="button"
      className="quiet small"
      onClick={() => {
        void navigator.clipboard.writeText(location.href).then(() => {
          setIsCopied(true);
          setTimeout(() => {
            setIsCopied(false);
          }, SAID_MS);
        });
      }}
    >
      {isCopied ? texts.books.copied : texts.books.share}
    </button>
  );
}

function Facts({ book: { publicationDate, isbn } }: { readonly book: BookInfo }) {
  return (
    <dl className="facts">
      {publicationDate !== null && (
        <div>
          <dt>{texts.books.published}</dt>
          <dd>{texts.books.publishedOn(publicationDate)}</dd>
        </div>
      )}
      {isbn !== null && (
        <div>
          <dt>{texts.books.isbn}</dt>
          <dd>{isbn}</dd>
        </div>
      )}
    </dl>
  );
}

/** When the reader last had it. */
function LastTime({ bookInfoId }: { readonly bookInfoId: number }) {
  const last = useQuery(pastBorrowsQuery(bookInfoId)).data?.items[0];
  return last?.returnedAt ? (
    <p className="muted">{texts.books.lastTime(shownDay(last.returnedAt))}</p>
  ) : null;
}

function MoreBy({ book: { author, bookInfoId } }: { readonly book: BookInfo }) {
  const { data } = useQuery(shelfQuery({ author }));
  return (
    <Shelf
      heading={texts.books.moreBy(author)}
      more={pathOfSearch({ author })}
      books={(data?.items ?? []).filter((other) => other.bookInfoId !== bookInfoId)}
    />
  );
}

/** A title as it is now: it is asked for again while somebody looks. */
export function BookDetail({ bookInfoId }: { readonly bookInfoId: number }) {
  const { user } = useSession();
  return (
    <Shown query={useQuery(titleQuery(bookInfoId))}>
      {(book) => (
        <>
          <article className="book">
            <Cover title={book.title} author={book.author} bookImg={book.bookImg} />
            <div>
              <Heading>{book.title}</Heading>
              <p>
                <Link href={pathOfSearch({ author: book.author })}>{book.author}</Link>
              </p>
              <p role="status">
                <Availability book={book} />
              </p>
              <BookActions book={book} />
              {user && <LastTime bookInfoId={bookInfoId} />}
              <Facts book={book} />
              <Share />
            </div>
          </article>
          <MoreBy book={book} />
          {user?.isAdmin && (
            <Suspense>
              <ManageBook book={book} />
            </Suspense>
          )}
        </>
      )}
    </Shown>
  );
}
