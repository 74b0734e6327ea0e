import Joi from 'joi';
import type { EventMessage } from '../../shared/messaging/transport';
import { eventTypes } from '../../shared/services';
import type { Endpoint, Input } from '../http/endpoint';
import { queryForm } from '../http/query-rules';
import { text } from '../openapi/schema';
import type { EventStreams } from './streams';

/** Domain events as they happen, as a stream for administrators. */

/** One to three words of an event type, with `*` for any one word. */
const TYPE_FORM = /^(?:\*|[a-z][a-z-]{0,30})(?:\.(?:\*|[a-z][a-z-]{0,30})){0,2}$/;
const AGGREGATE_FORM = /^[a-z][a-z-]{0,30}:[1-9][0-9]{0,15}$/;

interface Filter {
  readonly type?: string;
  readonly aggregateId?: string;
}

/** Whether a type begins with the words of a filter. */
const typeFits = (words: readonly string[], type: string): boolean => {
  const given = type.split('.');
  return words.every((word, index) => word === '*' || word === given[index]);
};

const query = Joi.object({
  type: queryForm(
    TYPE_FORM,
    'an event type or its first words, with * for any one word, such as lending.borrow.*',
  )
    .custom((text: string, helpers) =>
      eventTypes.some((type) => typeFits(text.split('.'), type))
        ? text
        : helpers.error('text.type'),
    )
    .messages({
      'text.type': `{{#label}} must fit one of the event types: ${eventTypes.join(', ')}`,
    }),
  aggregateId: queryForm(AGGREGATE_FORM, 'the name and id of an aggregate, such as book-info:42'),
});

/** Whether an event passes: the type begins with the words of the filter. */
export function eventFilter({
  type,
  aggregateId,
}: Filter): (event: Pick<EventMessage, 'type' | 'aggregateId'>) => boolean {
  const words = type?.split('.') ?? [];
  return (event) =>
    typeFits(words, event.type) && (aggregateId === undefined || aggregateId === event.aggregateId);
}

export function eventEndpoints(streams: EventStreams): Endpoint[] {
  return [
    {
      method: 'get',
      path: '/api/events',
      who: 'admin',
      kind: 'stream',
      query,
      doc: {
        id: 'streamEvents',
        tag: 'Commands',
        summary: 'Every change as it happens, as server-sent events',
        description:
          'The data of an event is `{eventId, type, occurredAt, aggregateId, commandId, data}`. With `Last-Event-ID` the events after that one come first, for an hour; when it is older, or not known, an event `gap` says so, and the stream goes on from now. A token has one stream at an API: a new one takes its place, and the former ends with an event `replaced`. A user has ten.',
        lastEventId: true,
        problems: ['RATE_LIMITED'],
        answers: {
          200: {
            description: 'The stream, which ends when the client goes or lags too far behind.',
            schema: text,
            type: 'text/event-stream',
          },
        },
      },
      stream: (input: Input<undefined, Filter>, _request, response) =>
        streams.serve(input, response, {
          fits: eventFilter(input.query),
          after: input.header('last-event-id'),
        }),
    },
  ];
}
