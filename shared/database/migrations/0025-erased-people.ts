import type { QueryInterface } from 'sequelize';
import { addColumns, dialectOf } from './dialect';

/** People who were erased leave their row, and old borrows may be nobody's. */
export async function up(query: QueryInterface): Promise<void> {
  const { instant, sqlite } = dialectOf(query);
  await addColumns(query, '`user`', { erased_at: `${instant} NULL` });
  if (sqlite) await rebuildBorrows(query);
  else await query.sequelize.query('ALTER TABLE book_user MODIFY user_id BIGINT NULL');
}

const REQUIRED = 'user_id BIGINT NOT NULL';
/** What a borrow has besides columns that are computed. */
const KEPT = 'id, user_id, book_id, book_info_id, status, borrowed_at, due_at, returned_at, renewal_count';

/**
 * SQLite cannot change a column. The table is made anew from its own text, in the steps that
 * SQLite's documentation of ALTER TABLE gives.
 */
async function rebuildBorrows({ sequelize }: QueryInterface): Promise<void> {
  const run = (sql: string) => sequelize.query(sql);
  const [rows] = await run("SELECT type, sql FROM sqlite_master WHERE tbl_name = 'book_user' AND sql IS NOT NULL");
  const texts = rows as { type: string; sql: string }[];
  const table = texts.find(({ type }) => type === 'table')?.sql ?? '';
  const indexes = texts.filter(({ type }) => type === 'index');
  if (!table.includes(REQUIRED)) return;
  const rebuilt = table
    .replace(/`?book_user`?/, 'book_user_rebuilt')
    .replace(REQUIRED, 'user_id BIGINT NULL');
  await run('PRAGMA foreign_keys = OFF');
  await run('BEGIN IMMEDIATE');
  try {
    await run(rebuilt);
    await run(`INSERT INTO book_user_rebuilt (${KEPT}) SELECT ${KEPT} FROM book_user`);
    await run('DROP TABLE book_user');
    await run('ALTER TABLE book_user_rebuilt RENAME TO book_user');
    for (const { sql } of indexes) await run(sql);
    await run('COMMIT');
  } catch (error) {
    await run('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    await run('PRAGMA foreign_keys = ON');
  }
}
