import type { QueryInterface } from 'sequelize';
import { createTable, dialectOf, rebuildOnSqlite, seedIds } from './dialect';

/**
 * Creates the lines of readers who wait for a title. Keys enforce what the queue makes cheap: one
 * open hold of a title by one user, one reader for a copy that is set aside, one reader at each
 * place.
 */
export async function up(query: QueryInterface): Promise<void> {
  await allowCopiesOnHold(query);
  await createHolds(query);
  await seedIds(query, ['hold']);
}

const STATUSES = `CHECK (status IN ('AVAILABLE', 'ON_LOAN', 'ON_HOLD', 'LOST', 'DAMAGED', 'WITHDRAWN'))`;

async function allowCopiesOnHold(query: QueryInterface): Promise<void> {
  const { sqlite } = dialectOf(query);
  if (sqlite) await rebuildCopies(query);
  else
    await query.sequelize.query(
      `ALTER TABLE book DROP CONSTRAINT book_status, ADD CONSTRAINT book_status ${STATUSES}`,
    );
}

function rebuildCopies(query: QueryInterface): Promise<void> {
  return rebuildOnSqlite(query, [
    `CREATE TABLE book_rebuilt (
      id INTEGER PRIMARY KEY NOT NULL,
      book_info_id BIGINT NOT NULL,
      available BOOLEAN NOT NULL,
      status VARCHAR(16) NOT NULL,
      deleted_at DATETIME NULL,
      CONSTRAINT book_status ${STATUSES},
      CONSTRAINT book_available CHECK (available = (CASE WHEN status = 'AVAILABLE' AND deleted_at IS NULL THEN 1 ELSE 0 END)),
      CONSTRAINT book_book_info FOREIGN KEY (book_info_id) REFERENCES book_info (id)
    )`,
    'INSERT INTO book_rebuilt SELECT id, book_info_id, available, status, deleted_at FROM book',
    'DROP TABLE book',
    'ALTER TABLE book_rebuilt RENAME TO book',
    'CREATE INDEX book_book_info ON book (book_info_id, available, id)',
  ]);
}

async function createHolds(query: QueryInterface): Promise<void> {
  const { id, instant, ascii } = dialectOf(query);
  await createTable(query, {
    name: 'book_hold',
    columns: [
      `id ${id}`,
      'user_id BIGINT NOT NULL',
      'book_info_id BIGINT NOT NULL',
      'book_id BIGINT NULL',
      `status ${ascii(16)} NOT NULL`,
      'line_no BIGINT NOT NULL',
      `placed_at ${instant} NOT NULL`,
      `ready_at ${instant} NULL`,
      `expires_at ${instant} NULL`,
      `closed_at ${instant} NULL`,
      `open_user_id BIGINT GENERATED ALWAYS AS (CASE WHEN status IN ('WAITING', 'READY') THEN user_id END) VIRTUAL`,
      `waiting_no BIGINT GENERATED ALWAYS AS (CASE WHEN status = 'WAITING' THEN line_no END) VIRTUAL`,
      `ready_book_id BIGINT GENERATED ALWAYS AS (CASE WHEN status = 'READY' THEN book_id END) VIRTUAL`,
      `ready_until ${instant} GENERATED ALWAYS AS (CASE WHEN status = 'READY' THEN expires_at END) VIRTUAL`,
      `CONSTRAINT book_hold_status CHECK (status IN ('WAITING', 'READY', 'FULFILLED', 'EXPIRED', 'CANCELLED'))`,
      `CONSTRAINT book_hold_ready CHECK (status <> 'READY' OR (book_id IS NOT NULL AND expires_at IS NOT NULL))`,
      `CONSTRAINT book_hold_closed CHECK ((status IN ('WAITING', 'READY')) = (closed_at IS NULL))`,
      'CONSTRAINT book_hold_user FOREIGN KEY (user_id) REFERENCES `user` (id)',
      'CONSTRAINT book_hold_book_info FOREIGN KEY (book_info_id) REFERENCES book_info (id)',
      'CONSTRAINT book_hold_book FOREIGN KEY (book_id) REFERENCES book (id)',
    ],
    unique: {
      book_hold_open_user: 'book_info_id, open_user_id',
      book_hold_ready_copy: 'ready_book_id',
      book_hold_line: 'book_info_id, line_no',
    },
    index: {
      book_hold_waiting: 'book_info_id, waiting_no',
      book_hold_user: 'user_id, placed_at, id',
      book_hold_placed_at: 'placed_at, id',
      book_hold_ready_until: 'ready_until',
    },
  });
}
