import Joi from 'joi';
import type { EventMessage } from './transport';

/**
 * A domain event as text: a short line in the outbox, and a CloudEvent 1.0 in JSON (structured
 * mode) on its way.
 */

/** What happened to an aggregate. */
export interface PublishedEvent {
  readonly eventId: string;
  readonly type: string;
  readonly occurredAt: Date;
  readonly aggregateId: string;
  readonly commandId: string;
  /** Place among the events of the aggregate, from 1 and without a gap. */
  readonly sequence: number;
  /** Of the request that sent the command; null without one. */
  readonly traceparent: string | null;
  /** JSON text. */
  readonly data: string;
}

/** An event as subscribers get it. */
export interface CloudEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: string;
  /** The aggregate. */
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: 'application/json';
  readonly dataschema: string;
  readonly commandid: string;
  readonly sequence: number;
  readonly traceparent?: string;
  readonly data: object;
}

/** Media type of an event in structured mode. */
export const CLOUD_EVENT_TYPE = 'application/cloudevents+json';

/** Returns the source of events of a type: their service. */
export const eventSource = (type: string): string => `/lendline/${type.split('.')[0] ?? ''}`;

/** Returns the name of the schema of a type's data, which the AsyncAPI document contains. */
export const dataSchema = (type: string): string => `urn:lendline:event-data:${type}:1`;

/** Returns an event as one line of the outbox. */
export function encodeEvent({
  eventId,
  type,
  occurredAt,
  aggregateId,
  commandId,
  sequence,
  traceparent,
  data,
}: PublishedEvent): string {
  const head = JSON.stringify({
    ...{ eventId, type, occurredAt, aggregateId, commandId, sequence },
    ...(traceparent !== null && { traceparent }),
  });
  return `${head.slice(0, -1)},"data":${data}}`;
}

interface Line {
  readonly eventId: string;
  readonly type: string;
  readonly occurredAt: string;
  readonly aggregateId: string;
  readonly commandId: string;
  /** Undefined in a line of the former release. */
  readonly sequence: number;
  readonly traceparent?: string;
  readonly data: object;
}

/** Returns the message for a line of the outbox. */
export function eventMessage(line: string): EventMessage {
  const { eventId, type, occurredAt, aggregateId, commandId, sequence, traceparent, data } =
    JSON.parse(line) as Line;
  const event: CloudEvent = {
    specversion: '1.0',
    id: eventId,
    source: eventSource(type),
    type,
    subject: aggregateId,
    time: occurredAt,
    datacontenttype: 'application/json',
    dataschema: dataSchema(type),
    commandid: commandId,
    sequence,
    ...(traceparent !== undefined && { traceparent }),
    data,
  };
  return { eventId, type, aggregateId, json: JSON.stringify(event) };
}

/** Excludes everything that could end a line in a stream of events. */
const printable = Joi.string().pattern(/^[\x21-\x7e]+$/);

const rules = Joi.object({
  specversion: Joi.valid('1.0').required(),
  id: printable.required(),
  type: printable.required(),
  subject: Joi.string().required(),
}).unknown();

/** Reads an event, and returns null for anything else. Others may also publish on the exchange. */
export function decodeEvent(content: string): EventMessage | null {
  try {
    const parsed: unknown = JSON.parse(content);
    if (rules.validate(parsed).error) return null;
    const { id, type, subject } = parsed as CloudEvent;
    // Serialised again, so that it is one line.
    return { eventId: id, type, aggregateId: subject, json: JSON.stringify(parsed) };
  } catch {
    return null;
  }
}
