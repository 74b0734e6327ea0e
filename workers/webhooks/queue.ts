import type { Transaction } from 'sequelize';
import { typeFits } from '../../shared/messaging/event-types';
import type { EventMessage } from '../../shared/messaging/transport';
import { Webhook, WebhookDelivery } from '../../shared/webhooks/tables';

/** Most rows of one INSERT, which has to fit into MySQL's packet. */
const ROWS_AT_A_TIME = 200;

/**
 * Puts events, in order, into the queues of the active webhooks that want them. It does so in the
 * transaction that marks the events as published, so that none is missed. An event that is already
 * there is left alone.
 */
export async function queueDeliveries(
  events: readonly EventMessage[],
  transaction: Transaction,
  now: Date,
): Promise<void> {
  const webhooks = await Webhook.findAll({ where: { status: 'active' }, transaction });
  const rows = webhooks.flatMap(({ id: webhookId, types }) => {
    const wanted = (JSON.parse(types) as string[]).map((type) => type.split('.'));
    return events
      .filter(({ type }) => wanted.some((words) => typeFits(words, type)))
      .map(({ eventId, type, aggregateId, json: body }) => ({
        ...{ webhookId, eventId, type, aggregateId, body, state: 'pending' as const },
        ...{ nextAt: now, createdAt: now },
      }));
  });
  for (let start = 0; start < rows.length; start += ROWS_AT_A_TIME)
    await WebhookDelivery.bulkCreate(rows.slice(start, start + ROWS_AT_A_TIME), {
      ignoreDuplicates: true,
      transaction,
    });
}
