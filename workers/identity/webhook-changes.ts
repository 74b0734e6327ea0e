import type { CloudEvent } from '../../shared/messaging/event';
import type { WebhookRow } from '../../shared/webhooks/views';

/** Webhooks, and the changes that commands make to them. */

export interface StoredWebhook extends WebhookRow {
  readonly sealedSecret: string;
  /** The former secret, and until when it is valid. */
  readonly formerSecret: string | null;
  readonly formerUntil: Date | null;
}

/** What commands change of webhooks. */
export type WebhookChange = { readonly webhook: StoredWebhook } & (
  | { readonly kind: 'create' | 'delete' }
  /** `resumes`: waiting deliveries are tried at once. */
  | { readonly kind: 'update'; readonly changed: Partial<StoredWebhook>; readonly resumes: boolean }
  | { readonly kind: 'test'; readonly event: CloudEvent; readonly at: Date }
);
