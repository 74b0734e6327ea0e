import { CLOUD_EVENT_TYPE, dataSchema, eventSource } from '../../shared/messaging/event';
import { EVENTS_EXCHANGE } from '../../shared/messaging/topology';
import type { Endpoint } from '../http/endpoint';
import { Components } from '../openapi/components';
import { VERSION } from '../openapi/document';
import { documentEndpoint } from '../openapi/routes';
import type { JsonSchema } from '../openapi/schema';
import { cloudEvent, exampleEvent } from './schemas';

/** Makes the AsyncAPI document: every event, its channels and its data. */

const DESCRIPTION = `Domain events of library lending, post tagging and course subscriptions, as CloudEvents 1.0 in structured mode.

- **Atomic.** An event is stored in the transaction of its change.
- **At least once.** After a crash an event may come again, with the same \`id\`.
- **In order.** The events of one \`subject\` come in the order of its changes. Their \`sequence\` has no gap.

The embedded default has no broker. There events are had over HTTP alone.`;

const BINDING_VERSION = '0.3.0';

/** `lending.book-info.created` as `LendingBookInfoCreated`. */
const nameOf = (type: string): string =>
  type
    .split(/[.-]/)
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('');

/** Returns the title of an event: `Book info created` for `lending.book-info.created`. */
function titleOf(type: string): string {
  const words = type.split('.').slice(1).join(' ').replaceAll('-', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

function payloadOf(type: string, data: JsonSchema): JsonSchema {
  return {
    title: `${nameOf(type)}Event`,
    allOf: [
      cloudEvent,
      {
        type: 'object',
        properties: {
          source: { const: eventSource(type) },
          type: { const: type },
          dataschema: { const: dataSchema(type) },
          data,
        },
      },
    ],
  };
}

const exampleOf = ({ examples }: JsonSchema): unknown =>
  Array.isArray(examples) ? (examples as unknown[])[0] : {};

const reference = (path: string) => ({ $ref: `#/${path}` });

function messageOf(type: string, data: JsonSchema, components: Components): object {
  return {
    name: type,
    title: titleOf(type),
    contentType: CLOUD_EVENT_TYPE,
    payload: components.refer(payloadOf(type, data)),
    bindings: { amqp: { messageType: type, bindingVersion: BINDING_VERSION } },
    examples: [{ payload: exampleEvent(type, 'book-info:42', exampleOf(data)) }],
  };
}

/** On the broker, the routing key of an event is its type. */
const brokerChannel = (type: string): object => ({
  address: type,
  title: titleOf(type),
  servers: [reference('servers/broker')],
  messages: { [type]: reference(`components/messages/${type}`) },
  bindings: {
    amqp: {
      is: 'routingKey',
      exchange: { name: EVENTS_EXCHANGE, type: 'topic', durable: true, autoDelete: false },
      bindingVersion: BINDING_VERSION,
    },
  },
});

const streamChannel = (types: readonly string[]): object => ({
  address: '/api/events',
  title: 'Stream of all events',
  description: 'Server-sent events: `id`, `event` (the type) and `data` (the event).',
  servers: [reference('servers/api')],
  messages: Object.fromEntries(
    types.map((type) => [type, reference(`components/messages/${type}`)]),
  ),
});

/**
 * @param dataSchemas of the data of each type of event.
 * @throws Error when two schemas have the same name.
 */
export function asyncApiDocument(dataSchemas: Readonly<Record<string, JsonSchema>>): object {
  const components = new Components();
  const types = Object.keys(dataSchemas);
  const messages = Object.fromEntries(
    Object.entries(dataSchemas).map(([type, data]) => [type, messageOf(type, data, components)]),
  );
  const operations = types.map((type) => [
    `publish${nameOf(type)}`,
    { action: 'send', title: titleOf(type), channel: reference(`channels/${type}`) },
  ]);
  return {
    asyncapi: '3.1.0',
    info: {
      title: 'Lendline events',
      version: VERSION,
      description: DESCRIPTION,
      contact: { name: 'The maintainers of Lendline' },
    },
    defaultContentType: CLOUD_EVENT_TYPE,
    servers: {
      broker: {
        host: '127.0.0.1:5672',
        protocol: 'amqp',
        protocolVersion: '0.9.1',
        description: 'RabbitMQ, as RABBITMQ_URL names it.',
      },
      api: { host: '127.0.0.1:3000', protocol: 'http', description: 'The API.' },
    },
    channels: {
      ...Object.fromEntries(types.map((type) => [type, brokerChannel(type)])),
      events: streamChannel(types),
    },
    operations: {
      ...Object.fromEntries<object>(operations as [string, object][]),
      streamEvents: {
        action: 'send',
        title: 'Stream of all events',
        channel: reference('channels/events'),
        bindings: { http: { method: 'GET', bindingVersion: BINDING_VERSION } },
      },
    },
    components: { messages, schemas: components.schemas },
  };
}

export const asyncApiEndpoint = (dataSchemas: Readonly<Record<string, JsonSchema>>): Endpoint =>
  documentEndpoint({
    path: '/asyncapi.json',
    id: 'getEventsDocument',
    summary: 'The events',
    standard: 'AsyncAPI 3.1',
    document: () => asyncApiDocument(dataSchemas),
  });
