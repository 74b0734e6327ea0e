import Joi from 'joi';
import { namesPrivateHost } from '../../shared/webhooks/addresses';
import { webhookFields, WEBHOOKS_KEY, type WebhookChanges } from '../../shared/webhooks/fields';
import type { WebhookParts } from '../../shared/webhooks/parts';
import { newWebhookSecret, sealed, unsealed } from '../../shared/webhooks/secret';
import { DELIVERY_STATES } from '../../shared/webhooks/views';
import type { Draft, Endpoint, Input } from '../http/endpoint';
import { listAnswer, pageRules, type Page } from '../http/requests/paging';
import { Problem } from '../http/responses/problem';
import { rejectFaults } from '../http/requests/validate';
import { created, listed, noContent, shown } from '../openapi/doc';
import { findDeliveries, findWebhook, findWebhooks, type DeliveryFilters } from './queries';
import { changedWebhook, delivery, newWebhook, webhook, webhookTest } from './schemas';

/** Webhooks, for administrators. */

export interface WebhookRouteOptions extends WebhookParts {
  /** Of all services. */
  readonly eventTypes: readonly string[];
}

const noSuchWebhook = (webhookId: number): Problem =>
  new Problem('WEBHOOK_NOT_FOUND', `There is no webhook ${webhookId}.`);
const idOf = ({ params }: Pick<Input, 'params'>): number => params['webhookId'] as number;

async function namedWebhook(input: Pick<Input, 'params'>) {
  const found = await findWebhook(idOf(input));
  if (!found) throw noSuchWebhook(idOf(input));
  return found;
}

function checkHost(address: string | undefined, { allowPrivate }: WebhookRouteOptions): void {
  if (allowPrivate || address === undefined || !namesPrivateHost(new URL(address))) return;
  const message = 'url must not lead to a private network, unless WEBHOOK_ALLOW_PRIVATE is true';
  rejectFaults([{ field: 'url', code: 'NOT_ALLOWED', message }]);
}

/** Adds the secret to the answer. The outcome keeps it sealed. */
const showSecret =
  ({ key }: WebhookRouteOptions) =>
  ({ sealedSecret, ...result }: Record<string, unknown>) => ({
    ...result,
    ...(typeof sealedSecret === 'string' && { secret: unsealed(sealedSecret, key) }),
  });

type Fields = ReturnType<typeof webhookFields>;

interface NewWebhook {
  readonly url: string;
  readonly types: readonly string[];
  readonly secret?: string;
}

const SIGNED =
  'Deliveries are signed as [Standard Webhooks](https://www.standardwebhooks.com) says. The command that `statusUrl` names shows no secret.';

const create = (options: WebhookRouteOptions, fields: Fields): Endpoint => ({
  method: 'post',
  path: '/api/webhooks',
  who: 'admin',
  kind: 'write',
  body: Joi.object({
    url: fields.url.required(),
    types: fields.types.required(),
    secret: fields.secret,
  }),
  doc: {
    id: 'createWebhook',
    tag: 'Webhooks',
    summary: 'Send events to an address',
    description: `Every later event whose type begins with one of \`types\` is sent, as a CloudEvent. Without a \`secret\` one is made. ${SIGNED}`,
    answers: created(newWebhook),
    problems: ['WEBHOOK_LIMIT_REACHED'],
    example: { url: 'https://example.org/hook', types: ['lending.borrow'] },
  },
  location: ({ webhookId }) => `/api/webhooks/${String(webhookId)}`,
  command: ({ body }: Input<NewWebhook>): Draft => {
    checkHost(body.url, options);
    const sealedSecret = sealed(body.secret ?? newWebhookSecret(), options.key);
    const payload = { url: body.url, types: body.types, sealedSecret };
    return { type: 'identity.create-webhook', key: WEBHOOKS_KEY, payload };
  },
  decorate: showSecret(options),
});

const list: Endpoint = {
  method: 'get',
  path: '/api/webhooks',
  who: 'admin',
  kind: 'read',
  query: Joi.object(pageRules()),
  doc: {
    id: 'listWebhooks',
    tag: 'Webhooks',
    summary: 'Webhooks',
    answers: listed(webhook),
  },
  handle: async (input: Input<unknown, Page>) =>
    listAnswer(input, input.query, await findWebhooks(input.query)),
};

const detail: Endpoint = {
  method: 'get',
  path: '/api/webhooks/:webhookId',
  who: 'admin',
  kind: 'read',
  doc: {
    id: 'getWebhook',
    tag: 'Webhooks',
    summary: 'One webhook',
    description: '`reason` says why it is disabled.',
    answers: shown(webhook),
    problems: ['WEBHOOK_NOT_FOUND'],
  },
  handle: async (input: Input) => ({ status: 200, body: await namedWebhook(input) }),
};

interface Changes extends WebhookChanges {
  readonly secret?: string;
  readonly rotateSecret?: true;
}

const update = (options: WebhookRouteOptions, fields: Fields): Endpoint => ({
  method: 'patch',
  path: '/api/webhooks/:webhookId',
  who: 'admin',
  kind: 'write',
  body: Joi.object({ ...fields, rotateSecret: Joi.boolean().strict().valid(true) })
    .min(1)
    .oxor('secret', 'rotateSecret'),
  doc: {
    id: 'updateWebhook',
    tag: 'Webhooks',
    summary: 'Change, disable or resume a webhook, or rotate its secret',
    description: `\`rotateSecret\` makes a new secret, \`secret\` sets one. For a day, deliveries are signed with the new and the former secret. \`active\` resumes a disabled webhook with the events that wait, and sends those that failed at once. ${SIGNED}`,
    answers: shown(changedWebhook),
    problems: ['WEBHOOK_NOT_FOUND'],
    example: { rotateSecret: true },
  },
  command: (input: Input<Changes>): Draft => {
    const { secret: given, rotateSecret, ...changes } = input.body;
    checkHost(changes.url, options);
    const next = rotateSecret ? newWebhookSecret() : given;
    const payload = {
      webhookId: idOf(input),
      changes,
      ...(next !== undefined && { sealedSecret: sealed(next, options.key) }),
    };
    return { type: 'identity.update-webhook', key: WEBHOOKS_KEY, payload };
  },
  decorate: showSecret(options),
});

const remove: Endpoint = {
  method: 'delete',
  path: '/api/webhooks/:webhookId',
  who: 'admin',
  kind: 'write',
  doc: {
    id: 'deleteWebhook',
    tag: 'Webhooks',
    summary: 'Delete a webhook, with what waits to be sent to it',
    answers: noContent('Deleted.'),
    problems: ['WEBHOOK_NOT_FOUND'],
  },
  command: (input: Input): Draft => ({
    type: 'identity.delete-webhook',
    key: WEBHOOKS_KEY,
    payload: { webhookId: idOf(input) },
  }),
};

const test: Endpoint = {
  method: 'post',
  path: '/api/webhooks/:webhookId/test',
  who: 'admin',
  kind: 'write',
  doc: {
    id: 'testWebhook',
    tag: 'Webhooks',
    summary: 'Send a test event',
    description:
      'An event `webhooks.webhook.tested` goes to this webhook alone. What came of it stands among its deliveries.',
    answers: shown(webhookTest),
    problems: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_DISABLED'],
  },
  command: (input: Input): Draft => ({
    type: 'identity.test-webhook',
    key: WEBHOOKS_KEY,
    payload: { webhookId: idOf(input) },
  }),
};

const deliveries: Endpoint = {
  method: 'get',
  path: '/api/webhooks/:webhookId/deliveries',
  who: 'admin',
  kind: 'read',
  query: Joi.object({ status: Joi.string().valid(...DELIVERY_STATES), ...pageRules() }),
  doc: {
    id: 'listWebhookDeliveries',
    tag: 'Webhooks',
    summary: 'What was sent to a webhook, and what waits',
    description: 'The newest first. Delivered ones are kept for `EVENT_RETENTION_DAYS`.',
    answers: listed(delivery),
    problems: ['WEBHOOK_NOT_FOUND'],
  },
  handle: async (input: Input<unknown, Omit<DeliveryFilters, 'webhookId'>>) => {
    const { webhookId } = await namedWebhook(input);
    const filters = { ...input.query, webhookId };
    return listAnswer(input, filters, await findDeliveries(filters));
  },
};

export function webhookEndpoints(options: WebhookRouteOptions): Endpoint[] {
  const fields = webhookFields(options.eventTypes);
  return [create(options, fields), list, detail, update(options, fields), remove, test, deliveries];
}
