import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { texts } from '../../shared/texts';
import { pathOfBook } from '../places';
import { Cover } from './Cover';
import type { BookInfo } from './queries';

export interface Shelved {
  readonly bookInfoId: number;
  readonly title: string;
  readonly author: string;
  readonly bookImg: string | null;
}

/** Shows a title on a shelf. `children`: more about it. */
export function ShelfBook({
  book: { bookInfoId, title, author, bookImg },
  children,
}: {
  readonly book: Shelved;
  readonly children?: ReactNode;
}) {
  return (
    <li>
      <Link href={pathOfBook(bookInfoId)}>
        <Cover title={title} author={author} bookImg={bookImg} />
        <span className="title">{title}</span>
      </Link>
      <span className="muted">{author}</span>
      {children}
    </li>
  );
}

/** Whether there is a copy, in a word. */
export function InStock({ book: { availableStock } }: { readonly book: BookInfo }) {
  return availableStock > 0 ? (
    <span className="in-stock">{texts.books.inStock}</span>
  ) : (
    <span className="muted">{texts.books.outOfStock}</span>
  );
}

export function Availability({
  book: { availableStock, totalStock },
}: {
  readonly book: Pick<BookInfo, 'availableStock' | 'totalStock'>;
}) {
  return (
    <span className={`badge ${availableStock > 0 ? 'good' : 'warn'}`}>
      {texts.books.availability(availableStock, totalStock)}
    </span>
  );
}

/** Titles beside each other under a heading; nothing where there are none. */
export function Shelf({
  heading,
  more,
  books,
}: {
  readonly heading: string;
  /** Where there are more of them. */
  readonly more?: string;
  readonly books: readonly BookInfo[];
}) {
  if (books.length === 0) return null;
  return (
    <section aria-label={heading}>
      <div className="shelf-head">
        <h2>{heading}</h2>
        {more !== undefined && (
          <Link href={more} aria-label={`${texts.all}: ${heading}`}>
            {texts.all}
          </Link>
        )}
      </div>
      <ul className="shelf row">
        {books.map((book) => (
          <ShelfBook key={book.bookInfoId} book={book} />
        ))}
      </ul>
    </section>
  );
}
