import type { JsonSchema } from './schema';

/** The headers of requests and answers that mean something here. */

interface Header {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly required?: boolean;
}

const always = (description: string, schema: JsonSchema): Header => ({
  description,
  required: true,
  schema,
});
const text: JsonSchema = { type: 'string', minLength: 1 };
const ENTITY_TAG: JsonSchema = { type: 'string', pattern: '^(W/)?"[^"]*"$' };

const some = (description: string, schema: JsonSchema): Header => ({ description, schema });

/** Of answers, by name. Where one is required it is always there; else it says when. */
export const ANSWER_HEADERS = {
  'X-Request-Id': always(
    "The id of the request: the client's own, when it is fit for a log line.",
    { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  ),
  'X-Total-Count': always('The number of items in the whole list, as far as it was counted.', {
    type: 'integer',
    minimum: 0,
  }),
  Link: some('RFC 8288: the pages of a list; or, with 422, the page that describes a problem.', {
    type: 'string',
    pattern: 'rel="(first|describedby)"',
  }),
  ETag: some(
    'For `If-None-Match`, and for `If-Match` where a change takes it; absent for a list as CSV.',
    ENTITY_TAG,
  ),
  Location: always('The path of what was made, or of the command that was promised.', {
    type: 'string',
    pattern: '^/',
  }),
  'Retry-After': some('With 429 and 503: seconds after which to try again.', {
    type: 'integer',
    minimum: 1,
  }),
  RateLimit: some(
    'How many requests are left to this client and for how many seconds; absent when they are not limited.',
    text,
  ),
  'RateLimit-Policy': some(
    'The limit, and the seconds that it is for; absent when requests are not limited.',
    text,
  ),
  'Accept-Patch': some('RFC 5789, with 415: the media types that the PATCH takes.', {
    type: 'string',
    pattern: 'application/merge-patch\\+json',
  }),
  'WWW-Authenticate': some('With 401: the scheme of the token.', {
    type: 'string',
    const: 'Bearer',
  }),
  'Preference-Applied': some(
    'The part of `Prefer` that was honoured; absent when the request was refused before it became a command.',
    { type: 'string', pattern: '^((respond-async|wait=\\d+|return=minimal)(, |$))+$' },
  ),
} as const satisfies Readonly<Record<string, Header>>;

export type HeaderName = keyof typeof ANSWER_HEADERS;

/** Without examples: pages that try requests would send them, each time the same key. */
const requestHeader = (name: string, description: string, schema: JsonSchema) => ({
  name,
  in: 'header',
  description,
  schema,
});

/** Of requests, by their name among the components. */
export const REQUEST_HEADERS = {
  Prefer: requestHeader(
    'Prefer',
    'RFC 7240. `wait=n` waits at most n seconds (0 to 30) for the final answer. `respond-async` asks for the promise (202) at once. `return=minimal` asks for a final answer without a body: 204 in place of 200, or 201 with its headers. A preference that is not understood is ignored.',
    text,
  ),
  IdempotencyKey: requestHeader(
    'Idempotency-Key',
    'In quotes or without. For 24 hours after its last answer, the same key with the same request of the same user is the same command: one effect and one answer, however often it is sent. Another request with the key is 422. Without a token, the key belongs to the request: only the same request again is the same command.',
    { type: 'string', minLength: 1, maxLength: 512, pattern: '^[\\x20-\\x7e]+$' },
  ),
  IfMatch: requestHeader(
    'If-Match',
    'Change only the version with this ETag, otherwise answer 412. For a title such as `"3.1-2"`, only the first number counts: a borrow makes no new version.',
    text,
  ),
  LastEventId: requestHeader(
    'Last-Event-ID',
    'The id of the last event that the client has; browsers send it by themselves when they reconnect.',
    text,
  ),
  IfNoneMatch: requestHeader('If-None-Match', 'Answer 304 when this ETag still holds.', text),
};
