import type { IdentityCommand } from '../../shared/identity/commands';
import type { CloudEvent } from '../../shared/messaging/event';
import { WEBHOOKS_MAX } from '../../shared/webhooks/fields';
import { webhookView, type WebhookRow } from '../../shared/webhooks/views';
import { done, type DecisionContext } from '../batch/service/decision';
import { refuse, type IdentityDecision, type Payload } from './decide-users';
import type { IdentityIds } from './needs';
import type { IdentityView } from './state';
import type { StoredWebhook } from './webhook-changes';

/** Decisions about webhooks. Pure. */

/** How long the former secret stays valid after a rotation, milliseconds: a day. */
const FORMER_SECRET_MS = 24 * 3600 * 1000;
const DISABLED_BY_HAND = 'An administrator has disabled it.';

const noWebhook = (webhookId: number): IdentityDecision =>
  refuse('WEBHOOK_NOT_FOUND', `There is no webhook ${webhookId}.`);

export function createWebhook(
  state: IdentityView,
  { url, types, sealedSecret }: Payload<'identity.create-webhook'>,
  { now, takeId }: DecisionContext<IdentityIds<'identity.create-webhook'>>,
): IdentityDecision {
  if (state.webhookCount >= WEBHOOKS_MAX)
    return refuse(
      'WEBHOOK_LIMIT_REACHED',
      `There are ${WEBHOOKS_MAX} webhooks, which is the limit. Delete one first.`,
    );
  const webhook: StoredWebhook = {
    ...{ id: takeId('webhook'), url, types, status: 'active', reason: null },
    ...{ sealedSecret, formerSecret: null, formerUntil: null },
    ...{ createdAt: now, modifiedAt: now },
  };
  return {
    decision: done({ ...webhookView(webhook), sealedSecret }, [], true),
    changes: { webhook: { kind: 'create', webhook } },
  };
}

type Rotation = Partial<Pick<StoredWebhook, 'sealedSecret' | 'formerSecret' | 'formerUntil'>>;

/** Returns the secrets after a rotation. */
function rotation(before: StoredWebhook, sealedSecret: string | undefined, now: Date): Rotation {
  if (sealedSecret === undefined) return {};
  const formerUntil = new Date(now.getTime() + FORMER_SECRET_MS);
  return { sealedSecret, formerSecret: before.sealedSecret, formerUntil };
}

const standing = (status: WebhookRow['status'] | undefined) =>
  status && { status, reason: status === 'disabled' ? DISABLED_BY_HAND : null };

export function updateWebhook(
  state: IdentityView,
  { webhookId, changes, sealedSecret }: Payload<'identity.update-webhook'>,
  { now }: DecisionContext,
): IdentityDecision {
  const before = state.webhookOf(webhookId);
  if (!before) return noWebhook(webhookId);
  const { url, types, status } = changes;
  const changed = {
    ...(url !== undefined && { url }),
    ...(types && { types }),
    ...standing(status),
    ...rotation(before, sealedSecret, now),
    modifiedAt: now,
  };
  const webhook = { ...before, ...changed };
  const result = { ...webhookView(webhook), ...(sealedSecret !== undefined && { sealedSecret }) };
  const resumes = status === 'active';
  return {
    decision: done(result, []),
    changes: { webhook: { kind: 'update', webhook, changed, resumes } },
  };
}

export function deleteWebhook(
  state: IdentityView,
  { webhookId }: Payload<'identity.delete-webhook'>,
): IdentityDecision {
  const webhook = state.webhookOf(webhookId);
  if (!webhook) return noWebhook(webhookId);
  return { decision: done(null, []), changes: { webhook: { kind: 'delete', webhook } } };
}

/** Type of the event that a test sends to one webhook. */
const TEST_TYPE = 'webhooks.webhook.tested';

export function testWebhook(
  state: IdentityView,
  {
    commandId,
    payload: { webhookId },
  }: Extract<IdentityCommand, { type: 'identity.test-webhook' }>,
  { now }: DecisionContext,
): IdentityDecision {
  const webhook = state.webhookOf(webhookId);
  if (!webhook) return noWebhook(webhookId);
  if (webhook.status === 'disabled')
    return refuse('WEBHOOK_DISABLED', `Webhook ${webhookId} is disabled: ${webhook.reason ?? ''}`);
  const event: CloudEvent = {
    ...{ specversion: '1.0', id: `${commandId}.1`, source: '/lendline/webhooks', type: TEST_TYPE },
    ...{ subject: `webhook:${webhookId}`, time: now.toISOString() },
    datacontenttype: 'application/json',
    dataschema: `urn:lendline:event-data:${TEST_TYPE}:1`,
    ...{ commandid: commandId, sequence: 1, data: { webhookId } },
  };
  return {
    decision: done({ webhookId, eventId: event.id }, []),
    changes: { webhook: { kind: 'test', webhook, event, at: now } },
  };
}
