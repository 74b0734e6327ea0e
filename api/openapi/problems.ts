import { allowsFirstPassword, type DocumentedRoute } from '../http/endpoint';
import { kindOf, statusOf, type KnownCode } from '../http/problem-kinds';
import { namesReadOnly } from './joi-schema';
import { arrayOf, count, id, object, text, type JsonSchema } from './schema';

/** Which problems an operation may end in, and how they look. */

const fault = object(
  'Fault',
  { field: text, code: text, message: text },
  { field: 'page', code: 'OUT_OF_RANGE', message: 'page must be at least 1' },
);

/** What stands in the way of a refused write. */
const IDS = ['bookInfoId', 'borrowId', 'holdId', 'courseId', 'subscriptionId'] as const;

const base = object('Problem', {
  type: { type: 'string', const: 'about:blank' },
  title: text,
  status: count,
  code: text,
  detail: text,
  requestId: text,
});

/** RFC 9457. */
export const problem: JsonSchema = {
  ...base,
  description:
    'RFC 9457. `code` is stable; `detail` is a sentence for people. `errors` names every fault of a request that is not valid; ids name what stands in the way; `commandId` is that of a command which may have been accepted.',
  properties: {
    ...base.properties,
    errors: arrayOf(fault),
    commandId: text,
    borrowIds: arrayOf(id),
    ...Object.fromEntries(IDS.map((name) => [name, id])),
  },
  examples: [
    {
      type: 'about:blank',
      title: 'No copy is available',
      status: 409,
      code: 'OUT_OF_STOCK',
      detail: 'No copy of book info 42 is available.',
      requestId: '0b1c',
      bookInfoId: 42,
    },
  ],
};

/**
 * What follows from the checks that all endpoints share (api/http/mount.ts), and from being a
 * write.
 */
function codesOf(route: DocumentedRoute): readonly KnownCode[] {
  const { who, kind, path, body, doc } = route;
  const own = doc.problems ?? [];
  if (kind === 'bare') return own;
  const takesBody = body !== undefined || kind === 'write';
  return [
    'VALIDATION_FAILED',
    ...(/:"?\w+Id\b/.test(path) ? (['INVALID_ID'] as const) : []),
    ...(takesBody
      ? (['MALFORMED_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const)
      : []),
    ...(body && namesReadOnly(body) ? (['READ_ONLY_FIELD'] as const) : []),
    ...(who === 'public' ? [] : (['UNAUTHENTICATED'] as const)),
    ...(who === 'public' || who === 'user' ? [] : (['FORBIDDEN'] as const)),
    ...(allowsFirstPassword(route) ? [] : (['PASSWORD_CHANGE_REQUIRED'] as const)),
    ...([
      'TOKEN_INVALID',
      'TOKEN_EXPIRED',
      'TOKEN_REVOKED',
      'RATE_LIMITED',
      'INTERNAL',
      'UNAVAILABLE',
    ] as const),
    ...(kind === 'write'
      ? (['IDEMPOTENCY_KEY_REUSED', 'COMMAND_FAILED', 'ACCEPTANCE_UNKNOWN'] as const)
      : []),
    ...own,
  ];
}

/** The codes of an operation by status, in the order of both. */
export function problemsByStatus(route: DocumentedRoute): [status: number, codes: KnownCode[]][] {
  const codes = [...new Set(codesOf(route))].sort();
  const statuses = [...new Set(codes.map(statusOf))].sort((a, b) => a - b);
  return statuses.map((status) => [status, codes.filter((code) => statusOf(code) === status)]);
}

/** A problem of one of these codes. */
export function problemSchema(status: number, codes: readonly KnownCode[]): JsonSchema {
  return {
    allOf: [
      problem,
      { type: 'object', properties: { status: { const: status }, code: { enum: codes } } },
    ],
  };
}

export const describeCodes = (codes: readonly KnownCode[]): string =>
  codes.map((code) => `\`${code}\`: ${kindOf(code)[1].toLowerCase()}`).join('; ') + '.';
