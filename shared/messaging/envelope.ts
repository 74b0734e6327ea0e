import Joi from 'joi';
import type { Envelope } from '../command';
import { atMost, id } from '../fields';
import { ROLES } from '../identity/commands';
import { TRACESTATE_MAX } from '../tracing';

/**
 * A command as text in a queue, and back. A queue can be written to by others, so what comes out of
 * it is checked.
 */

export type DecodedMessage =
  | { readonly envelope: Envelope }
  /**
   * `header`: the command, when its envelope can be read and only its type or payload is none of
   * ours. `isLater`: it is a command of a later release, to be left to a worker that knows it.
   */
  | {
      readonly malformed: string;
      readonly header: Envelope | null;
      readonly isLater?: true;
    };

/** The latest format of commands that this release reads: docs/operating/upgrade.md. */
const FORMAT = 1;

/**
 * The last instant that every database can keep: the end of the year 9999, milliseconds since 1970.
 */
const INSTANT_MAX = Date.UTC(10_000, 0) - 1;
/**
 * Ids and names: they are stored as ASCII. One rule each, because joi takes its time for every one,
 * and this is asked of each command.
 */
const ascii = (max: number) =>
  Joi.string().pattern(
    new RegExp(`^[\\x20-\\x7e]{1,${max}}$`),
    `ASCII of at most ${max} characters`,
  );

const envelopeRules = Joi.object<Envelope>({
  version: Joi.number().integer().min(1).optional(),
  commandId: Joi.string().pattern(/^[0-9a-f]{40}$/, 'command id'),
  type: ascii(64),
  key: Joi.string().custom(atMost(600)),
  actor: Joi.object({
    userId: id.allow(null),
    username: Joi.string().custom(atMost(255)).allow(null),
    role: Joi.string().valid(...ROLES),
    isAdmin: Joi.boolean(),
    isIssued: Joi.valid(true).optional(),
  }),
  payload: Joi.object(),
  requestId: ascii(128),
  createdAt: Joi.number().integer().min(0).max(INSTANT_MAX),
  replyTo: ascii(128),
  replyBy: Joi.number().integer(),
  traceparent: ascii(64).allow(null),
  tracestate: ascii(TRACESTATE_MAX).optional(),
  address: ascii(64).optional(),
}).prefs({ presence: 'required', convert: false, allowUnknown: true });

export function encodeEnvelope(envelope: Envelope): string {
  return JSON.stringify(envelope);
}

/**
 * Makes the function that reads commands, of the rules of their payloads by type. The function
 * never throws: a message that is no command of ours comes back as `malformed` with the reason.
 */
export function commandDecoder(
  payloads: Readonly<Record<string, Joi.ObjectSchema>>,
): (content: string) => DecodedMessage {
  // With their preferences in them joi has the rules ready, and does not make them for each
  // message.
  const payloadRules = new Map(
    Object.entries(payloads).map(([type, rules]) => [
      type,
      rules.prefs({ convert: false, allowUnknown: true }),
    ]),
  );
  return (content) => {
    try {
      return decode(JSON.parse(content), payloadRules);
    } catch (error) {
      // Besides bad JSON: a message nested so deeply that whoever walks through it runs out of
      // stack.
      return {
        malformed:
          error instanceof SyntaxError ? 'the message is not JSON' : 'the message cannot be read',
        header: null,
      };
    }
  };
}

function decode(
  parsed: unknown,
  payloadRules: ReadonlyMap<string, Joi.ObjectSchema>,
): DecodedMessage {
  const { error } = envelopeRules.validate(parsed);
  if (error)
    return { malformed: `the message is not a command: ${withoutValue(error)}`, header: null };
  const envelope = parsed as Envelope;
  const rules = payloadRules.get(envelope.type);
  const { type, version = FORMAT } = envelope;
  if (!rules) return { malformed: `there is no command ${type}`, header: envelope, isLater: true };
  if (version > FORMAT)
    return {
      malformed: `there is no version ${version} of ${type}`,
      header: envelope,
      isLater: true,
    };
  const invalid = rules.validate(envelope.payload).error;
  return invalid
    ? {
        malformed: `the payload is not one of ${envelope.type}: ${withoutValue(invalid)}`,
        header: envelope,
      }
    : { envelope };
}

/** Reasons are logged and listed, so they name the field and leave out what stood in it. */
function withoutValue({ message }: Joi.ValidationError): string {
  return message.replace(/ with value ".*"(?= (?:fails|matches))/s, '');
}
