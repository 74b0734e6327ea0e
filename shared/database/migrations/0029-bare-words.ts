import { QueryTypes, type QueryInterface } from 'sequelize';
import { endingsOf, isBarable, type WordKind } from '../../search/words';
import { dialectOf } from './dialect';

/**
 * Adds endings without accents for existing words, so that "miserables" finds "Misérables". A
 * worker of the former release does not write them. The next title with the word does.
 */
export async function up(query: QueryInterface): Promise<void> {
  for (const kind of ['author', 'title'] as const) await addBare(query, kind);
}

/** Rows that are read and written at a time. */
const ROWS_AT_ONCE = 2000;

interface Ending {
  readonly ending: string;
  readonly word: string;
}

async function addBare(query: QueryInterface, kind: WordKind): Promise<void> {
  let last: Ending = { ending: '', word: '' };
  for (;;) {
    const { ending, word } = last;
    const rows: Ending[] = await query.sequelize.query(
      `SELECT ending, word FROM search_ending WHERE kind = ? AND ending >= ? AND (ending > ? OR word > ?) ORDER BY ending, word LIMIT ${ROWS_AT_ONCE}`,
      { replacements: [kind, ending, ending, word], type: QueryTypes.SELECT },
    );
    const next = rows.at(-1);
    if (!next) return;
    last = next;
    // Each word is found once, at the ending that is the whole word.
    const words = rows.filter((row) => row.ending === endingsOf(kind, row.word)[0]);
    await insert(
      query,
      words
        .filter((row) => isBarable(kind, row.word))
        .flatMap((row) => endingsOf('bare', row.word).map((bare) => ['bare', bare, row.word])),
    );
  }
}

async function insert(query: QueryInterface, rows: readonly string[][]): Promise<void> {
  const { sqlite } = dialectOf(query);
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const part = rows.slice(start, start + ROWS_AT_ONCE);
    await query.sequelize.query(
      `INSERT ${sqlite ? 'OR ' : ''}IGNORE INTO search_ending (kind, ending, word) VALUES ${part.map(() => '(?, ?, ?)').join(', ')}`,
      { replacements: part.flat() },
    );
  }
}
