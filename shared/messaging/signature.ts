import { createHmac, createSecretKey, hash, timingSafeEqual, type KeyObject } from 'node:crypto';

/**
 * Signs the messages that carry commands. The key comes from the database, so an account that can
 * only publish on the broker cannot act as somebody.
 */

/** What a worker does with a message whose signature is missing or wrong. */
export type SignaturePolicy =
  /** It becomes a dead letter. */
  | 'required'
  /** It is carried out like any other. */
  | 'ignored';

export const SIGNATURE_POLICIES: readonly SignaturePolicy[] = ['required', 'ignored'];

/** AMQP header of the signature. */
const SIGNATURE_HEADER = 'signature';

export class Signatures {
  private readonly key: KeyObject;

  /**
   * @param secret the installation's secret, from `commandIdSecret`: the same for all programs.
   * @param policy what `accepts` does with a message without a valid signature.
   */
  constructor(
    secret: Buffer,
    private readonly policy: SignaturePolicy = 'required',
  ) {
    // The purpose keeps this key apart from other keys of the same secret.
    const bytes = hash('sha3-256', `${secret.toString('hex')} signature of messages`, 'buffer');
    this.key = createSecretKey(bytes);
  }

  /** Returns the headers of a message with this body. */
  headers(content: Buffer): Record<string, string> {
    return { [SIGNATURE_HEADER]: this.sign(content).toString('base64url') };
  }

  /** Returns whether a message is accepted as one of ours. */
  accepts(content: Buffer, headers: Readonly<Record<string, unknown>> | undefined): boolean {
    if (this.policy === 'ignored') return true;
    const given = headers?.[SIGNATURE_HEADER];
    if (typeof given !== 'string') return false;
    const [signature, expected] = [Buffer.from(given, 'base64url'), this.sign(content)];
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  }

  private sign(content: Buffer): Buffer {
    return createHmac('sha256', this.key).update(content).digest();
  }
}
