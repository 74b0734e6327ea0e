import { IdempotencyKey } from '../../shared/database/tables';
import { SameTurn } from '../../shared/same-turn';

/**
 * Stores the idempotency keys that come in the same turn of the event loop with one statement, and
 * reads them back with another. Nothing waits for more: a key that is alone goes alone. On SQLite
 * each statement that stores is a flush of the disk, during which the whole process stands still.
 */

/** Most keys of one statement. */
const KEYS_MAX = 100;

export interface NewKey {
  readonly scope: string;
  readonly commandId: string;
  readonly fingerprint: string;
  readonly createdAt: Date;
}

const together = new SameTurn<NewKey, ReadonlyMap<string, IdempotencyKey>>(KEYS_MAX);

/** Stores a key unless it exists. Resolves with the stored key, or null if it is gone again. */
export async function storeKey(key: NewKey): Promise<IdempotencyKey | null> {
  const { result } = await together.add(key, (keys) => storeKeys(keys));
  return result.get(key.scope) ?? null;
}

/** Stores the keys that do not exist yet. Resolves with the stored keys by scope. */
export async function storeKeys(
  keys: readonly NewKey[],
  scopes: readonly string[] = keys.map(({ scope }) => scope),
): Promise<ReadonlyMap<string, IdempotencyKey>> {
  // In one order everywhere, so that two statements with the same keys cannot lock each other out.
  const sorted = keys.toSorted((a, b) => (a.scope < b.scope ? -1 : 1));
  if (sorted.length > 0) await IdempotencyKey.bulkCreate(sorted, { ignoreDuplicates: true });
  // Not raw: SQLite keeps instants as text, and only the model makes dates of them.
  const rows = await IdempotencyKey.findAll({ where: { scope: [...new Set(scopes)] } });
  return new Map(rows.map((row) => [row.scope, row]));
}
