import { Op } from 'sequelize';
import { OUTCOME_KEPT_MS } from '../../shared/command';
import { IdempotencyKey } from '../../shared/database/tables';
import { Problem } from '../http/problem';
import { rejectFaults } from '../http/validate';
import type { CommandIds } from './command-id';

/**
 * Idempotency keys: the same key with the same request stands for one command, whichever API process it reaches and
 * however often. The key's row is written before the command is published; a retry publishes the same command id again,
 * and the workers carry an id out once.
 */

/** Visible ASCII and spaces, 1 to 255 characters. */
const KEY_PATTERN = /^[\x20-\x7e]{1,255}$/;

export interface KeyedRequest {
  readonly userId: number | null;
  readonly method: string;
  readonly path: string;
  readonly key: string;
  /** Everything that makes the request what it is: query and body as they were understood. */
  readonly content: unknown;
}

export interface Claim {
  readonly commandId: string;
  /** Whether the key was used before, so that the command may have been carried out already. */
  readonly repeated: boolean;
}

/**
 * The key of a request. `headers`: each one as it came, for Node joins those of one name.
 * @throws Problem 400 for a header that is no key, and for several.
 */
export function readIdempotencyKey(headers: readonly string[] = []): string | null {
  const [header, ...others] = headers;
  if (header === undefined) return null;
  const fault = (code: string, message: string) => ({ field: 'Idempotency-Key', code, message });
  if (others.length > 0) rejectFaults([fault('REPEATED_PARAMETER', 'Idempotency-Key must not be repeated')]);
  if (!KEY_PATTERN.test(header)) rejectFaults([fault('INVALID_FORMAT', 'Idempotency-Key must be 1 to 255 printable ASCII characters')]);
  return header;
}

/** JSON text in which the order of an object's members, which means nothing, makes no difference. */
function canonicalJson(content: unknown): string {
  return JSON.stringify(content, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
}

/**
 * The command that the key stands for: `newId` when the key is new.
 * @throws Problem 422 when the key was used for another request.
 */
export async function claimKey(ids: CommandIds, request: KeyedRequest, newId: string, now: Date): Promise<Claim> {
  const scope = ids.digest(['key', String(request.userId), request.method, request.path, request.key]);
  const fingerprint = ids.digest(['content', canonicalJson(request.content)]);
  await IdempotencyKey.destroy({ where: { scope, createdAt: { [Op.lt]: new Date(now.getTime() - OUTCOME_KEPT_MS) } } });
  await IdempotencyKey.bulkCreate([{ scope, commandId: newId, fingerprint, createdAt: now }], { ignoreDuplicates: true });
  const stored = await IdempotencyKey.findByPk(scope, { raw: true, rejectOnEmpty: true });
  if (stored.fingerprint !== fingerprint) {
    throw new Problem('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used for another request in the last 24 hours.');
  }
  return { commandId: stored.commandId, repeated: stored.commandId !== newId };
}
