import { QueryTypes, type Transaction } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { endingsOf, wordsOf, type EndingKind } from '../../shared/search/words';
import { placeholders } from '../batch/sql/statements';
import type { LeaderJob } from '../jobs/leader-jobs';

/**
 * Removes authors, image addresses and words that no title or post uses, a page of rows at each
 * run.
 * Commands under way may be about to use a row, so it is locked before the last look. A batch locks
 * the authors and words that it has read (`lockRows`), and its INSERT locks image addresses. When
 * the batch is first, the row is seen to be used. Otherwise the batch finds no row and makes it
 * again.
 */

/** How often the job runs, milliseconds. */
const EVERY_MS = 60_000;
/** Rows of a kind that one run reads. */
const ROWS_AT_A_TIME = 2000;
const KINDS: readonly EndingKind[] = ['author', 'bare', 'isbn', 'post', 'title'];
/** Returns a condition for the kinds of words that have endings of this kind. */
const wordKinds = (kind: EndingKind): string =>
  kind === 'bare' ? "w.kind IN ('author', 'title')" : `w.kind = '${kind}'`;

interface Named {
  readonly id: number;
  readonly name: string;
  readonly used: number;
}

interface Ending {
  readonly ending: string;
  readonly word: string;
  readonly used: number;
}

type Values = readonly (string | number)[];

export class UnusedRows {
  /** Where the next run begins: ids, and endings of each kind with their words. */
  private readonly ids = { author: 0, book_img: 0 };
  private readonly endings = new Map<EndingKind, readonly [ending: string, word: string]>();
  private readonly sqlite: boolean;

  constructor(private readonly database: Sequelize) {
    this.sqlite = database.getDialect() === 'sqlite';
  }

  /** Reads the next rows of each kind and removes unused ones. */
  async remove(): Promise<void> {
    for (const { id, name } of await this.next('author', 'name', 't.book_bookAuthor = r.id'))
      await this.removeAuthor(id, name);
    for (const { name } of await this.next('book_img', 'url', 't.book_img = r.url'))
      await this.removeImage(name);
    for (const kind of KINDS)
      for (const word of await this.nextWords(kind)) await this.removeWord(kind, word);
  }

  /** Returns the rows among the next of a table that no title refers to. */
  private async next(
    table: 'author' | 'book_img',
    column: string,
    refers: string,
  ): Promise<Named[]> {
    const sql = `SELECT r.id, r.${column} AS name, EXISTS (SELECT 1 FROM book_info t WHERE ${refers}) AS used FROM ${table} r WHERE r.id > ? ORDER BY r.id LIMIT ${ROWS_AT_A_TIME}`;
    const rows = await this.select<Named>(sql, [this.ids[table]]);
    this.ids[table] = rows.length < ROWS_AT_A_TIME ? 0 : Number(rows.at(-1)?.id);
    return rows.filter(({ used }) => used === 0);
  }

  /**
   * Returns unused words among those of the next endings. Each word is found once, at the ending
   * that is the whole word.
   */
  private async nextWords(kind: EndingKind): Promise<string[]> {
    const [ending, word] = this.endings.get(kind) ?? ['', ''];
    const used = `EXISTS (SELECT 1 FROM search_word w WHERE ${wordKinds(kind)} AND w.word = e.word) AS used`;
    const sql = `SELECT e.ending, e.word, ${used} FROM search_ending e WHERE e.kind = ? AND e.ending >= ? AND (e.ending > ? OR e.word > ?) ORDER BY e.ending, e.word LIMIT ${ROWS_AT_A_TIME}`;
    const rows = await this.select<Ending>(sql, [kind, ending, ending, word]);
    const last = rows.at(-1);
    if (rows.length < ROWS_AT_A_TIME || !last) this.endings.delete(kind);
    else this.endings.set(kind, [last.ending, last.word]);
    return rows
      .filter((row) => row.used === 0 && row.ending === endingsOf(kind, row.word)[0])
      .map((row) => row.word);
  }

  private removeAuthor(id: number, name: string): Promise<void> {
    const words = wordsOf('author', name);
    return this.locked(
      'SELECT id FROM author WHERE name = ?',
      [name],
      'SELECT 1 FROM book_info WHERE book_bookAuthor = ? LIMIT 1',
      [id],
      [
        [
          `DELETE FROM search_word WHERE kind = 'author' AND id = ? AND word IN (${placeholders(words.length)})`,
          [id, ...words],
        ],
        ['DELETE FROM author WHERE id = ?', [id]],
      ],
    );
  }

  private removeImage(url: string): Promise<void> {
    return this.locked(
      'SELECT id FROM book_img WHERE url = ?',
      [url],
      'SELECT 1 FROM book_info WHERE book_img = ? LIMIT 1',
      [url],
      [['DELETE FROM book_img WHERE url = ?', [url]]],
    );
  }

  private removeWord(kind: EndingKind, word: string): Promise<void> {
    const endings = endingsOf(kind, word);
    const where = `kind = ? AND word = ? AND ending IN (${placeholders(endings.length)})`;
    const values = [kind, word, ...endings];
    // In the order in which batches lock them.
    return this.locked(
      `SELECT word FROM search_ending WHERE ${where} ORDER BY ending`,
      values,
      `SELECT 1 FROM search_word w WHERE ${wordKinds(kind)} AND w.word = ? LIMIT 1`,
      [word],
      [[`DELETE FROM search_ending WHERE ${where}`, values]],
    );
  }

  /** Locks rows, and removes them unless something refers to them by then. */
  private locked(
    lock: string,
    locked: Values,
    refers: string,
    to: Values,
    removals: readonly (readonly [sql: string, values: Values])[],
  ): Promise<void> {
    return this.database.transaction(async (transaction) => {
      await this.select(this.sqlite ? lock : `${lock} FOR UPDATE`, locked, transaction);
      if ((await this.select(refers, to, transaction)).length > 0) return;
      for (const [sql, values] of removals)
        await this.database.query(sql, { replacements: [...values], transaction });
    });
  }

  private select<Row extends object>(
    sql: string,
    values: Values,
    transaction?: Transaction,
  ): Promise<Row[]> {
    return this.database.query<Row>(sql, {
      replacements: [...values],
      type: QueryTypes.SELECT,
      ...(transaction && { transaction }),
    });
  }
}

export function unusedRows(database: Sequelize): LeaderJob {
  const rows = new UnusedRows(database);
  return {
    name: 'unused-rows',
    everyMs: EVERY_MS,
    async run() {
      await rows.remove();
      return false;
    },
  };
}
