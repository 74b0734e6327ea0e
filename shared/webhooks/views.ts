/** The shapes that clients see, made the same way from a worker's rows and from a query's. */

export const WEBHOOK_STATUSES = ['active', 'disabled'] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

/** `retrying`: it was refused at least once, and what follows of its aggregate waits. */
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
