import Joi from 'joi';
import { TYPE_FORM, typeFits } from '../messaging/event-types';
import { SECRET_FORM } from './secret';
import { WEBHOOK_STATUSES, type WebhookStatus } from './views';

/** The fields of a webhook, for requests and commands. */

const URL_LENGTH_MAX = 2000;
const TYPES_MAX = 50;
/** Most webhooks of an installation. Each has some connections of its own. */
export const WEBHOOKS_MAX = 50;
/** Commands about webhooks go to one queue, which counts them. */
export const WEBHOOKS_KEY = 'webhooks';

export interface WebhookChanges {
  readonly url?: string;
  readonly types?: readonly string[];
  readonly status?: WebhookStatus;
}

const url = Joi.string()
  .max(URL_LENGTH_MAX)
  .custom((text: string, helpers) => {
    if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return helpers.error('text.url');
    const { username, password, hash } = new URL(text);
    return username || password || hash ? helpers.error('text.url') : text;
  })
  .meta({
    schema: {
      title: 'WebhookUrl',
      maxLength: URL_LENGTH_MAX,
      pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^#]+$',
      description: 'An http or https address without a user, a password or a fragment.',
    },
  })
  .messages({
    'text.url':
      '{{#label}} must be an http or https address without a user, a password or a fragment',
  });

/** `eventTypes`: the types that exist. Commands are not checked against them. */
const types = (eventTypes: readonly string[] | null) =>
  Joi.array()
    .items(
      Joi.string()
        .pattern(TYPE_FORM, 'event type')
        .custom((text: string, helpers) =>
          eventTypes?.some((type) => typeFits(text.split('.'), type)) === false
            ? helpers.error('text.type')
            : text,
        ),
    )
    .min(1)
    .max(TYPES_MAX)
    .messages({
      'string.pattern.name':
        '{{#label}} must be an event type or its first words, with * for any one word, such as lending.borrow.*',
      'text.type': `{{#label}} must fit an event type: ${eventTypes?.join(', ')}`,
    });

export const webhookFields = (eventTypes: readonly string[] | null) => ({
  url,
  types: types(eventTypes),
  status: Joi.string().valid(...WEBHOOK_STATUSES),
  secret: Joi.string()
    .pattern(SECRET_FORM, 'secret')
    .messages({ 'string.pattern.name': '{{#label}} must be whsec_ and 24 to 64 bytes in base64' }),
});

export const webhookVariables = {
  WEBHOOK_ALLOW_PRIVATE: Joi.boolean()
    .default(false)
    .description(
      'Whether webhooks may lead to private networks, loopback and the like. The same for APIs and ' +
        'workers.',
    ),
};

export interface WebhookConfig {
  readonly WEBHOOK_ALLOW_PRIVATE: boolean;
}
