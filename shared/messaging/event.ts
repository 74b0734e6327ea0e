import Joi from 'joi';
import type { EventMessage } from './transport';

/** A domain event as text, in the outbox and on the exchange, and back. */

/** What happened to an aggregate. */
export interface PublishedEvent {
  readonly eventId: string;
  readonly type: string;
  readonly occurredAt: Date;
  readonly aggregateId: string;
  readonly commandId: string;
  /** JSON text. */
  readonly data: string;
}

/** The event as one line. */
export function encodeEvent({
  eventId,
  type,
  occurredAt,
  aggregateId,
  commandId,
  data,
}: PublishedEvent): string {
  const head = JSON.stringify({ eventId, type, occurredAt, aggregateId, commandId });
  return `${head.slice(0, -1)},"data":${data}}`;
}

/** The message for a line of our own. */
export function eventMessage(json: string): EventMessage {
  const { eventId, type, aggregateId } = JSON.parse(json) as EventMessage;
  return { eventId, type, aggregateId, json };
}

/** Nothing that could end its line in a stream of events. */
const printable = Joi.string().pattern(/^[\x21-\x7e]+$/);

const rules = Joi.object({
  eventId: printable.required(),
  type: printable.required(),
  aggregateId: Joi.string().required(),
}).unknown();

/**
 * Null for what is no event of ours: everybody who may publish at the broker can publish on the
 * exchange.
 */
export function decodeEvent(content: string): EventMessage | null {
  try {
    const parsed: unknown = JSON.parse(content);
    if (rules.validate(parsed).error) return null;
    const { eventId, type, aggregateId } = parsed as EventMessage;
    // Written anew, so that it is one line.
    return { eventId, type, aggregateId, json: JSON.stringify(parsed) };
  } catch {
    return null;
  }
}
