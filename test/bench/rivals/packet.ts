import { randomUUID } from 'node:crypto';
import { createPool, format, type Pool, type RowDataPacket } from 'mysql2/promise';
import { readTitle } from './orm';
import { callReturn, codeOf, type Order, type ProcedureOptions } from './procedure';
import type { Answer, Rival } from './rival';

/**
 * The statements of the stored procedure as one packet: one round trip, and nothing is installed
 * in the database. Each statement changes something only if those before it did, so a refusal
 * needs no second packet.
 */

/** A deadlock or a lock that was waited for in vain is tried again, so often. */
const TRIES_MAX = 5;
const LOAN_DAYS = 14;

/** Takes nothing from a title without stock. */
const lowerStock = (title: number, condition: string): string =>
  `UPDATE book_info SET available_stock = available_stock - 1, borrow_count = borrow_count + 1
     WHERE id = ${title} AND available_stock > 0 AND ${condition};`;

/** What a title that was lowered first gets back, when nothing was borrowed after all. */
const raiseStock = (title: number): string =>
  `UPDATE book_info SET available_stock = available_stock + 1, borrow_count = borrow_count - 1
     WHERE id = ${title} AND @lowered = 1 AND @made = 0;`;

/**
 * A copy that is free and not locked proves that there is stock, so lowering it last succeeds.
 * IGNORE: a reader who has the title already is told so by the count of rows.
 */
const borrowed = (user: number, title: number): string => `
SELECT id INTO @copy FROM book
  WHERE book_info_id = ${title} AND available = 1 AND @name IS NOT NULL AND @lowered = 1
  ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
INSERT IGNORE INTO book_user
    (user_id, book_id, book_info_id, status, borrowed_at, due_at, renewal_count)
  SELECT ${user}, @copy, ${title}, 'BORROWED', @now, @now + INTERVAL ${LOAN_DAYS} DAY, 0
  FROM DUAL WHERE @copy IS NOT NULL;
SET @made = ROW_COUNT(), @borrow = LAST_INSERT_ID();
UPDATE book SET available = 0, status = 'ON_LOAN' WHERE id = @copy AND @made = 1;`;

/** What is told, as JSON. `+ 0`: MariaDB writes variables into JSON as texts. */
const outcome = (user: number, title: number): string => `
SET @status = IF(@made = 1, 201, IF(@name IS NULL, 404, 409)),
  @outcome = IF(@made = 1, JSON_OBJECT('borrowId', @borrow + 0, 'userId', ${user},
    'bookInfoId', ${title}, 'bookId', @copy + 0, 'title', @name, 'borrowedAt', @now,
    'dueAt', @now + INTERVAL ${LOAN_DAYS} DAY, 'returnedAt', NULL, 'renewalCount', 0,
    'status', 'BORROWED'),
  IF(@name IS NULL, '"BOOK_INFO_NOT_FOUND"',
    IF(@copy IS NULL, '"OUT_OF_STOCK"', '"ALREADY_BORROWED"')));`;

/** Claims an idempotency key. A key that was there before lets nothing else happen. */
const claimed = (user: number, key: string): string => `
INSERT IGNORE INTO rival_outcome VALUES (${user}, ${key}, 0, 'null', @now);
SET @isNew = ROW_COUNT();`;

const kept = (user: number, key: string): string => `
UPDATE rival_outcome SET status = @status, outcome = @outcome
  WHERE user_id = ${user} AND id = ${key} AND @isNew = 1;
INSERT INTO rival_outbox (event, occurred_at) SELECT @outcome, @now FROM DUAL WHERE @made = 1;
SELECT status, outcome INTO @status, @outcome FROM rival_outcome
  WHERE user_id = ${user} AND id = ${key};`;

/** @param key an idempotency key, or null. */
function packetOf(order: Order, user: number, title: number, key: string | null): string {
  const quoted = format('?', [key]);
  const isStockFirst = order === 'stock first';
  return [
    'SET @now = UTC_TIMESTAMP(3), @isNew = 1, @lowered = 1, @name = NULL, @copy = NULL;',
    'START TRANSACTION;',
    key === null ? '' : claimed(user, quoted),
    `SELECT book_title INTO @name FROM book_info
       WHERE id = ${title} AND deleted_at IS NULL AND @isNew = 1;`,
    isStockFirst ? `${lowerStock(title, '@name IS NOT NULL')} SET @lowered = ROW_COUNT();` : '',
    borrowed(user, title),
    isStockFirst ? raiseStock(title) : lowerStock(title, '@made = 1'),
    outcome(user, title),
    key === null ? '' : kept(user, quoted),
    'COMMIT;',
    'SELECT @status AS status, @outcome AS outcome;',
  ].join('\n');
}

interface Row extends RowDataPacket {
  readonly status: number | string;
  readonly outcome: string;
}

/** Sends a packet. A failure may leave its transaction open, which a rollback ends. */
async function send(pool: Pool, sql: string): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const connection = await pool.getConnection();
    try {
      const [results] = await connection.query<Row[][]>(sql);
      const { status, outcome: text } = results.at(-1)![0] as Row;
      const told: unknown = JSON.parse(text);
      const code = Number(status);
      return { status: code, body: code < 400 ? (told as object) : { status: code, code: told } };
    } catch (error) {
      await connection.rollback();
      const again = ['ER_LOCK_DEADLOCK', 'ER_LOCK_WAIT_TIMEOUT'].includes(codeOf(error));
      if (tries === TRIES_MAX || !again) throw error;
    } finally {
      connection.release();
    }
  }
}

export function packetRival({
  url,
  connections,
  order,
  hasEqualPromises,
}: ProcedureOptions): Rival {
  const options = { uri: url, connectionLimit: connections, timezone: 'Z' };
  const pool = createPool({ ...options, multipleStatements: true });
  return {
    borrow: ({ userId }, bookInfoId, key = randomUUID()) =>
      send(pool, packetOf(order, userId, bookInfoId, hasEqualPromises ? key : null)),
    giveBack: ({ userId }, bookInfoId) => callReturn(pool, userId, bookInfoId),
    read: readTitle,
  };
}
