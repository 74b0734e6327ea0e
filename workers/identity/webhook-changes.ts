import type { CloudEvent } from '../../shared/messaging/event';
import type { WebhookRow } from '../../shared/webhooks/views';

/** Webhooks as their commands know and change them. */

export interface StoredWebhook extends WebhookRow {
  readonly sealedSecret: string;
  /** The secret before, and until when it is valid. */
  readonly formerSecret: string | null;
  readonly formerUntil: Date | null;
}

/** What commands change of webhooks. */
export type WebhookChange = { readonly webhook: StoredWebhook } & (
  | { readonly kind: 'create' | 'delete' }
  /** `resumes`: what waits for another attempt is tried at once. */
  | { readonly kind: 'update'; readonly changed: Partial<StoredWebhook>; readonly resumes: boolean }
  | { readonly kind: 'test'; readonly event: CloudEvent; readonly at: Date }
);
