import { folded } from '../../shared/fields';
import { endingsOf, isBarable, wordsOf, type WordKind } from '../../shared/search/words';
import { Author, BookInfo } from '../../shared/lending/tables';
import { SearchEnding, SearchWord } from '../../shared/search/tables';

/** Fills a database with titles to be searched, without a worker. */

export interface Listed {
  readonly title: string;
  readonly author: string;
  readonly borrows: number;
}

const AT_ONCE = 500;
const CREATED = new Date('2024-01-01T00:00:00.000Z');

function wordsAndEndings(kind: WordKind, id: number, text: string) {
  const words = wordsOf(kind, text).map((word) => ({ kind, word, id }));
  const endings = words.flatMap(({ word }) =>
    (isBarable(kind, word) ? [kind, 'bare' as const] : [kind]).flatMap((of) =>
      endingsOf(of, word).map((ending) => ({ kind: of, ending, word })),
    ),
  );
  return { words, endings };
}

/** The titles get the ids from 1 on, in their order. */
export async function fillCatalogue(books: readonly Listed[]): Promise<void> {
  const authors = [...new Set(books.map(({ author }) => author))];
  const ids = new Map(authors.map((name, index) => [name, index + 1]));
  for (let start = 0; start < authors.length; start += AT_ONCE)
    await Author.bulkCreate(
      authors.slice(start, start + AT_ONCE).map((name) => {
        return { id: ids.get(name) ?? 0, name, searchName: folded(name) };
      }),
    );
  const texts = [
    ...authors.map((name) => wordsAndEndings('author', ids.get(name) ?? 0, name)),
    ...books.map(({ title }, index) => wordsAndEndings('title', index + 1, title)),
  ];
  for (let start = 0; start < books.length; start += AT_ONCE)
    await BookInfo.bulkCreate(
      books.slice(start, start + AT_ONCE).map((book, index) => rowOf(start + index + 1, book, ids)),
    );
  for (let start = 0; start < texts.length; start += AT_ONCE) {
    const part = texts.slice(start, start + AT_ONCE);
    await SearchWord.bulkCreate(part.flatMap(({ words }) => words));
    const endings = part.flatMap((text) => text.endings);
    await SearchEnding.bulkCreate(endings, { ignoreDuplicates: true });
  }
}

function rowOf(id: number, book: Listed, authors: ReadonlyMap<string, number>) {
  return {
    ...{ id, title: book.title, authorId: authors.get(book.author) ?? 0, isbn: null },
    ...{ publicationDate: null, bookImg: null, totalStock: 0, availableStock: 0, version: 1 },
    ...{ borrowCount: book.borrows, searchTitle: folded(book.title), deletedAt: null },
    ...{ createdAt: CREATED, modifiedAt: CREATED },
  };
}
