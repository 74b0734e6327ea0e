import { QueryTypes, type QueryInterface } from 'sequelize';
import { endingsOf, wordsOf, ENDING_LENGTH, WORD_LENGTH, type WordKind } from '../../search/words';
import { createTable, dialectOf } from './dialect';

/**
 * Creates the search index of titles (see `shared/search/words.ts`), and the number of borrows of
 * each title by day.
 */
export async function up(query: QueryInterface): Promise<void> {
  const { text, ascii } = dialectOf(query);
  await createTable(query, {
    name: 'search_word',
    columns: [
      `kind ${ascii(6)} NOT NULL`,
      `word ${text(WORD_LENGTH)} NOT NULL`,
      'id BIGINT NOT NULL',
      'PRIMARY KEY (kind, word, id)',
    ],
    clustered: true,
  });
  await createTable(query, {
    name: 'search_ending',
    columns: [
      `kind ${ascii(6)} NOT NULL`,
      `ending ${text(ENDING_LENGTH)} NOT NULL`,
      `word ${text(WORD_LENGTH)} NOT NULL`,
      'PRIMARY KEY (kind, ending, word)',
    ],
    clustered: true,
  });
  await createTable(query, {
    name: 'borrow_day',
    columns: [
      'day INTEGER NOT NULL',
      'book_info_id BIGINT NOT NULL',
      'borrows INTEGER NOT NULL',
      'PRIMARY KEY (day, book_info_id)',
    ],
    clustered: true,
  });
  await countBorrows(query);
  await addWords(query, 'author', 'SELECT id, name AS text FROM author');
  await addWords(
    query,
    'title',
    'SELECT id, book_title AS text FROM book_info WHERE deleted_at IS NULL',
  );
  await addWords(
    query,
    'isbn',
    'SELECT id, isbn AS text FROM book_info WHERE deleted_at IS NULL AND isbn IS NOT NULL',
  );
}

async function countBorrows(query: QueryInterface): Promise<void> {
  const { sqlite } = dialectOf(query);
  const day = sqlite
    ? `CAST(strftime('%s', SUBSTR(borrowed_at, 1, 19)) AS INTEGER) / 86400`
    : `DATEDIFF(borrowed_at, '1970-01-01')`;
  await query.sequelize.query('DELETE FROM borrow_day');
  await query.sequelize.query(
    `INSERT INTO borrow_day (day, book_info_id, borrows) SELECT ${day}, book_info_id, COUNT(*) FROM book_user GROUP BY 1, 2`,
  );
}

/** Rows that are read and written at a time. */
const ROWS_AT_ONCE = 500;

async function addWords(query: QueryInterface, kind: WordKind, source: string): Promise<void> {
  for (let after = 0; ;) {
    const rows: { id: number; text: string }[] = await query.sequelize.query(
      `SELECT id, text FROM (${source}) s WHERE id > ? ORDER BY id LIMIT ${ROWS_AT_ONCE}`,
      {
        replacements: [after],
        type: QueryTypes.SELECT,
      },
    );
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
    const words = rows.flatMap(({ id, text }) =>
      wordsOf(kind, text).map((word) => [kind, word, id]),
    );
    const endings = [...new Set(words.map(([, word]) => String(word)))].flatMap((word) =>
      endingsOf(kind, word).map((ending) => [kind, ending, word]),
    );
    await insert(query, 'search_word (kind, word, id)', words);
    await insert(query, 'search_ending (kind, ending, word)', endings);
  }
}

async function insert(
  query: QueryInterface,
  into: string,
  rows: readonly unknown[][],
): Promise<void> {
  const { sqlite } = dialectOf(query);
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const part = rows.slice(start, start + ROWS_AT_ONCE);
    await query.sequelize.query(
      `INSERT ${sqlite ? 'OR ' : ''}IGNORE INTO ${into} VALUES ${part.map(() => '(?, ?, ?)').join(', ')}`,
      { replacements: part.flat() },
    );
  }
}
