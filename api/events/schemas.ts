import { dataSchema, eventSource, type CloudEvent } from '../../shared/messaging/event';
import {
  arrayOf,
  flag,
  id,
  instant,
  nullable,
  object,
  oneOf,
  optional,
  text,
  type JsonSchema,
  type Schema,
} from '../openapi/schema';

/** What clients see of events, for the documents. */

const COMMAND_ID = 'f3c1'.repeat(10);

/** Returns an event as an example shows it. */
export const exampleEvent = (type: string, subject: string, data: unknown): object => ({
  specversion: '1.0',
  id: `${COMMAND_ID}.1`,
  source: eventSource(type),
  type,
  subject,
  time: '2026-03-02T10:00:00.000Z',
  datacontenttype: 'application/json',
  dataschema: dataSchema(type),
  commandid: COMMAND_ID,
  sequence: 17,
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  data,
});

const described = <Value>(schema: Schema<Value>, description: string): Schema<Value> => ({
  ...schema,
  description,
});

const members = optional<CloudEvent>(
  object<Required<CloudEvent>>('CloudEvent', {
    specversion: oneOf(['1.0'] as const),
    id: described(text, 'Unique. The same event may come twice, with the same id.'),
    source: described(
      { ...text, format: 'uri-reference' },
      'The service: `/lendline/lending`, `/lendline/posts` or `/lendline/courses`.',
    ),
    type: text,
    subject: described(text, 'The aggregate that changed, such as `book-info:42`.'),
    time: described(instant, 'When the change was decided.'),
    datacontenttype: oneOf(['application/json'] as const),
    dataschema: described({ ...text, format: 'uri' }, 'Names the form of `data`.'),
    commandid: described(text, 'The command that made the change.'),
    sequence: described(id, 'Place among the events of the aggregate: 1, 2, 3, without a gap.'),
    traceparent: described(text, 'W3C trace context of the request. Absent without one.'),
    data: { type: 'object' },
  }),
  ['traceparent'],
);

/** An event of any type. */
export const cloudEvent: JsonSchema = {
  ...members,
  description: 'A domain event, as CloudEvents 1.0 says.',
  examples: [exampleEvent('lending.book-info.deleted', 'book-info:42', { bookInfoId: 42 })],
};

/** Events that are read again. */
export const eventPage = object('EventPage', {
  items: arrayOf(cloudEvent),
  next: described(nullable(text), 'The `after` of the next page. Null when there is no event.'),
  more: described(flag, 'Whether the next page may have events now.'),
});
