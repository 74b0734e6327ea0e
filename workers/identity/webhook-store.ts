import { Webhook, WebhookDelivery } from '../../shared/webhooks/tables';
import { insert, insertIgnoring, instant, optionalInstant } from '../batch/sql/statements';
import type { Row, Statement } from '../batch/sql/transaction';
import type { StoredWebhook, WebhookChange } from './webhook-changes';

/** Reads and writes the rows of webhooks. */

export function webhookOf(row: Row): StoredWebhook {
  return {
    id: Number(row.id),
    url: row.url as string,
    types: JSON.parse(row.types as string) as readonly string[],
    status: row.status as StoredWebhook['status'],
    reason: row.reason as string | null,
    sealedSecret: row.sealed_secret as string,
    formerSecret: row.former_secret as string | null,
    formerUntil: optionalInstant(row.former_until),
    createdAt: instant(row.created_at),
    modifiedAt: instant(row.modified_at),
  };
}

const COLUMNS: Readonly<Record<string, string>> = {
  url: 'url',
  types: 'types',
  status: 'status',
  reason: 'reason',
  sealedSecret: 'sealed_secret',
  formerSecret: 'former_secret',
  formerUntil: 'former_until',
  modifiedAt: 'modified_at',
};
const stored = (value: unknown): unknown => (Array.isArray(value) ? JSON.stringify(value) : value);

/**
 * Writes only what the command has changed, because a delivery may disable the webhook at the same
 * time.
 */
function update(id: number, changed: Partial<StoredWebhook>): Statement {
  const entries = Object.entries(changed);
  const sets = entries.map(([name]) => `${COLUMNS[name]} = ?`).join(', ');
  const values = [...entries.map(([, value]) => stored(value)), id];
  return { sql: `UPDATE webhook SET ${sets} WHERE id = ?`, values };
}

function statementsOf(change: WebhookChange): Statement[] {
  const { webhook } = change;
  const { id } = webhook;
  switch (change.kind) {
    case 'create':
      return insert(Webhook, [{ ...webhook, types: JSON.stringify(webhook.types) }]);
    case 'update': {
      const resume = {
        sql: "UPDATE webhook_delivery SET next_at = ?, first_at = NULL WHERE webhook_id = ? AND state = 'retrying'",
        values: [webhook.modifiedAt, id],
      };
      return [update(id, change.changed), ...(change.resumes ? [resume] : [])];
    }
    case 'delete':
      // Its deliveries are many, so housekeeping removes them.
      return [{ sql: 'DELETE FROM webhook WHERE id = ?', values: [id] }];
    case 'test': {
      const { event, at } = change;
      const { id: eventId, type, subject: aggregateId } = event;
      const body = JSON.stringify(event);
      const about = { webhookId: id, eventId, type, aggregateId, body };
      return insertIgnoring(WebhookDelivery, [
        { ...about, state: 'pending', nextAt: at, createdAt: at },
      ]);
    }
  }
}

/** Returns the writes of these changes, in order. */
export const webhookStatements = (changes: readonly WebhookChange[]): Statement[] =>
  changes.flatMap(statementsOf);
