import { QueryTypes, type QueryInterface } from 'sequelize';
import { postWords } from '../../posts/words';
import { endingsOf } from '../../search/words';
import { createTable, dialectOf } from './dialect';

/**
 * Creates the search index of posts, and fills it. A worker of the former release does not write to
 * it. The next change of a post does.
 */
export async function up(query: QueryInterface): Promise<void> {
  const { longText } = dialectOf(query);
  await createTable(query, {
    name: 'post_text',
    columns: ['post_id BIGINT NOT NULL', `words ${longText} NOT NULL`, 'PRIMARY KEY (post_id)'],
    clustered: true,
  });
  for (let after = 0; ;) {
    const rows: StoredPost[] = await query.sequelize.query(
      `SELECT id, title, content FROM post WHERE id > ? ORDER BY id LIMIT ${POSTS_AT_ONCE}`,
      { replacements: [after], type: QueryTypes.SELECT },
    );
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
    await addWords(query, rows);
  }
}

interface StoredPost {
  readonly id: number;
  readonly title: string;
  readonly content: string;
}

/** Posts that are read at a time. They may be long. */
const POSTS_AT_ONCE = 100;
/** Rows that are written at a time. */
const ROWS_AT_ONCE = 1000;

async function addWords(query: QueryInterface, posts: readonly StoredPost[]): Promise<void> {
  const found = posts.map((post) => ({ id: post.id, ...postWords(post) }));
  const words = found.flatMap((post) => post.words.map((word) => ['post', word, post.id]));
  const endings = [...new Set(found.flatMap((post) => post.words))].flatMap((word) =>
    endingsOf('post', word).map((ending) => ['post', ending, word]),
  );
  await insert(query, 'search_ending (kind, ending, word)', endings);
  await insert(query, 'search_word (kind, word, id)', words);
  await insert(
    query,
    'post_text (post_id, words)',
    found.map(({ id, text }) => [id, text]),
  );
}

async function insert(
  query: QueryInterface,
  into: string,
  rows: readonly unknown[][],
): Promise<void> {
  const { sqlite } = dialectOf(query);
  // One by one, because each may be long.
  const atOnce = rows[0]?.length === 2 ? 1 : ROWS_AT_ONCE;
  for (let start = 0; start < rows.length; start += atOnce) {
    const part = rows.slice(start, start + atOnce);
    const places = part.map((row) => `(${row.map(() => '?').join(', ')})`).join(', ');
    await query.sequelize.query(
      `INSERT ${sqlite ? 'OR ' : ''}IGNORE INTO ${into} VALUES ${places}`,
      { replacements: part.flat() },
    );
  }
}
