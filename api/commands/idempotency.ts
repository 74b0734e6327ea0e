import { Op } from 'sequelize';
import { KEY_KEPT_MS, KEY_RENEWED_AFTER_MS } from '../../shared/command';
import { IdempotencyKey } from '../../shared/database/tables';
import { Problem } from '../http/problem';
import { rejectFaults } from '../http/validate';
import type { CommandIds } from './command-id';

/**
 * Idempotency keys: the same key with the same request stands for one command, whichever API
 * process it reaches and however often. The key's row is written before the command is published; a
 * retry publishes the same command id again, and the workers carry an id out once.
 *
 * A key lives for 24 hours from when it was last answered, and longer than that by up to an hour,
 * so that not every retry has to write it down. As long as it lives, so do its command's id and
 * outcome (`workers/duties/housekeeping.ts`): what a retry is promised in the last moment is kept
 * as long as what is promised to anyone else.
 *
 * A caller without a token is nobody in particular. Their key counts together with what they sent:
 * the same request again is the same command, and another caller's request under the same key is
 * another one.
 */

/** Visible ASCII and spaces, 1 to 255 characters. */
const KEY_PATTERN = /^[\x20-\x7e]{1,255}$/;
/** How often it is looked again at a key that somebody else has removed in between. */
const TRIES_MAX = 5;

export interface KeyedRequest {
  readonly userId: number | null;
  readonly method: string;
  readonly path: string;
  readonly key: string;
  /** Everything that makes the request what it is: query and body as they were sent. */
  readonly content: unknown;
}

/**
 * The key of a request. `headers`: each one as it came, for Node joins those of one name.
 * @throws Problem 400 for a header that is no key, and for several.
 */
export function readIdempotencyKey(headers: readonly string[] = []): string | null {
  const [header, ...others] = headers;
  if (header === undefined) return null;
  const fault = (code: string, message: string) => ({ field: 'Idempotency-Key', code, message });
  if (others.length > 0)
    rejectFaults([fault('REPEATED_PARAMETER', 'Idempotency-Key must not be repeated')]);
  if (!KEY_PATTERN.test(header))
    rejectFaults([
      fault('INVALID_FORMAT', 'Idempotency-Key must be 1 to 255 printable ASCII characters'),
    ]);
  return header;
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
function digestsOf(
  ids: CommandIds,
  { userId, method, path, key, content }: KeyedRequest,
): { scope: string; fingerprint: string } {
  const fingerprint = ids.digest(['content', canonicalJson(content)]);
  const owner = userId === null ? `nobody ${fingerprint}` : String(userId);
  return { scope: ids.digest(['key', owner, method, path, key]), fingerprint };
}

/** The last instant before which a key that was answered lives no more. */
const deadline = (now: Date): Date => new Date(now.getTime() - KEY_KEPT_MS);

/**
 * Keeps a key for its whole time from now on. False when it lives no more, or not for this command.
 */
async function renew({ scope, commandId, createdAt }: IdempotencyKey, now: Date): Promise<boolean> {
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
  if (!stored) return null;
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
  const { scope, fingerprint } = digestsOf(ids, request);
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    await IdempotencyKey.bulkCreate([{ scope, commandId: newId, fingerprint, createdAt: now }], {
      ignoreDuplicates: true,
    });
    const commandId = await findKey(scope, fingerprint, now);
    if (commandId !== null) return commandId;
    await IdempotencyKey.destroy({ where: { scope, createdAt: { [Op.lt]: deadline(now) } } });
  }
  throw new Error('an idempotency key was removed again and again while it was claimed');
}

/** Whether a key stands for the command still. */
export async function isKept(commandId: string, now: Date): Promise<boolean> {
  return (
    (await IdempotencyKey.count({ where: { commandId, createdAt: { [Op.gte]: deadline(now) } } })) >
    0
  );
}
