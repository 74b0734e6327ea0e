import type { QueryInterface } from 'sequelize';
import { addColumns, dialectOf, rebuildOnSqlite } from './dialect';

/** Lets erased people keep their row, and old borrows lose their reader. */
export async function up(query: QueryInterface): Promise<void> {
  const { instant, sqlite } = dialectOf(query);
  await addColumns(query, '`user`', { erased_at: `${instant} NULL` });
  if (sqlite) await rebuildBorrows(query);
  else await query.sequelize.query('ALTER TABLE book_user MODIFY user_id BIGINT NULL');
}

const REQUIRED = 'user_id BIGINT NOT NULL';
/** The columns of a borrow that are not computed. */
const KEPT =
  'id, user_id, book_id, book_info_id, status, borrowed_at, due_at, returned_at, renewal_count';

/** Rebuilds the table from the text of the old one. */
async function rebuildBorrows(query: QueryInterface): Promise<void> {
  const [rows] = await query.sequelize.query(
    "SELECT type, sql FROM sqlite_master WHERE tbl_name = 'book_user' AND sql IS NOT NULL",
  );
  const texts = rows as { type: string; sql: string }[];
  const table = texts.find(({ type }) => type === 'table')?.sql ?? '';
  const indexes = texts.filter(({ type }) => type === 'index');
  if (!table.includes(REQUIRED)) return;
  const rebuilt = table
    .replace(/`?book_user`?/, 'book_user_rebuilt')
    .replace(REQUIRED, 'user_id BIGINT NULL');
  await rebuildOnSqlite(query, [
    rebuilt,
    `INSERT INTO book_user_rebuilt (${KEPT}) SELECT ${KEPT} FROM book_user`,
    'DROP TABLE book_user',
    'ALTER TABLE book_user_rebuilt RENAME TO book_user',
    ...indexes.map(({ sql }) => sql),
  ]);
}
