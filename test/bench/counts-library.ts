import type { Sequelize } from 'sequelize-typescript';
import { BOOKS } from './popularity';
import { ALLOW_DOUBLES } from './rivals/postgres';

/** What a count of borrows needs of a library beside those of a bench. */

/** Gives the first titles the copies of the others, so that none of many borrows is refused. */
export async function moveCopies(database: Sequelize, titles: number): Promise<void> {
  await database.query(
    'UPDATE book SET book_info_id = 1 + MOD(id, :titles) WHERE book_info_id <= :last',
    { replacements: { titles, last: BOOKS } },
  );
  await database.query(
    `UPDATE book_info SET
       total_stock = (SELECT COUNT(*) FROM book WHERE book.book_info_id = book_info.id),
       available_stock = (SELECT COUNT(*) FROM book WHERE book.book_info_id = book_info.id)
     WHERE id <= :titles`,
    { replacements: { titles } },
  );
}

/** Without the index that refuses a reader the same title twice. */
export async function allowDoubles(database: Sequelize): Promise<void> {
  const name = 'book_user_open_title';
  await database.query(
    database.getDialect() === 'postgres'
      ? ALLOW_DOUBLES
      : `ALTER TABLE book_user DROP INDEX ${name}, ADD INDEX ${name} (user_id, open_book_info_id)`,
  );
}
