import type { CopyStatus } from '../../shared/lending/commands';
import { Book, BookInfo } from '../../shared/lending/tables';
import { copyView, type BookInfoView, type CopyView } from '../../shared/lending/views';
import { limitsOf, type Page } from '../http/paging';
import { countUpTo, withTotal, type Found } from '../reads/found';
import { titleAttributes, titleView, withAuthor, type StoredTitle } from './rows';

/**
 * What reads of titles and copies ask of the database. Ids are numbers and instants are Dates,
 * whatever the dialect.
 */

/** A title that is not deleted. */
export async function findTitle(bookInfoId: number): Promise<BookInfoView | null> {
  const row = await BookInfo.findOne({
    attributes: titleAttributes,
    include: withAuthor,
    where: { id: bookInfoId, deletedAt: null },
    raw: true,
  });
  return row && titleView(row as unknown as StoredTitle);
}

/** Attributes' version and stock of a title that is not deleted. */
export async function findTitleNumbers(
  bookInfoId: number,
): Promise<{ version: number; totalStock: number; availableStock: number } | null> {
  return BookInfo.findOne({
    attributes: ['version', 'totalStock', 'availableStock'],
    where: { id: bookInfoId, deletedAt: null },
    raw: true,
  });
}

export interface CopyFilters extends Page {
  readonly available?: boolean;
  readonly status?: CopyStatus;
}

/** The copies of a title that are not deleted, by id. */
export async function findCopies(
  bookInfoId: number,
  filters: CopyFilters,
): Promise<Found<CopyView>> {
  const { available, status } = filters;
  const where = {
    bookInfoId,
    deletedAt: null,
    ...(available === undefined ? {} : { available }),
    ...(status === undefined ? {} : { status }),
  };
  const rows = await Book.findAll({
    attributes: ['id', 'bookInfoId', 'status'],
    where,
    order: ['id'],
    ...limitsOf(filters),
    raw: true,
  });
  return withTotal(filters, rows.map(copyView), () => countUpTo(Book, where));
}

/**
 * The title that a copy belongs to, also when the copy is deleted: commands of a copy go to its
 * title's partition.
 */
export async function titleOfCopy(bookId: number): Promise<number | null> {
  const row = await Book.findOne({ attributes: ['bookInfoId'], where: { id: bookId }, raw: true });
  return row?.bookInfoId ?? null;
}
