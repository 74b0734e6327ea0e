import Joi from 'joi';
import type { EventMessage } from './transport';

/** A domain event as text on the exchange, and back. */

/** An event as the outbox has it. `data` is JSON text. */
export interface StoredEvent {
  readonly eventId: string;
  readonly type: string;
  readonly occurredAt: Date;
  readonly aggregateId: string;
  readonly commandId: string;
  readonly data: string;
}

export function encodeEvent({ eventId, type, occurredAt, aggregateId, commandId, data }: StoredEvent): EventMessage {
  const head = JSON.stringify({ eventId, type, occurredAt, aggregateId, commandId });
  return { eventId, type, aggregateId, json: `${head.slice(0, -1)},"data":${data}}` };
}

/** Nothing that could end its line in a stream of events. */
const printable = Joi.string().pattern(/^[\x21-\x7e]+$/);

const rules = Joi.object({
  eventId: printable.required(),
  type: printable.required(),
  aggregateId: Joi.string().required(),
}).unknown();

/** Null for what is no event of ours: everybody who may publish at the broker can publish on the exchange. */
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
