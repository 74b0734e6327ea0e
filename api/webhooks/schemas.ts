import { DELIVERY_STATES, WEBHOOK_STATUSES, type WebhookView } from '../../shared/webhooks/views';
import { arrayOf, count, id, instant, nullable, object, oneOf, text } from '../openapi/schema';
import type { DeliveryView } from './queries';

/** What clients see of webhooks, for the document. */

const at = '2026-03-02T10:00:00.000Z';
const members = {
  webhookId: id,
  url: text,
  types: arrayOf(text),
  status: oneOf(WEBHOOK_STATUSES),
  reason: nullable(text),
  createdAt: instant,
  modifiedAt: instant,
};
const borrows: WebhookView = {
  webhookId: 3,
  url: 'https://example.org/hook',
  types: ['lending.borrow'],
  status: 'active',
  reason: null,
  ...{ createdAt: at, modifiedAt: at },
};

export const webhook = object<WebhookView>('Webhook', members, borrows);

const secret = {
  ...text,
  description: 'What its deliveries are signed with. It is displayed only once.',
};

export const newWebhook = object<WebhookView & { readonly secret: string }>(
  'NewWebhook',
  { ...members, secret },
  { ...borrows, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
);

/** `secret` is present when it was changed. */
export const changedWebhook = {
  ...object<WebhookView>('ChangedWebhook', members, borrows),
  properties: { ...members, secret },
};

/** As the command keeps it: the secret is sealed. */
export const storedWebhook = {
  ...object<WebhookView>('StoredWebhook', members, borrows),
  properties: { ...members, sealedSecret: text },
};

export const webhookTest = object<{ readonly webhookId: number; readonly eventId: string }>(
  'WebhookTest',
  { webhookId: id, eventId: text },
  { webhookId: 3, eventId: `${'f3c1'.repeat(10)}.1` },
);

export const delivery = object<DeliveryView>(
  'WebhookDelivery',
  {
    deliveryId: id,
    eventId: text,
    type: text,
    aggregateId: text,
    status: oneOf(DELIVERY_STATES),
    attempts: count,
    answerStatus: nullable(count),
    error: nullable(text),
    nextAttemptAt: nullable(instant),
    createdAt: instant,
    deliveredAt: nullable(instant),
  },
  {
    deliveryId: 71,
    eventId: `${'f3c1'.repeat(10)}.1`,
    ...{ type: 'lending.borrow.created', aggregateId: 'book-info:42' },
    ...{ status: 'retrying', attempts: 2, answerStatus: 503, error: 'it answered 503' },
    ...{ nextAttemptAt: '2026-03-02T10:00:25.000Z', createdAt: at, deliveredAt: null },
  },
);
