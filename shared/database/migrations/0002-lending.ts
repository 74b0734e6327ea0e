import type { QueryInterface } from 'sequelize';
import { createTable, dialectOf, seedIds } from './dialect';

/**
 * Creates the tables of library lending. The queue makes the rules cheap, and generated columns and
 * checks enforce them whoever writes. No copy is lent twice, and no user borrows a title twice.
 */
export async function up(query: QueryInterface): Promise<void> {
  await createAuthorsAndImages(query);
  await createTitles(query);
  await createCopies(query);
  await createBorrows(query);
  await seedIds(query, ['author', 'book-info', 'book', 'borrow']);
}

async function createAuthorsAndImages(query: QueryInterface): Promise<void> {
  const { id, autoId, text } = dialectOf(query);
  await createTable(query, {
    name: 'author',
    columns: [`id ${id}`, `name ${text(255)} NOT NULL`, `search_name ${text(512)} NOT NULL`],
    unique: { author_name: 'name' },
  });
  await createTable(query, {
    name: 'book_img',
    columns: [`id ${autoId}`, `url ${text(255)} NOT NULL`],
    unique: { book_img_url: 'url' },
  });
}

async function createTitles(query: QueryInterface): Promise<void> {
  const { id, instant, text, ascii } = dialectOf(query);
  await createTable(query, {
    name: 'book_info',
    columns: [
      `id ${id}`,
      `book_title ${text(255)} NOT NULL`,
      'book_bookAuthor BIGINT NOT NULL',
      `isbn ${ascii(13)} NULL`,
      `publication_date ${instant} NULL`,
      `book_img ${text(255)} NULL`,
      'total_stock BIGINT NOT NULL DEFAULT 0',
      'available_stock BIGINT NOT NULL DEFAULT 0',
      'borrow_count BIGINT NOT NULL DEFAULT 0',
      'version BIGINT NOT NULL DEFAULT 1',
      `search_title ${text(512)} NOT NULL`,
      `created_at ${instant} NOT NULL`,
      `modified_at ${instant} NOT NULL`,
      `deleted_at ${instant} NULL`,
      // Unique among titles that are not deleted. A deleted title frees its ISBN.
      `live_isbn ${ascii(13)} GENERATED ALWAYS AS (CASE WHEN deleted_at IS NULL THEN isbn END) VIRTUAL`,
      'CONSTRAINT book_info_stock CHECK (available_stock >= 0 AND available_stock <= total_stock)',
      'CONSTRAINT book_info_author FOREIGN KEY (book_bookAuthor) REFERENCES author (id)',
    ],
    unique: { book_info_live_isbn: 'live_isbn' },
    index: {
      book_info_author: 'book_bookAuthor',
      book_info_created_at: 'created_at, id',
      book_info_search_title: 'search_title',
      book_info_publication_date: 'publication_date, id',
      book_info_borrow_count: 'borrow_count, id',
      book_info_available_stock: 'available_stock, id',
    },
  });
}

async function createCopies(query: QueryInterface): Promise<void> {
  const { id, instant, ascii } = dialectOf(query);
  await createTable(query, {
    name: 'book',
    columns: [
      `id ${id}`,
      'book_info_id BIGINT NOT NULL',
      'available BOOLEAN NOT NULL',
      `status ${ascii(16)} NOT NULL`,
      `deleted_at ${instant} NULL`,
      `CONSTRAINT book_status CHECK (status IN ('AVAILABLE', 'ON_LOAN', 'LOST', 'DAMAGED', 'WITHDRAWN'))`,
      `CONSTRAINT book_available CHECK (available = (CASE WHEN status = 'AVAILABLE' AND deleted_at IS NULL THEN 1 ELSE 0 END))`,
      'CONSTRAINT book_book_info FOREIGN KEY (book_info_id) REFERENCES book_info (id)',
    ],
    index: { book_book_info: 'book_info_id, available, id' },
  });
}

async function createBorrows(query: QueryInterface): Promise<void> {
  const { id, instant, ascii } = dialectOf(query);
  await createTable(query, {
    name: 'book_user',
    columns: [
      `id ${id}`,
      'user_id BIGINT NOT NULL',
      'book_id BIGINT NOT NULL',
      'book_info_id BIGINT NOT NULL',
      `status ${ascii(16)} NOT NULL`,
      `borrowed_at ${instant} NOT NULL`,
      `due_at ${instant} NOT NULL`,
      `returned_at ${instant} NULL`,
      'renewal_count INTEGER NOT NULL DEFAULT 0',
      `open_book_id BIGINT GENERATED ALWAYS AS (CASE WHEN status = 'BORROWED' THEN book_id END) VIRTUAL`,
      `open_book_info_id BIGINT GENERATED ALWAYS AS (CASE WHEN status = 'BORROWED' THEN book_info_id END) VIRTUAL`,
      `CONSTRAINT book_user_status CHECK (status IN ('BORROWED', 'RETURNED', 'LOST'))`,
      `CONSTRAINT book_user_returned CHECK ((status = 'RETURNED') = (returned_at IS NOT NULL))`,
      'CONSTRAINT book_user_user FOREIGN KEY (user_id) REFERENCES `user` (id)',
      'CONSTRAINT book_user_book FOREIGN KEY (book_id) REFERENCES book (id)',
    ],
    unique: {
      book_user_open_copy: 'open_book_id',
      book_user_open_title: 'user_id, open_book_info_id',
    },
    index: {
      book_user_user: 'user_id, borrowed_at, id',
      book_user_book: 'book_id',
      book_user_book_info: 'book_info_id, borrowed_at',
      book_user_borrowed_at: 'borrowed_at, id',
    },
  });
}
