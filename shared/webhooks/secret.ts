import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/**
 * Secrets of webhooks, and the signatures made with them, by Standard Webhooks. A secret is stored
 * and sent sealed, so no queue, dead letter or backup of the webhooks' tables reveals it.
 */

const PREFIX = 'whsec_';
/** Length of a secret that is made here, bytes. Standard Webhooks demands 24 to 64. */
const SECRET_LENGTH = 32;
export const SECRET_FORM =
  /^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const CIPHER = 'aes-256-gcm';
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

export const newWebhookSecret = (): string =>
  PREFIX + randomBytes(SECRET_LENGTH).toString('base64');

/** Returns the key that seals secrets, derived from the installation's secret. */
export const sealingKey = (installationSecret: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', installationSecret, '', 'lendline webhook secrets', 32));

export function sealed(secret: string, key: Buffer): string {
  const nonce = randomBytes(NONCE_LENGTH);
  const cipher = createCipheriv(CIPHER, key, nonce);
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url');
}

/**
 * Opens a sealed secret.
 * @throws when it was sealed with another key.
 */
export function unsealed(text: string, key: Buffer): string {
  const bytes = Buffer.from(text, 'base64url');
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_LENGTH));
  decipher.setAuthTag(bytes.subarray(NONCE_LENGTH, NONCE_LENGTH + TAG_LENGTH));
  const secret = bytes.subarray(NONCE_LENGTH + TAG_LENGTH);
  return Buffer.concat([decipher.update(secret), decipher.final()]).toString('utf8');
}

export interface SignedMessage {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/** Returns the value of `webhook-signature`: one signature for each secret. */
export const signaturesOf = (
  { id, timestamp, body }: SignedMessage,
  secrets: readonly string[],
): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
      const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`);
      return `v1,${hmac.digest('base64')}`;
    })
    .join(' ');
