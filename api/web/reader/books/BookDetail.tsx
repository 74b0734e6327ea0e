import { useQuery } from '@tanstack/react-query';
import { Heading } from '../../shared/Heading';
import { useSession } from '../../shared/session';
import { Shown } from '../../shared/Shown';
import { texts } from '../../shared/texts';
import { BookActions } from './BookActions';
import { Cover } from './Cover';
import { titleQuery, type BookInfo } from './queries';
import { ChangeBook } from '../admin/ChangeBook';
import { AddCopies } from '../admin/AddCopies';

function Facts({
  book: { publicationDate, isbn, availableStock, totalStock },
}: {
  readonly book: BookInfo;
}) {
  return (
    <dl>
      {publicationDate !== null && (
        <div>
          <dt>{texts.books.published}</dt>
          <dd>{publicationDate}</dd>
        </div>
      )}
      {isbn !== null && (
        <div>
          <dt>{texts.books.isbn}</dt>
          <dd>{isbn}</dd>
        </div>
      )}
      <div>
        <dt>{texts.books.copies}</dt>
        <dd>
          <span role="status" className={availableStock > 0 ? 'available' : 'out'}>
            {texts.books.availability(availableStock, totalStock)}
          </span>
        </dd>
      </div>
    </dl>
  );
}

/** A title as it is now: it is asked for again while somebody looks. */
export function BookDetail({ bookInfoId }: { readonly bookInfoId: number }) {
  const { user } = useSession();
  return (
    <Shown query={useQuery(titleQuery(bookInfoId))}>
      {(book) => (
        <>
          <div className="book">
            <Cover title={book.title} author={book.author} />
            <div>
              <Heading>{book.title}</Heading>
              <p>{texts.books.by(book.author)}</p>
              <Facts book={book} />
              <BookActions book={book} />
            </div>
          </div>
          {user?.isAdmin && (
            <>
              <AddCopies bookInfoId={bookInfoId} />
              <ChangeBook book={book} />
            </>
          )}
        </>
      )}
    </Shown>
  );
}
