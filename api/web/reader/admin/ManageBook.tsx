import type { BookInfo } from '../books/queries';
import { AddCopies } from './AddCopies';
import { ChangeBook } from './ChangeBook';

/** What administrators do with one title. */
export function ManageBook({ book }: { readonly book: BookInfo }) {
  return (
    <>
      <AddCopies bookInfoId={book.bookInfoId} />
      <ChangeBook book={book} />
    </>
  );
}
