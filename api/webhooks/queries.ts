import { Webhook, WebhookDelivery } from '../../shared/webhooks/tables';
import { webhookView, type DeliveryState, type WebhookView } from '../../shared/webhooks/views';
import { limitsOf, type Page } from '../http/requests/paging';
import { countUpTo, withTotal, type Found } from '../reads/found';

/** Returns the reads of webhooks. */

const viewOf = (webhook: Webhook): WebhookView =>
  webhookView({
    ...webhook.get({ plain: true }),
    types: JSON.parse(webhook.types) as readonly string[],
  });

export async function findWebhooks(page: Page): Promise<Found<WebhookView>> {
  const rows = await Webhook.findAll({ order: ['id'], ...limitsOf(page) });
  return withTotal(page, rows.map(viewOf), () => countUpTo(Webhook, {}));
}

export async function findWebhook(webhookId: number): Promise<WebhookView | null> {
  const webhook = await Webhook.findByPk(webhookId);
  return webhook && viewOf(webhook);
}

export interface DeliveryView {
  readonly deliveryId: number;
  readonly eventId: string;
  readonly type: string;
  readonly aggregateId: string;
  readonly status: DeliveryState;
  readonly attempts: number;
  readonly answerStatus: number | null;
  readonly error: string | null;
  readonly nextAttemptAt: string | null;
  readonly createdAt: string;
  readonly deliveredAt: string | null;
}

const deliveryView = (row: WebhookDelivery): DeliveryView => ({
  deliveryId: row.id,
  eventId: row.eventId,
  type: row.type,
  aggregateId: row.aggregateId,
  status: row.state,
  attempts: row.attempts,
  answerStatus: row.answer,
  error: row.error,
  nextAttemptAt: row.state === 'delivered' ? null : row.nextAt.toISOString(),
  createdAt: row.createdAt.toISOString(),
  deliveredAt: row.doneAt?.toISOString() ?? null,
});

export interface DeliveryFilters extends Page {
  readonly webhookId: number;
  readonly status?: DeliveryState;
}

/** Deliveries of a webhook, the newest first. */
export async function findDeliveries(filters: DeliveryFilters): Promise<Found<DeliveryView>> {
  const { webhookId, status } = filters;
  const where = { webhookId, ...(status && { state: status }) };
  const rows = await WebhookDelivery.findAll({
    where,
    order: [['id', 'DESC']],
    ...limitsOf(filters),
  });
  return withTotal(filters, rows.map(deliveryView), () => countUpTo(WebhookDelivery, where));
}
