import { allowsFirstPassword, sendsCommands, type DocumentedRoute } from '../http/endpoint';
import { kindOf, statusOf, type KnownCode } from '../http/responses/problem-kinds';
import type { Components } from './components';
import type { HeaderName } from './headers';
import { namesReadOnly } from './joi-schema';
import { problem } from './problems';

/**
 * The problems in which an operation may end. Those of its own stand under their status, with what
 * the shared checks refuse with that status. All else that these refuse stands under `default`,
 * once for reads and once for writes; the document says in words which operations it is about.
 */

/**
 * What follows from the checks that all endpoints share (api/http/mount.ts), and from being a
 * write.
 */
function generalCodes(route: DocumentedRoute): readonly KnownCode[] {
  const { who, kind, path, body } = route;
  if (kind === 'bare') return [];
  const takesBody = body !== undefined || sendsCommands(route);
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
    ...(sendsCommands(route)
      ? (['IDEMPOTENCY_KEY_REUSED', 'COMMAND_FAILED', 'ACCEPTANCE_UNKNOWN'] as const)
      : []),
  ];
}

/** Codes by their status, in the order of both. */
function byStatus(codes: readonly KnownCode[]): [status: number, codes: KnownCode[]][] {
  const sorted = [...new Set(codes)].sort();
  const statuses = [...new Set(sorted.map(statusOf))].sort((a, b) => a - b);
  return statuses.map((status) => [status, sorted.filter((code) => statusOf(code) === status)]);
}

/** What the codes mean, in their order. */
const describeCodes = (codes: readonly KnownCode[]): string =>
  codes.map((code) => `${kindOf(code)[1]}.`).join(' ');

/** Headers of the problems with a status. */
const OF_STATUS: Readonly<Record<number, HeaderName>> = {
  401: 'WWW-Authenticate',
  415: 'Accept-Patch',
  422: 'Link',
  429: 'Retry-After',
  503: 'Retry-After',
};

/** An answer with one of these codes. */
function problemAnswer(
  components: Components,
  description: string,
  codes: readonly KnownCode[],
  ofAll: readonly HeaderName[] = [],
): object {
  const own = codes.flatMap((code) => OF_STATUS[statusOf(code)] ?? []);
  const headers = [...new Set([...ofAll, ...own])].map((name) => [
    name,
    { $ref: `#/components/headers/${name}` },
  ]);
  const schema = components.refer({ allOf: [problem, { properties: { code: { enum: codes } } }] });
  return {
    description,
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) as object }),
    content: { 'application/problem+json': { schema } },
  };
}

/** What the checks that operations have in common refuse. */
const OF_ALL: readonly KnownCode[] = [
  'VALIDATION_FAILED',
  'INVALID_ID',
  'UNAUTHENTICATED',
  'TOKEN_INVALID',
  'TOKEN_EXPIRED',
  'TOKEN_REVOKED',
  'FORBIDDEN',
  'PASSWORD_CHANGE_REQUIRED',
  'RATE_LIMITED',
  'INTERNAL',
  'UNAVAILABLE',
];
/** What they refuse besides of what takes a body or sends a command. */
const OF_WRITES: readonly KnownCode[] = [
  'MALFORMED_JSON',
  'READ_ONLY_FIELD',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'IDEMPOTENCY_KEY_REUSED',
  'COMMAND_FAILED',
  'ACCEPTANCE_UNKNOWN',
];

/** The answers of an operation that are problems. */
export function refusalsOf(
  route: DocumentedRoute,
  components: Components,
): Readonly<Record<string, object>> {
  const general = generalCodes(route);
  const own = new Set((route.doc.problems ?? []).map(statusOf));
  const answers = byStatus([...general, ...(route.doc.problems ?? [])])
    .filter(([status]) => own.has(status))
    .map(([status, codes]) => [status, problemAnswer(components, describeCodes(codes), codes)]);
  const refused = Object.fromEntries(answers) as Record<string, object>;
  if (general.length === 0) return refused;
  const isWrite = route.body !== undefined || sendsCommands(route);
  const name = isWrite ? 'RefusedWrite' : 'Refused';
  components.responses[name] ??= problemAnswer(
    components,
    'Refused by a check that operations have in common, or failed.',
    byStatus([...OF_ALL, ...(isWrite ? OF_WRITES : [])]).flatMap(([, codes]) => codes),
    [
      ...(['X-Request-Id', 'RateLimit', 'RateLimit-Policy'] as const),
      ...(isWrite ? (['Preference-Applied'] as const) : []),
    ],
  );
  return { ...refused, default: { $ref: `#/components/responses/${name}` } };
}
