import { Op } from 'sequelize';
import { KEY_KEPT_MS, KEY_RENEWED_AFTER_MS } from '../../shared/command';
import { IdempotencyKey } from '../../shared/database/tables';
import { Problem } from '../http/responses/problem';
import { rejectFaults } from '../http/requests/validate';
import type { CommandIds } from './command-id';
import { storeKey, storeKeys, type NewKey } from './new-keys';

/**
 * Idempotency keys: the same key with the same request is one command, at every API. Its row is
 * stored before the command is published. A retry publishes the same command id, which runs once.
 *
 * A key lives for 24 hours from its last answer, and up to an hour longer, so that not every retry
 * has to renew it. Its command's id and outcome live as long (`workers/jobs/housekeeping.ts`).
 *
 * Without a token, the key counts together with the request. Another client's request under the
 * same key is another command.
 */

/** The draft's form of a key: a string of a structured field (RFC 9651). */
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/;
/** Visible ASCII and spaces, 1 to 255 characters. */
const KEY_PATTERN = /^[\x20-\x7e]{1,255}$/;
/** How often a key is read again that another process removed in between. */
const TRIES_MAX = 5;

export interface KeyedRequest {
  readonly userId: number | null;
  readonly method: string;
  readonly path: string;
  readonly key: string;
  /** The content of the request: query and body as they were sent. */
  readonly content: unknown;
}

/** The stored record of a request with a key. */
interface Digests {
  readonly scope: string;
  readonly fingerprint: string;
}

/**
 * The key of a request, in quotes or bare. `headers`: each one as it came, for Node joins those of
 * one name.
 * @throws Problem 400 for a header that is no key, and for several.
 */
export function readIdempotencyKey(headers: readonly string[] = []): string | null {
  const [header, ...others] = headers;
  if (header === undefined) return null;
  const fault = (code: string, message: string) => ({ field: 'Idempotency-Key', code, message });
  if (others.length > 0)
    rejectFaults([fault('REPEATED_PARAMETER', 'Idempotency-Key must not be repeated')]);
  const quoted = QUOTED.exec(header)?.[1]?.replaceAll(/\\(["\\])/g, '$1');
  const key = quoted ?? header;
  if (!KEY_PATTERN.test(key))
    rejectFaults([
      fault('INVALID_FORMAT', 'Idempotency-Key must be 1 to 255 printable ASCII characters'),
    ]);
  return key;
}

/**
 * JSON text in which the order of an object's members, which means nothing, makes no difference.
 */
function canonicalJson(content: unknown): string {
  return JSON.stringify(content, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

/** Digests of the key, as far as it is valid, and of the request under it. */
function digestsOf(ids: CommandIds, { userId, method, path, key, content }: KeyedRequest): Digests {
  const fingerprint = ids.digest(['content', canonicalJson(content)]);
  const owner = userId === null ? `nobody ${fingerprint}` : String(userId);
  return { scope: ids.digest(['key', owner, method, path, key]), fingerprint };
}

/** A key whose last answer was before this instant has expired. */
const deadline = (now: Date): Date => new Date(now.getTime() - KEY_KEPT_MS);

/**
 * Keeps a key for its whole time from now on. False when it has expired, or is another command's.
 */
async function renew({ scope, commandId, createdAt }: NewKey, now: Date): Promise<boolean> {
  if (now.getTime() - createdAt.getTime() <= KEY_RENEWED_AFTER_MS) return true;
  const [renewed] = await IdempotencyKey.update(
    { createdAt: now },
    { where: { scope, commandId, createdAt: { [Op.gte]: deadline(now) } } },
  );
  return renewed > 0;
}

/**
 * The command that the key stands for; null when there is none, and none is to be made.
 * @throws Problem 422 when the key was used for another request.
 */
async function findKey(scope: string, fingerprint: string, now: Date): Promise<string | null> {
  // Not raw: SQLite keeps instants as text, and only the model makes dates of them.
  const stored = await IdempotencyKey.findByPk(scope);
  return stored && commandOf(stored, fingerprint, now);
}

/**
 * The command of a stored key; null when the key has expired.
 * @throws Problem 422
 */
async function commandOf(stored: NewKey, fingerprint: string, now: Date): Promise<string | null> {
  if (!(await renew(stored, now))) return null;
  if (stored.fingerprint !== fingerprint) {
    throw new Problem(
      'IDEMPOTENCY_KEY_REUSED',
      'This Idempotency-Key was used for another request in the last 24 hours. Use a new key.',
    );
  }
  return stored.commandId;
}

/** The command of a key that was used before, null when it was not. @throws Problem 422 */
export async function knownKey(
  ids: CommandIds,
  request: KeyedRequest,
  now: Date,
): Promise<string | null> {
  const { scope, fingerprint } = digestsOf(ids, request);
  return findKey(scope, fingerprint, now);
}

/**
 * The command that the key stands for: `newId` when the key is new.
 * @throws Problem 422 when the key was used for another request.
 */
export async function claimKey(
  ids: CommandIds,
  request: KeyedRequest,
  newId: string,
  now: Date,
): Promise<string> {
  return claim(digestsOf(ids, request), newId, now);
}

async function claim({ scope, fingerprint }: Digests, newId: string, now: Date): Promise<string> {
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const stored = await storeKey({ scope, commandId: newId, fingerprint, createdAt: now });
    const commandId = stored && (await commandOf(stored, fingerprint, now));
    if (commandId !== null) return commandId;
    await IdempotencyKey.destroy({ where: { scope, createdAt: { [Op.lt]: deadline(now) } } });
  }
  throw new Error('an idempotency key was removed again and again while it was claimed');
}

/**
 * The commands that the key stands for when the request is made of parts: one for each, under a key
 * of its own that is derived. `newIds`: null for a part for which no command is to be made.
 * @throws Problem 422 when the key was used for another request.
 */
export async function claimParts(
  ids: CommandIds,
  request: KeyedRequest,
  newIds: readonly (string | null)[],
  now: Date,
): Promise<(string | null)[]> {
  const whole = digestsOf(ids, request);
  const parts = newIds.map((newId, index) => ({
    newId,
    scope: ids.digest(['part', whole.scope, String(index)]),
    fingerprint: whole.fingerprint,
  }));
  const stored = await storeKeys(
    parts.flatMap(({ newId, scope, fingerprint }) =>
      newId === null ? [] : [{ scope, commandId: newId, fingerprint, createdAt: now }],
    ),
    parts.map(({ scope }) => scope),
  );
  const found: (string | null)[] = [];
  for (const part of parts) {
    const row = stored.get(part.scope);
    const commandId = row ? await commandOf(row, part.fingerprint, now) : null;
    found.push(commandId ?? (part.newId && (await claim(part, part.newId, now))));
  }
  return found;
}

/** Whether a key still stands for the command. */
export async function isKept(commandId: string, now: Date): Promise<boolean> {
  return (
    (await IdempotencyKey.count({ where: { commandId, createdAt: { [Op.gte]: deadline(now) } } })) >
    0
  );
}
