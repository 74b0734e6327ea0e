import { randomUUID } from 'node:crypto';
import { createPool, type Pool, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise';
import type { Sequelize } from 'sequelize-typescript';
import { readTitle } from './orm';
import type { Answer, Rival } from './rival';

/**
 * Borrows by one CALL of a stored procedure, without an ORM: the fastest that is written in an
 * hour. It exists in two orders of locks.
 *
 * With equal promises, the same transaction claims an idempotency key first and stores the outcome
 * under it, also a refusal. Whoever sends the key again gets that, after waiting for a borrow that
 * is under way. An event goes into an outbox.
 *
 * A copy that others have locked is passed over, so a reader may be refused the last one although
 * its transaction fails afterwards.
 */

/** A deadlock or a lock that was waited for in vain is tried again, so often. */
const TRIES_MAX = 5;
const LOAN_DAYS = 14;

/** What is locked first, and so for how long. */
export type Order =
  /** A copy that nobody waits for; the title as the last: for loads over many titles. */
  | 'copy first'
  /** The title, so that borrows of one title queue for it and never deadlock: for a hot title. */
  | 'stock first';

const NAMES: Readonly<Record<Order, string>> = {
  'copy first': 'rival_borrow',
  'stock first': 'rival_borrow_stock_first',
};

const LOWER_STOCK = `       UPDATE book_info SET available_stock = available_stock - 1, borrow_count = borrow_count + 1
         WHERE id = p_title AND available_stock > 0;
       IF ROW_COUNT() = 0 THEN
         ROLLBACK TO claimed;
         SET v_status = 409, v_outcome = '"OUT_OF_STOCK"';
         LEAVE work;
       END IF;
`;

// The parameter has the column's character set, or every look at the key would read the table.
const borrowProcedure = (
  order: Order,
): string => `CREATE PROCEDURE ${NAMES[order]}(IN p_user BIGINT, IN p_title BIGINT,
     IN p_key VARCHAR(255) CHARACTER SET ascii)
   proc: BEGIN
     DECLARE v_copy, v_borrow BIGINT DEFAULT NULL;
     DECLARE v_name VARCHAR(1000) DEFAULT NULL;
     DECLARE v_status INT DEFAULT 0;
     DECLARE v_outcome LONGTEXT DEFAULT NULL;
     DECLARE v_now DATETIME(3) DEFAULT UTC_TIMESTAMP(3);
     DECLARE CONTINUE HANDLER FOR NOT FOUND BEGIN END;
     DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
     START TRANSACTION;
     IF p_key IS NOT NULL THEN
       INSERT IGNORE INTO rival_outcome VALUES (p_user, p_key, 0, 'null', v_now);
       IF ROW_COUNT() = 0 THEN
         SELECT status, outcome FROM rival_outcome WHERE user_id = p_user AND id = p_key;
         ROLLBACK;
         LEAVE proc;
       END IF;
     END IF;
     SAVEPOINT claimed;
     work: BEGIN
       DECLARE EXIT HANDLER FOR 1062 BEGIN
         ROLLBACK TO claimed;
         SET v_status = 409, v_outcome = '"ALREADY_BORROWED"';
       END;
       SELECT book_title INTO v_name FROM book_info WHERE id = p_title AND deleted_at IS NULL;
       IF v_name IS NULL THEN SET v_status = 404, v_outcome = '"BOOK_INFO_NOT_FOUND"'; LEAVE work; END IF;
${order === 'stock first' ? LOWER_STOCK : ''}       SELECT id INTO v_copy FROM book WHERE book_info_id = p_title AND available = 1
         ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
       IF v_copy IS NULL THEN ROLLBACK TO claimed; SET v_status = 409, v_outcome = '"OUT_OF_STOCK"'; LEAVE work; END IF;
       UPDATE book SET available = 0, status = 'ON_LOAN' WHERE id = v_copy;
       INSERT INTO book_user (user_id, book_id, book_info_id, status, borrowed_at, due_at, renewal_count)
         VALUES (p_user, v_copy, p_title, 'BORROWED', v_now, v_now + INTERVAL ${LOAN_DAYS} DAY, 0);
       SET v_borrow = LAST_INSERT_ID();
       SET v_outcome = JSON_OBJECT('borrowId', v_borrow + 0, 'userId', p_user + 0,
         'bookInfoId', p_title + 0, 'bookId', v_copy + 0, 'title', v_name, 'borrowedAt', v_now,
         'dueAt', v_now + INTERVAL ${LOAN_DAYS} DAY, 'returnedAt', NULL, 'renewalCount', 0,
         'status', 'BORROWED');
       IF p_key IS NOT NULL THEN
         UPDATE rival_outcome SET status = 201, outcome = v_outcome
           WHERE user_id = p_user AND id = p_key;
         INSERT INTO rival_outbox (event, occurred_at) VALUES (v_outcome, v_now);
       END IF;
${order === 'copy first' ? LOWER_STOCK : ''}       SET v_status = 201;
     END work;
     IF p_key IS NOT NULL AND v_status <> 201 THEN
       UPDATE rival_outcome SET status = v_status, outcome = v_outcome
         WHERE user_id = p_user AND id = p_key;
     END IF;
     COMMIT;
     SELECT v_status AS status, v_outcome AS outcome;
   END`;

/** `+ 0`: MariaDB writes variables into JSON as texts. */
const SCHEMA = [
  `CREATE TABLE rival_outcome (user_id BIGINT NOT NULL, id VARCHAR(255) CHARACTER SET ascii NOT NULL,
     status SMALLINT NOT NULL, outcome JSON NOT NULL, created_at DATETIME(3) NOT NULL,
     PRIMARY KEY (user_id, id))`,
  `CREATE TABLE rival_outbox (id BIGINT PRIMARY KEY AUTO_INCREMENT, event JSON NOT NULL,
     occurred_at DATETIME(3) NOT NULL)`,
  borrowProcedure('copy first'),
  borrowProcedure('stock first'),
  `CREATE PROCEDURE rival_return(IN p_user BIGINT, IN p_title BIGINT)
   proc: BEGIN
     DECLARE v_copy, v_borrow BIGINT DEFAULT NULL;
     DECLARE CONTINUE HANDLER FOR NOT FOUND BEGIN END;
     DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
     START TRANSACTION;
     SELECT id, book_id INTO v_borrow, v_copy FROM book_user
       WHERE user_id = p_user AND open_book_info_id = p_title FOR UPDATE;
     IF v_borrow IS NULL THEN ROLLBACK; SELECT 404 AS status, '"BORROW_NOT_FOUND"' AS outcome; LEAVE proc; END IF;
     UPDATE book_user SET status = 'RETURNED', returned_at = UTC_TIMESTAMP(3) WHERE id = v_borrow;
     UPDATE book SET available = 1, status = 'AVAILABLE' WHERE id = v_copy;
     UPDATE book_info SET available_stock = available_stock + 1 WHERE id = p_title;
     COMMIT;
     SELECT 200 AS status, JSON_OBJECT('borrowId', v_borrow + 0, 'bookId', v_copy + 0, 'status', 'RETURNED') AS outcome;
   END`,
];

/** Makes the procedures and their tables in a library's database. */
export async function installProcedures(database: Sequelize): Promise<void> {
  for (const statement of SCHEMA) await database.query(statement);
}

interface Row extends RowDataPacket {
  readonly status: number;
  /** JSON, which MySQL's driver has parsed and MariaDB's has not. */
  readonly outcome: unknown;
}

export const codeOf = (error: unknown): string => (error as { code?: string }).code ?? '';

async function call(pool: Pool, sql: string, values: (number | string | null)[]): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      const [[rows]] = await pool.execute<[Row[], ResultSetHeader]>(sql, values);
      const { status, outcome } = rows[0] as Row;
      const text = typeof outcome === 'string' && /^["{]/.test(outcome);
      const told: unknown = text ? JSON.parse(outcome) : outcome;
      return { status, body: status < 400 ? (told as object) : { status, code: told } };
    } catch (error) {
      const again = ['ER_LOCK_DEADLOCK', 'ER_LOCK_WAIT_TIMEOUT'].includes(codeOf(error));
      if (tries === TRIES_MAX || !again) throw error;
    }
  }
}

export const callReturn = (pool: Pool, userId: number, bookInfoId: number): Promise<Answer> =>
  call(pool, 'CALL rival_return(?, ?)', [userId, bookInfoId]);

export interface ProcedureOptions {
  readonly url: string;
  readonly connections: number;
  readonly order: Order;
  /** Whether each borrow has an idempotency key and an event. */
  readonly hasEqualPromises: boolean;
}

export function procedureRival({
  url,
  connections,
  order,
  hasEqualPromises,
}: ProcedureOptions): Rival {
  const pool = createPool({ uri: url, connectionLimit: connections, timezone: 'Z' });
  const borrow = `CALL ${NAMES[order]}(?, ?, ?)`;
  return {
    borrow: ({ userId }, bookInfoId, key = randomUUID()) =>
      call(pool, borrow, [userId, bookInfoId, hasEqualPromises ? key : null]),
    giveBack: ({ userId }, bookInfoId) => callReturn(pool, userId, bookInfoId),
    read: readTitle,
  };
}
