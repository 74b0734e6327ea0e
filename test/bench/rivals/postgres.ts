import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import type { Answer, Rival } from './rival';

/**
 * Borrows by one call of a function in PostgreSQL, which is a transaction of its own. A copy that
 * nobody waits for is taken first, and the title's stock is lowered last.
 */

/** A deadlock is tried again, so often. */
const TRIES_MAX = 5;
const DEADLOCK = '40P01';
const LOAN_DAYS = 14;

const ONE_OPEN_BORROW = 'ON CONFLICT (user_id, book_info_id) WHERE returned_at IS NULL DO NOTHING';

/** @param unlessOpen what keeps a reader from borrowing a title twice. */
const borrowFunction = (unlessOpen: string): string => `
CREATE OR REPLACE FUNCTION rival_borrow(p_user BIGINT, p_title BIGINT, p_key TEXT, OUT v_status INT, OUT v_outcome TEXT)
LANGUAGE plpgsql AS $$
DECLARE
  v_copy BIGINT; v_borrow BIGINT; v_name TEXT; v_now TIMESTAMPTZ(3) := now();
BEGIN
  IF p_key IS NOT NULL THEN
    INSERT INTO rival_outcome VALUES (p_user, p_key, 0, NULL, v_now) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      SELECT status, outcome INTO v_status, v_outcome FROM rival_outcome
        WHERE user_id = p_user AND id = p_key;
      RETURN;
    END IF;
  END IF;
  SELECT book_title INTO v_name FROM book_info WHERE id = p_title AND deleted_at IS NULL;
  IF v_name IS NULL THEN
    v_status := 404; v_outcome := '"BOOK_INFO_NOT_FOUND"';
  ELSE
    SELECT id INTO v_copy FROM book WHERE book_info_id = p_title AND available = 1
      ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
    IF v_copy IS NULL THEN
      v_status := 409; v_outcome := '"OUT_OF_STOCK"';
    ELSE
      INSERT INTO book_user (user_id, book_id, book_info_id, status, borrowed_at, due_at)
        VALUES (p_user, v_copy, p_title, 'BORROWED', v_now, v_now + INTERVAL '${LOAN_DAYS} days')
        ${unlessOpen}
        RETURNING id INTO v_borrow;
      IF v_borrow IS NULL THEN
        v_status := 409; v_outcome := '"ALREADY_BORROWED"';
      ELSE
        UPDATE book SET available = 0, status = 'ON_LOAN' WHERE id = v_copy;
        v_status := 201;
        v_outcome := json_build_object('borrowId', v_borrow, 'userId', p_user, 'bookInfoId', p_title,
          'bookId', v_copy, 'title', v_name, 'borrowedAt', v_now,
          'dueAt', v_now + INTERVAL '${LOAN_DAYS} days', 'returnedAt', NULL, 'renewalCount', 0,
          'status', 'BORROWED');
      END IF;
    END IF;
  END IF;
  IF p_key IS NOT NULL THEN
    UPDATE rival_outcome SET status = v_status, outcome = v_outcome WHERE user_id = p_user AND id = p_key;
    IF v_status = 201 THEN INSERT INTO rival_outbox (event, occurred_at) VALUES (v_outcome, v_now); END IF;
  END IF;
  IF v_status = 201 THEN
    UPDATE book_info SET available_stock = available_stock - 1, borrow_count = borrow_count + 1
      WHERE id = p_title;
  END IF;
END $$;`;

/** Tables, indexes and functions, for a database without rows. */
export const SCHEMA = `
CREATE TABLE book_info (id BIGINT PRIMARY KEY, book_title TEXT NOT NULL, total_stock BIGINT NOT NULL,
  available_stock BIGINT NOT NULL, borrow_count BIGINT NOT NULL DEFAULT 0, deleted_at TIMESTAMPTZ(3));
CREATE TABLE book (id BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY, book_info_id BIGINT NOT NULL,
  available SMALLINT NOT NULL DEFAULT 1, status TEXT NOT NULL DEFAULT 'AVAILABLE');
CREATE INDEX book_available ON book (book_info_id, id) WHERE available = 1;
CREATE TABLE book_user (id BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY, user_id BIGINT NOT NULL,
  book_id BIGINT NOT NULL, book_info_id BIGINT NOT NULL, status TEXT NOT NULL,
  borrowed_at TIMESTAMPTZ(3) NOT NULL, due_at TIMESTAMPTZ(3) NOT NULL, returned_at TIMESTAMPTZ(3),
  renewal_count INT NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX one_open_borrow ON book_user (user_id, book_info_id) WHERE returned_at IS NULL;
CREATE INDEX borrows_of_title ON book_user (book_info_id, id);
CREATE INDEX borrows_of_copy ON book_user (book_id, id);
CREATE TABLE rival_outcome (user_id BIGINT, id TEXT, status INT NOT NULL, outcome TEXT,
  created_at TIMESTAMPTZ(3) NOT NULL, PRIMARY KEY (user_id, id));
CREATE TABLE rival_outbox (id BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY, event TEXT NOT NULL,
  occurred_at TIMESTAMPTZ(3) NOT NULL);

${borrowFunction(ONE_OPEN_BORROW)}

CREATE FUNCTION rival_return(p_user BIGINT, p_title BIGINT, OUT v_status INT, OUT v_outcome TEXT)
LANGUAGE plpgsql AS $$
DECLARE v_copy BIGINT; v_borrow BIGINT;
BEGIN
  UPDATE book_user SET status = 'RETURNED', returned_at = now()
    WHERE user_id = p_user AND book_info_id = p_title AND returned_at IS NULL
    RETURNING id, book_id INTO v_borrow, v_copy;
  IF v_borrow IS NULL THEN v_status := 404; v_outcome := '"BORROW_NOT_FOUND"'; RETURN; END IF;
  UPDATE book SET available = 1, status = 'AVAILABLE' WHERE id = v_copy;
  UPDATE book_info SET available_stock = available_stock + 1 WHERE id = p_title;
  v_status := 200;
  v_outcome := json_build_object('borrowId', v_borrow, 'bookId', v_copy, 'status', 'RETURNED');
END $$;
`;

/** Lets a borrow that is carried out twice be two rows, so that they can be counted. */
export const ALLOW_DOUBLES = `DROP INDEX one_open_borrow; ${borrowFunction('')}`;

interface Row {
  readonly v_status: number;
  readonly v_outcome: string;
}

/** What a function's row tells. */
export function answerOf({ v_status: status, v_outcome: outcome }: Row): Answer {
  const told: unknown = JSON.parse(outcome);
  return { status, body: status < 400 ? (told as object) : { status, code: told } };
}

/** A statement with a name is parsed once for each connection. */
async function call(
  pool: Pool,
  name: string,
  text: string,
  values: (number | string | null)[],
): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      const { rows } = await pool.query<Row>({ name, text, values });
      return answerOf(rows[0] as Row);
    } catch (error) {
      if (tries === TRIES_MAX || (error as { code?: string }).code !== DEADLOCK) throw error;
    }
  }
}

/** @param hasEqualPromises whether each borrow has an idempotency key and an event. */
export function postgresRival(url: string, connections: number, hasEqualPromises: boolean): Rival {
  const pool = new Pool({ connectionString: url, max: connections });
  return {
    borrow: ({ userId }, bookInfoId, key = randomUUID()) =>
      call(pool, 'borrow', 'SELECT * FROM rival_borrow($1, $2, $3)', [
        userId,
        bookInfoId,
        hasEqualPromises ? key : null,
      ]),
    giveBack: ({ userId }, bookInfoId) =>
      call(pool, 'return', 'SELECT * FROM rival_return($1, $2)', [userId, bookInfoId]),
    read: async (bookInfoId) => {
      const text = 'SELECT * FROM book_info WHERE id = $1 AND deleted_at IS NULL';
      const { rows } = await pool.query<object>({ name: 'read', text, values: [bookInfoId] });
      const [body] = rows;
      return body
        ? { status: 200, body }
        : { status: 404, body: { status: 404, code: 'BOOK_INFO_NOT_FOUND' } };
    },
  };
}
