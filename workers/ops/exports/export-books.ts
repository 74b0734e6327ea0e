import { col, literal, Op } from 'sequelize';
import { DEFAULT_KIND } from '../../../shared/lending/loan-rules';
import { Author, Book, BookInfo } from '../../../shared/lending/tables';
import type { BookRow } from './book-row';
import { exportCommand, type Left, type Rows } from './export-command';
import { marcEncoder } from './marc-encoder';

interface StoredTitle extends Omit<BookRow, 'copies' | 'barcodes' | 'author'> {
  readonly id: number;
  readonly authorName: string;
}

const LENDABLE = new Set(['AVAILABLE', 'ON_LOAN', 'ON_HOLD']);

/** Returns the copies of titles that can be lent, now or after their return. */
async function copiesOf(ids: readonly number[], left: Left): Promise<Map<number, Book[]>> {
  const copies = await Book.findAll({
    attributes: ['bookInfoId', 'status', 'kind', 'barcode'],
    where: { bookInfoId: ids, deletedAt: null },
    order: ['bookInfoId', 'id'],
    raw: true,
  });
  const kept = copies.filter(({ status }) => LENDABLE.has(status));
  const tell = (what: string, count: number) => {
    if (count > 0) left(what, count);
  };
  tell('copies that are lost, damaged or withdrawn', copies.length - kept.length);
  tell('kinds of copies', kept.filter(({ kind }) => kind !== DEFAULT_KIND).length);
  const byTitle = new Map<number, Book[]>();
  for (const copy of kept)
    byTitle.set(copy.bookInfoId, [...(byTitle.get(copy.bookInfoId) ?? []), copy]);
  return byTitle;
}

async function read(after: number, limit: number, left: Left): Promise<Rows<BookRow>> {
  const titles = (await BookInfo.findAll({
    attributes: [
      ...['id', 'title', 'isbn', 'bookImg'],
      // Cut in SQL, as everywhere: V8 reads a year below 100 as one of the 20th century.
      [literal('SUBSTR(CAST(publication_date AS CHAR), 1, 10)'), 'publicationDate'],
      [col('author.name'), 'authorName'],
    ],
    include: { model: Author, as: 'author', attributes: [] },
    where: { id: { [Op.gt]: after }, deletedAt: null },
    order: [['id', 'ASC']],
    limit,
    raw: true,
  })) as unknown as StoredTitle[];
  const copies = await copiesOf(
    titles.map(({ id }) => id),
    left,
  );
  const rows = titles.map(({ id, title, authorName, isbn, publicationDate, bookImg }): BookRow => {
    const own = copies.get(id) ?? [];
    const barcodes = own.flatMap(({ barcode }) => barcode ?? []);
    return {
      ...{ title, author: authorName, isbn, publicationDate, bookImg },
      ...{ copies: own.length, barcodes },
    };
  });
  return { rows, last: titles.at(-1)?.id ?? null };
}

export const exportBooks = exportCommand<BookRow>({
  things: 'books',
  notes: [
    'Columns: title, author, isbn, publicationDate, bookImg, copies (those that can be lent) and barcodes, as import-books takes',
    'them. A name ending in .mrc or .marc makes it MARC 21 in ISO 2709, one in .xml or .marcxml MARCXML, both in UTF-8.',
  ],
  columns: ['title', 'author', 'isbn', 'publicationDate', 'bookImg', 'copies', 'barcodes'],
  marcEncoder,
  count: () => BookInfo.count({ where: { deletedAt: null } }),
  read,
});
