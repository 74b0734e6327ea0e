import { randomUUID } from 'node:crypto';
import { createPool, type Pool, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise';
import type { Sequelize } from 'sequelize-typescript';
import type { Actor } from '../../../shared/command';
import type { Answer, Rival } from './rival';

/**
 * Borrows by one CALL of a stored procedure, without an ORM: the fastest that is written in an
 * hour. The copy is taken first, with SKIP LOCKED, and the title's stock is lowered as the last
 * statement before COMMIT, so that its row is locked briefly.
 *
 * With equal promises, the same transaction stores the outcome under an idempotency key, which
 * answers whoever sends it again, and an event in an outbox.
 */

/** A deadlock or a lock that was waited for in vain is tried again, so often. */
const TRIES_MAX = 5;
const LOAN_DAYS = 14;

/** `+ 0`: MariaDB writes variables into JSON as texts. */
const SCHEMA = [
  `CREATE TABLE rival_outcome (id CHAR(36) CHARACTER SET ascii PRIMARY KEY, outcome JSON NOT NULL,
     created_at DATETIME(3) NOT NULL)`,
  `CREATE TABLE rival_outbox (id BIGINT PRIMARY KEY AUTO_INCREMENT, event JSON NOT NULL,
     occurred_at DATETIME(3) NOT NULL)`,
  `CREATE PROCEDURE rival_borrow(IN p_user BIGINT, IN p_title BIGINT, IN p_key CHAR(36) CHARACTER SET ascii)
   proc: BEGIN
     DECLARE v_copy, v_borrow BIGINT DEFAULT NULL;
     DECLARE v_name VARCHAR(1000) DEFAULT NULL;
     DECLARE v_known LONGTEXT DEFAULT NULL;
     DECLARE v_now DATETIME(3) DEFAULT UTC_TIMESTAMP(3);
     DECLARE CONTINUE HANDLER FOR NOT FOUND BEGIN END;
     DECLARE EXIT HANDLER FOR 1062 BEGIN ROLLBACK; SELECT 409 AS status, 'ALREADY_BORROWED' AS outcome; END;
     DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
     START TRANSACTION;
     IF p_key IS NOT NULL THEN
       SELECT outcome INTO v_known FROM rival_outcome WHERE id = p_key;
       IF v_known IS NOT NULL THEN ROLLBACK; SELECT 201 AS status, v_known AS outcome; LEAVE proc; END IF;
     END IF;
     SELECT book_title INTO v_name FROM book_info WHERE id = p_title AND deleted_at IS NULL;
     IF v_name IS NULL THEN ROLLBACK; SELECT 404 AS status, 'BOOK_INFO_NOT_FOUND' AS outcome; LEAVE proc; END IF;
     SELECT id INTO v_copy FROM book WHERE book_info_id = p_title AND available = 1
       ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
     IF v_copy IS NULL THEN ROLLBACK; SELECT 409 AS status, 'OUT_OF_STOCK' AS outcome; LEAVE proc; END IF;
     UPDATE book SET available = 0, status = 'ON_LOAN' WHERE id = v_copy;
     INSERT INTO book_user (user_id, book_id, book_info_id, status, borrowed_at, due_at, renewal_count)
       VALUES (p_user, v_copy, p_title, 'BORROWED', v_now, v_now + INTERVAL ${LOAN_DAYS} DAY, 0);
     SET v_borrow = LAST_INSERT_ID();
     SET v_known = JSON_OBJECT('borrowId', v_borrow + 0, 'userId', p_user + 0, 'bookInfoId', p_title + 0,
       'bookId', v_copy + 0, 'title', v_name, 'borrowedAt', v_now, 'dueAt', v_now + INTERVAL ${LOAN_DAYS} DAY,
       'returnedAt', NULL, 'renewalCount', 0, 'status', 'BORROWED');
     IF p_key IS NOT NULL THEN
       INSERT INTO rival_outcome VALUES (p_key, v_known, v_now);
       INSERT INTO rival_outbox (event, occurred_at) VALUES (v_known, v_now);
     END IF;
     UPDATE book_info SET available_stock = available_stock - 1, borrow_count = borrow_count + 1
       WHERE id = p_title AND available_stock > 0;
     IF ROW_COUNT() = 0 THEN ROLLBACK; SELECT 409 AS status, 'OUT_OF_STOCK' AS outcome; LEAVE proc; END IF;
     COMMIT;
     SELECT 201 AS status, v_known AS outcome;
   END`,
  `CREATE PROCEDURE rival_return(IN p_user BIGINT, IN p_title BIGINT)
   proc: BEGIN
     DECLARE v_copy, v_borrow BIGINT DEFAULT NULL;
     DECLARE CONTINUE HANDLER FOR NOT FOUND BEGIN END;
     DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
     START TRANSACTION;
     SELECT id, book_id INTO v_borrow, v_copy FROM book_user
       WHERE user_id = p_user AND open_book_info_id = p_title FOR UPDATE;
     IF v_borrow IS NULL THEN ROLLBACK; SELECT 404 AS status, 'BORROW_NOT_FOUND' AS outcome; LEAVE proc; END IF;
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
  readonly outcome: string | object;
}

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? '';

async function call(pool: Pool, sql: string, values: (number | string | null)[]): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      const [[rows]] = await pool.execute<[Row[], ResultSetHeader]>(sql, values);
      const { status, outcome } = rows[0] as Row;
      if (status >= 400) return { status, body: { status, code: outcome } };
      const body = typeof outcome === 'string' ? (JSON.parse(outcome) as object) : outcome;
      return { status, body };
    } catch (error) {
      const again = ['ER_LOCK_DEADLOCK', 'ER_LOCK_WAIT_TIMEOUT'].includes(codeOf(error));
      if (tries === TRIES_MAX || !again) throw error;
    }
  }
}

/** @param hasEqualPromises whether each borrow has an idempotency key and an event. */
export function procedureRival(url: string, connections: number, hasEqualPromises: boolean): Rival {
  const pool = createPool({ uri: url, connectionLimit: connections, timezone: 'Z' });
  const userOf = ({ userId }: Actor): number => userId as number;
  return {
    borrow: (actor, bookInfoId) =>
      call(pool, 'CALL rival_borrow(?, ?, ?)', [
        userOf(actor),
        bookInfoId,
        hasEqualPromises ? randomUUID() : null,
      ]),
    giveBack: (actor, bookInfoId) =>
      call(pool, 'CALL rival_return(?, ?)', [userOf(actor), bookInfoId]),
  };
}
