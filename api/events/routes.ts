import Joi from 'joi';
import { TYPE_FORM, typeFits } from '../../shared/messaging/event-types';
import type { EventMessage } from '../../shared/messaging/transport';
import { sendAnswer } from '../http/responses/answer';
import type { Answer, Endpoint, Input } from '../http/endpoint';
import { queryForm, queryInteger } from '../http/requests/query-rules';
import { text } from '../openapi/schema';
import type { JsonSchema } from '../openapi/schema';
import { asyncApiEndpoint } from './asyncapi';
import { eventsPage, type EventPage } from './history';
import { eventPage } from './schemas';
import type { EventStreams } from './streams';

/** Domain events for administrators: as they happen, or read again. */

const EVENT_FORM = /^[\x21-\x7e]{0,100}$/;
const AGGREGATE_FORM = /^[a-z][a-z-]{0,30}:[1-9][0-9]{0,15}$/;

/** Most events of a page, and how many one has that does not say. */
const PAGE_SIZE_MAX = 1000;
const PAGE_SIZE_DEFAULT = 100;

interface Filter {
  readonly type?: string;
  readonly aggregateId?: string;
}

interface Query extends Filter {
  readonly after?: string;
  readonly size?: number;
}

const queryOf = (eventTypes: readonly string[]) =>
  Joi.object({
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
    after: queryForm(EVENT_FORM, 'the id of an event, or empty').allow(''),
    size: queryInteger({ min: 1, max: PAGE_SIZE_MAX, clamp: true }),
  });

/** Returns whether an event passes: the type begins with the words of the filter. */
export function eventFilter({
  type,
  aggregateId,
}: Filter): (event: Pick<EventMessage, 'type' | 'aggregateId'>) => boolean {
  const words = type?.split('.') ?? [];
  return (event) =>
    typeFits(words, event.type) && (aggregateId === undefined || aggregateId === event.aggregateId);
}

function pageAnswer({ items, next, more }: EventPage): Answer {
  const events = items.map(({ json }) => json).join();
  return {
    status: 200,
    json: `{"items":[${events}],"next":${JSON.stringify(next)},"more":${more}}`,
  };
}

/** `schemas`: of the data of each type of event. */
export function eventEndpoints(
  streams: EventStreams,
  schemas: Readonly<Record<string, JsonSchema>>,
): Endpoint[] {
  const query = queryOf(Object.keys(schemas));
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
        summary: 'Domain events, as they happen or from the past',
        description:
          'Without `after`, server-sent events, each a CloudEvent. With `after`, a page of the events that are kept (`EVENT_RETENTION_DAYS`), in the order of each aggregate: begin with `after=`, and go on with the `next` of each page. `/asyncapi.json` has the data of each type.',
        lastEventId: true,
        problems: ['RATE_LIMITED', 'EVENT_NOT_KEPT'],
        answers: {
          200: {
            description: 'The stream; or, with `after`, a page.',
            schema: text,
            type: 'text/event-stream',
            alternatives: { 'application/json': eventPage },
          },
        },
      },
      async stream(input: Input<undefined, Query>, request, response) {
        const { after, size = PAGE_SIZE_DEFAULT } = input.query;
        const fits = eventFilter(input.query);
        if (after === undefined)
          await streams.serve(input, response, { fits, after: input.header('last-event-id') });
        else sendAnswer(request, response, pageAnswer(await eventsPage({ after, size, fits })));
      },
    },
    asyncApiEndpoint(schemas),
  ];
}
