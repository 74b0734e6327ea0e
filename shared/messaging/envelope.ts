import Joi from 'joi';
import type { Envelope } from '../command';
import { id } from '../fields';
import { ROLES } from '../identity/commands';
import { services } from '../services';
import { serviceOf } from './topology';

/** A command as text in a queue, and back. A queue can be written to by others, so what comes out of it is checked. */

export type DecodedMessage = { readonly envelope: Envelope } | { readonly malformed: string };

const envelopeRules = Joi.object({
  commandId: Joi.string().hex().length(40),
  type: Joi.string().max(64),
  key: Joi.string().max(600),
  actor: Joi.object({
    userId: id.allow(null),
    username: Joi.string().max(255).allow(null),
    role: Joi.string().valid(...ROLES),
    isAdmin: Joi.boolean().strict(),
  }),
  payload: Joi.object(),
  requestId: Joi.string().max(128),
  createdAt: Joi.number().integer(),
  replyTo: Joi.string().max(128),
  replyBy: Joi.number().integer(),
  traceparent: Joi.string().max(64).allow(null),
}).prefs({ presence: 'required', convert: false });

export function encodeEnvelope(envelope: Envelope): string {
  return JSON.stringify(envelope);
}

/** Never throws: a message that is no command of ours comes back as `malformed` with the reason. */
export function decodeEnvelope(content: string): DecodedMessage {
  let parsed: unknown;
  try {
    parsed = JSON.parse(content);
  } catch {
    return { malformed: 'the message is not JSON' };
  }
  const { error } = envelopeRules.validate(parsed);
  if (error) return { malformed: `the message is not a command: ${error.message}` };
  const envelope = parsed as Envelope;
  const known: Partial<Record<string, Record<string, Joi.ObjectSchema>>> = services;
  const payloads = known[serviceOf(envelope.type)];
  const rules = payloads?.[envelope.type];
  if (!rules) return { malformed: `there is no command ${envelope.type}` };
  const invalid = rules.validate(envelope.payload, { convert: false }).error;
  return invalid ? { malformed: `the payload is not one of ${envelope.type}: ${invalid.message}` } : { envelope };
}
