import { createHash, createHmac, hash, randomUUID, timingSafeEqual } from 'node:crypto';
import { idTime, OUTCOME_KEPT_MS } from '../../shared/command';

/**
 * Command ids that an API recognises without having stored them. No database knows a command
 * between its promise and its outcome. `GET /api/commands/{id}` must still know "queued" from
 * "never existed", and answer its owner alone.
 *
 * 40 hexadecimal digits: time in ms (12), random (12), type (4), signature (6), signature with the
 * owner (6).
 */

const TIME_DIGITS = 12;
const RANDOM_DIGITS = 12;
const TYPE_DIGITS = 4;
const SIGNED_DIGITS = TIME_DIGITS + RANDOM_DIGITS + TYPE_DIGITS;
const SIGNATURE_DIGITS = 6;
const ID_PATTERN = /^[0-9a-f]{40}$/;

const typeCode = (type: string): string =>
  createHash('sha1').update(type).digest('hex').slice(0, TYPE_DIGITS);

/** What an id says about its command. */
export interface KnownId {
  readonly createdAt: number;
  /** It is older than outcomes are kept, so that it may be known to its idempotency key alone. */
  readonly expired: boolean;
  readonly type: string;
  /**
   * Whether the command was sent by this user; null for a command that was sent without a token.
   */
  isOwnedBy(userId: number | null): boolean;
}

const same = (one: string, other: string): boolean =>
  timingSafeEqual(Buffer.from(one), Buffer.from(other));

export class CommandIds {
  private readonly secretDigits: string;
  private readonly codes: ReadonlyMap<string, string>;
  private readonly typesByCode: ReadonlyMap<string, string>;

  /** `secret` is the same in every API process and outlives them: see `commandIdSecret`. */
  constructor(
    private readonly secret: Buffer,
    types: readonly string[],
  ) {
    this.secretDigits = secret.toString('hex');
    const codes = types.map((type) => [type, typeCode(type)] as const);
    this.codes = new Map(codes);
    this.typesByCode = new Map(codes.map(([type, code]) => [code, type]));
  }

  make(type: string, ownerId: number | null, now: number): string {
    // The last digits of a random UUID are random, and Node has them in store; asked for by
    // themselves they cost more than all the rest.
    const id = `${idTime(now)}${randomUUID().slice(-RANDOM_DIGITS)}${this.codes.get(type) ?? ''}`;
    return `${id}${this.sign(id, 'id')}${this.sign(id, ownedBy(ownerId))}`;
  }

  /** Null for an id that was not made here. */
  read(text: string, now: number): KnownId | null {
    if (!ID_PATTERN.test(text)) return null;
    const id = text.slice(0, SIGNED_DIGITS);
    const [signature, ownerSignature] = [
      text.slice(SIGNED_DIGITS, -SIGNATURE_DIGITS),
      text.slice(-SIGNATURE_DIGITS),
    ];
    const createdAt = Number.parseInt(id.slice(0, TIME_DIGITS), 16);
    const type = this.typesByCode.get(id.slice(-TYPE_DIGITS));
    // Also one that a clock made before it was set back is known for its day, and no longer.
    const expired = Math.abs(now - createdAt) > OUTCOME_KEPT_MS;
    if (!type || !same(signature, this.sign(id, 'id'))) return null;
    return {
      createdAt,
      expired,
      type,
      isOwnedBy: (userId) => same(ownerSignature, this.sign(id, ownedBy(userId))),
    };
  }

  /**
   * A keyed hash, for what must be recognised again and not be read: idempotency keys and the
   * requests under them.
   */
  digest(parts: readonly string[]): string {
    return createHmac('sha256', this.secret).update(JSON.stringify(parts)).digest('hex');
  }

  /**
   * The secret before the text makes a keyed hash of SHA-3, unlike of SHA-2, which needs HMAC for
   * that and takes four times as long.
   */
  private sign(id: string, purpose: string): string {
    return hash('sha3-256', `${this.secretDigits}${id}${purpose}`, 'hex').slice(
      0,
      SIGNATURE_DIGITS,
    );
  }
}

const ownedBy = (userId: number | null): string => `owner ${userId ?? ''}`;
