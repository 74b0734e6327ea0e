/** The views that clients get. Workers' rows and queries' rows give the same view. */

export const WEBHOOK_STATUSES = ['active', 'disabled'] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

/** `retrying`: it was refused at least once, and later events of its aggregate wait for it. */
export const DELIVERY_STATES = ['pending', 'retrying', 'delivered'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export interface WebhookRow {
  readonly id: number;
  readonly url: string;
  readonly types: readonly string[];
  readonly status: WebhookStatus;
  readonly reason: string | null;
  readonly createdAt: Date;
  readonly modifiedAt: Date;
}

export function webhookView({ id, url, types, status, reason, ...row }: WebhookRow) {
  return {
    webhookId: id,
    url,
    types,
    status,
    reason,
    createdAt: row.createdAt.toISOString(),
    modifiedAt: row.modifiedAt.toISOString(),
  };
}

export type WebhookView = ReturnType<typeof webhookView>;
