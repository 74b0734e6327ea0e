import { commandIdSecret } from '../database/settings';
import type { WebhookConfig } from './fields';
import { sealingKey } from './secret';

/** What programs need to make and to serve webhooks. */
export interface WebhookParts {
  /** Seals the secrets. */
  readonly key: Buffer;
  readonly allowPrivate: boolean;
}

export const webhookParts = async ({
  WEBHOOK_ALLOW_PRIVATE: allowPrivate,
}: WebhookConfig): Promise<WebhookParts> => ({
  key: sealingKey(await commandIdSecret()),
  allowPrivate,
});
