import { createHash, createHmac, createSecretKey, randomUUID, timingSafeEqual, type KeyObject } from 'node:crypto';
import { OUTCOME_KEPT_MS } from '../../shared/command';
import { serviceNames, services, type CommandType } from '../../shared/services';

/**
 * Command ids that the API can recognise without having stored anything: between the promise of a command and its
 * outcome no database knows it, and still `GET /api/commands/{id}` must tell "queued" from "never existed", and must
 * tell it to the owner alone.
 *
 * 20 bytes as 40 hexadecimal digits: time in ms (6), random (6), type (2), signature (3), signature with the owner (3).
 */

const SIGNED_BYTES = 14;
const SIGNATURE_BYTES = 3;
const ID_PATTERN = /^[0-9a-f]{40}$/;

const typeCode = (type: string): Buffer => createHash('sha1').update(type).digest().subarray(0, 2);
const codes = new Map(serviceNames.flatMap((service) => Object.keys(services[service]) as CommandType[]).map((type) => [type, typeCode(type)]));
const typesByCode = new Map([...codes].map(([type, code]) => [code.toString('hex'), type]));

/** What an id says about its command. */
export interface KnownId {
  readonly createdAt: number;
  readonly type: CommandType;
  /** Whether the command was sent by this user; null for a command that was sent without a token. */
  isOwnedBy(userId: number | null): boolean;
}

export class CommandIds {
  private readonly secret: KeyObject;

  /** `secret` is the same in every API process and outlives them: see `commandIdSecret`. */
  constructor(secret: Buffer) {
    this.secret = createSecretKey(secret);
  }

  make(type: CommandType, ownerId: number | null, now: number): string {
    const id = Buffer.alloc(SIGNED_BYTES);
    id.writeUIntBE(now, 0, 6);
    // The last six bytes of a random UUID are random, and Node has them in store; asked for by themselves they cost as much as the signatures.
    id.write(randomUUID().slice(-12), 6, 'hex');
    (codes.get(type) as Buffer).copy(id, 12);
    return Buffer.concat([id, this.sign(id, 'id'), this.sign(id, `owner ${ownerId ?? ''}`)]).toString('hex');
  }

  /** Null for what is not an id that was handed out here, or one that has expired. */
  read(text: string, now: number): KnownId | null {
    if (!ID_PATTERN.test(text)) return null;
    const bytes = Buffer.from(text, 'hex');
    const signed = bytes.subarray(0, SIGNED_BYTES);
    const [signature, ownerSignature] = [bytes.subarray(SIGNED_BYTES, SIGNED_BYTES + SIGNATURE_BYTES), bytes.subarray(SIGNED_BYTES + SIGNATURE_BYTES)];
    const createdAt = signed.readUIntBE(0, 6);
    const type = typesByCode.get(signed.subarray(12, 14).toString('hex'));
    // Also one that a clock made before it was set back is known for its day, and no longer.
    const expired = Math.abs(now - createdAt) > OUTCOME_KEPT_MS;
    if (expired || !type || !timingSafeEqual(signature, this.sign(signed, 'id'))) return null;
    return { createdAt, type, isOwnedBy: (userId) => timingSafeEqual(ownerSignature, this.sign(signed, `owner ${userId ?? ''}`)) };
  }

  /** A keyed hash, for what must be recognised again and not be read: idempotency keys and the requests under them. */
  digest(parts: readonly string[]): string {
    return createHmac('sha256', this.secret).update(JSON.stringify(parts)).digest('hex');
  }

  private sign(id: Buffer, purpose: string): Buffer {
    return createHmac('sha256', this.secret).update(purpose).update(id).digest().subarray(0, SIGNATURE_BYTES);
  }
}
