import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { IdempotencyKey } from '../../shared/database/tables';
import { SameTurn } from '../../shared/same-turn';

/**
 * Stores the idempotency keys that come in the same turn of the event loop with one statement.
 * Another reads them back, unless all of them were new. Nothing waits for more: a key that is alone
 * goes alone. On SQLite each statement that stores is a flush of the disk, during which the whole
 * process stands still.
 */

/** Most keys of one statement. */
const KEYS_MAX = 100;

export interface NewKey {
  readonly scope: string;
  readonly commandId: string;
  readonly fingerprint: string;
  readonly createdAt: Date;
}

const together = new SameTurn<NewKey, ReadonlyMap<string, NewKey>>(KEYS_MAX);

/** Stores a key unless it exists. Resolves with the stored key, or null if it is gone again. */
export async function storeKey(key: NewKey): Promise<NewKey | null> {
  const { result } = await together.add(key, (keys) => storeKeys(keys));
  return result.get(key.scope) ?? null;
}

/** Stores the keys that do not exist yet. Resolves with the stored keys by scope. */
export async function storeKeys(
  keys: readonly NewKey[],
  scopes: readonly string[] = keys.map(({ scope }) => scope),
): Promise<ReadonlyMap<string, NewKey>> {
  const stored = keys.length > 0 ? await insertKeys(keys) : 0;
  const allAreNew = stored === keys.length && scopes.length === keys.length;
  // Not raw: SQLite keeps instants as text, and only the model makes dates of them.
  const rows = allAreNew
    ? keys
    : await IdempotencyKey.findAll({ where: { scope: [...new Set(scopes)] } });
  return new Map(rows.map((row) => [row.scope, row]));
}

/** Inserts the keys that do not exist yet, and returns how many those were. */
async function insertKeys(keys: readonly NewKey[]): Promise<number> {
  const database = IdempotencyKey.sequelize as Sequelize;
  const isSqlite = database.getDialect() === 'sqlite';
  const instantOf = (at: Date) =>
    at
      .toISOString()
      .replace('T', ' ')
      .replace('Z', isSqlite ? ' +00:00' : '');
  // In one order everywhere, so that two statements with the same keys cannot lock each other out.
  const rows = keys
    .toSorted((a, b) => (a.scope < b.scope ? -1 : 1))
    .map(({ scope, commandId, fingerprint, createdAt }) => [
      ...[scope, commandId, fingerprint],
      instantOf(createdAt),
    ]);
  // Not `bulkCreate`: it makes a model of each key, and does not tell how many were new.
  const [, stored] = await database.query(
    `INSERT ${isSqlite ? 'OR IGNORE' : 'IGNORE'} INTO idempotency_key (scope, command_id, fingerprint, created_at) VALUES ?`,
    { replacements: [rows], type: QueryTypes.INSERT },
  );
  return stored;
}
