import type { QueryInterface } from 'sequelize';
import { createTable, dialectOf, seedIds } from './dialect';

/**
 * Creates webhooks and their deliveries: each event once for each webhook, in the order of the ids.
 * A delivery keeps its event until the receiver has accepted it.
 */
export async function up(query: QueryInterface): Promise<void> {
  const { autoId, id, instant, ascii, text, longText } = dialectOf(query);
  await createTable(query, {
    name: 'webhook',
    columns: [
      `id ${id}`,
      `url ${text(2000)} NOT NULL`,
      `types ${longText} NOT NULL`,
      `sealed_secret ${ascii(255)} NOT NULL`,
      `former_secret ${ascii(255)} NULL`,
      `former_until ${instant} NULL`,
      `status ${ascii(16)} NOT NULL`,
      `reason ${text(500)} NULL`,
      `created_at ${instant} NOT NULL`,
      `modified_at ${instant} NOT NULL`,
    ],
  });
  await createTable(query, {
    name: 'webhook_delivery',
    columns: [
      `id ${autoId}`,
      'webhook_id BIGINT NOT NULL',
      `event_id ${ascii(64)} NOT NULL`,
      `type ${ascii(64)} NOT NULL`,
      `aggregate_id ${text(600)} NOT NULL`,
      `body ${longText} NULL`,
      `state ${ascii(16)} NOT NULL`,
      'attempts INTEGER NOT NULL DEFAULT 0',
      `first_at ${instant} NULL`,
      `next_at ${instant} NOT NULL`,
      'answer INTEGER NULL',
      `error ${text(255)} NULL`,
      `created_at ${instant} NOT NULL`,
      `done_at ${instant} NULL`,
    ],
    unique: { webhook_delivery_once: 'webhook_id, event_id' },
    index: {
      webhook_delivery_state: 'webhook_id, state, id',
      webhook_delivery_done: 'done_at, created_at',
    },
  });
  await seedIds(query, ['webhook']);
}
