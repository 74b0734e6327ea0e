import type { Sequelize } from 'sequelize-typescript';
import { folded } from '../../../shared/fields';
import { endingsOf, isBarable, wordsOf, type WordKind } from '../../../shared/search/words';
import { Author, Book, BookInfo, BookUser } from '../../../shared/lending/tables';
import { SearchEnding, SearchWord } from '../../../shared/search/tables';
import { User } from '../../../shared/identity/tables';
import { insert, insertIgnoring } from '../../batch/sql/statements';
import { atOnce } from '../../batch/sql/dialects';
import type { Statement } from '../../batch/sql/transaction';
import { borrowDayWrites } from '../../lending/borrow-days';
import { Catalogue, type CatalogueSize } from './catalogue';

/**
 * Writes a catalogue, some thousand rows in each transaction, and with them how far it has come.
 */

/** Name of the setting that holds the progress. */
export const SEED_SETTING = 'seed';

export interface SeedProgress {
  readonly size: CatalogueSize;
  /** When it was begun, milliseconds since 1970: the end of the past that it makes up. */
  readonly at: number;
  /** First ids of users, authors, titles, copies and borrows. */
  readonly first: readonly number[];
  /** How many users, authors, titles and borrows are stored. */
  readonly done: readonly number[];
}

/** Rows in one transaction, for users, authors, titles and borrows. */
const BATCH = [5000, 2000, 1000, 5000] as const;

type Stage = (from: number, to: number) => Statement[];

export class Loading {
  private readonly catalogue: Catalogue;
  private readonly done: number[];
  /** How often each title is borrowed, and how many copies there are before its own. */
  private readonly borrowed: Int32Array;
  private readonly copiesBefore: Int32Array;
  private readonly knownWords = new Set<string>();

  constructor(
    private readonly database: Sequelize,
    private readonly progress: SeedProgress,
  ) {
    const { size, at, done } = progress;
    this.catalogue = new Catalogue(size, new Date(at));
    this.done = [...done];
    this.copiesBefore = new Int32Array(size.titles + 1);
    for (let title = 0; title < size.titles; title += 1)
      this.copiesBefore[title + 1] = (this.copiesBefore[title] ?? 0) + this.catalogue.copies(title);
    this.borrowed = new Int32Array(size.titles);
  }

  /** Rows that the ids of users, authors, titles, copies and borrows are needed for. */
  rows(): number[] {
    const { titles, users, borrows } = this.progress.size;
    return [users, this.catalogue.authors, titles, this.copiesBefore[titles] ?? 0, borrows];
  }

  get total(): number {
    const { titles, users, borrows } = this.progress.size;
    return users + this.catalogue.authors + titles + borrows;
  }

  get stored(): number {
    return this.done.reduce((sum, count) => sum + count, 0);
  }

  /** Stores what is missing, and tells the number of rows stored after each transaction. */
  async run(tell: (stored: number) => void): Promise<void> {
    const { titles, users, borrows } = this.progress.size;
    for (let borrow = 0; borrow < borrows; borrow += 1) {
      const { title } = this.catalogue.borrow(borrow);
      this.borrowed[title] = (this.borrowed[title] ?? 0) + 1;
    }
    const stages: [number, Stage][] = [
      [users, (from, to) => this.users(from, to)],
      [this.catalogue.authors, (from, to) => this.authors(from, to)],
      [titles, (from, to) => this.titles(from, to)],
      [borrows, (from, to) => this.borrows(from, to)],
    ];
    for (const [index, [count, stage]] of stages.entries()) {
      for (let from = this.done[index] ?? 0; from < count; from = this.done[index] ?? count) {
        const to = Math.min(count, from + (BATCH[index] ?? 1));
        const done = this.done.with(index, to);
        await atOnce(this.database, [...stage(from, to), this.progressStatement(done)]);
        this.done[index] = to;
        tell(this.stored);
      }
    }
  }

  private progressStatement(done: readonly number[]): Statement {
    return {
      sql: 'UPDATE setting SET value = ? WHERE name = ?',
      values: [JSON.stringify({ ...this.progress, done }), SEED_SETTING],
    };
  }

  private id(kind: 0 | 1 | 2 | 3 | 4, number: number): number {
    return (this.progress.first[kind] ?? 1) + number;
  }

  private users(from: number, to: number): Statement[] {
    const createdAt = new Date(this.progress.at);
    return insert(
      User,
      numbers(from, to).map((user) => ({
        id: this.id(0, user),
        username: `reader-${user + 1}`,
        role: 'user',
        isAdmin: 0,
        createdAt,
      })),
    );
  }

  private authors(from: number, to: number): Statement[] {
    const authors = numbers(from, to).map((author) => ({
      id: this.id(1, author),
      name: this.catalogue.author(author),
    }));
    return [
      ...insert(
        Author,
        authors.map(({ id, name }) => ({ id, name, searchName: folded(name) })),
      ),
      ...this.words(authors.map(({ id, name }) => ({ kind: 'author', id, text: name }))),
    ];
  }

  private titles(from: number, to: number): Statement[] {
    const titles = numbers(from, to).map((number) => ({
      number,
      id: this.id(2, number),
      copies: this.catalogue.copies(number),
      ...this.catalogue.title(number),
    }));
    const texts = titles.flatMap(({ id, title, isbn }) => [
      { kind: 'title' as const, id, text: title },
      ...(isbn === null ? [] : [{ kind: 'isbn' as const, id, text: isbn }]),
    ]);
    return [
      ...insert(
        BookInfo,
        titles.map(({ number, id, copies, title, author, isbn, published, createdAt }) => ({
          id,
          title,
          authorId: this.id(1, author),
          isbn,
          publicationDate: published === null ? null : new Date(`${published}T00:00:00Z`),
          bookImg: null,
          totalStock: copies,
          availableStock: copies,
          borrowCount: this.borrowed[number] ?? 0,
          version: 1,
          searchTitle: folded(title),
          createdAt,
          modifiedAt: createdAt,
        })),
      ),
      ...insert(
        Book,
        titles.flatMap(({ number, id, copies }) =>
          numbers(0, copies).map((copy) => ({
            id: this.copyId(number) + copy,
            bookInfoId: id,
            available: 1,
            status: 'AVAILABLE',
          })),
        ),
      ),
      ...this.words(texts),
    ];
  }

  /** Id of the first copy of a title. */
  private copyId(title: number): number {
    return this.id(3, this.copiesBefore[title] ?? 0);
  }

  private borrows(from: number, to: number): Statement[] {
    const borrows = numbers(from, to).map((number) => {
      const { title, user, borrowedAt, dueAt, returnedAt } = this.catalogue.borrow(number);
      const row = {
        id: this.id(4, number),
        userId: this.id(0, user),
        bookId: this.copyId(title),
        bookInfoId: this.id(2, title),
        status: 'RETURNED',
      };
      return { ...row, borrowedAt, dueAt, returnedAt, renewalCount: 0 };
    });
    return [...insert(BookUser, borrows), ...borrowDayWrites(borrows)];
  }

  private words(texts: readonly { kind: WordKind; id: number; text: string }[]): Statement[] {
    const words = texts.flatMap(({ kind, id, text }) =>
      wordsOf(kind, text).map((word) => ({ kind, word, id })),
    );
    const endings = words.flatMap(({ kind, word }) => {
      // No two titles have the same ISBN, so there is no need to remember it.
      if (kind !== 'isbn') {
        if (this.knownWords.has(`${kind} ${word}`)) return [];
        this.knownWords.add(`${kind} ${word}`);
      }
      const kinds = isBarable(kind, word) ? [kind, 'bare' as const] : [kind];
      return kinds.flatMap((of) =>
        endingsOf(of, word).map((ending) => ({ kind: of, ending, word })),
      );
    });
    return [...insert(SearchWord, words), ...insertIgnoring(SearchEnding, endings)];
  }
}

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);
