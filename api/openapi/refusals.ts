import { allowsFirstPassword, sendsCommands, type DocumentedRoute } from '../http/endpoint';
import { kindOf, statusOf, type KnownCode } from '../http/responses/problem-kinds';
import type { Components } from './components';
import type { HeaderName } from './headers';
import { namesReadOnly } from './joi-schema';
import { problem } from './problems';

/**
 * Returns the problems in which an operation may end. Those of its own stand under their status,
 * with what the shared checks refuse with that status. All else that these refuse stands under
 * `default`, once for reads and once for writes; the document says in words which operations it is
 * about.
 */

const takesBody = (route: DocumentedRoute): boolean =>
  route.body !== undefined || sendsCommands(route);

/** A check that operations share: which of them run it, and what it refuses. */
interface SharedCheck {
  readonly codes: readonly KnownCode[];
  readonly concerns: (route: DocumentedRoute) => boolean;
  /** Only operations that take a body or send a command run it. */
  readonly ofWrites?: boolean;
}

/** Those of all endpoints (api/http/mount.ts), and what follows from being a write. */
const SHARED_CHECKS: readonly SharedCheck[] = [
  { codes: ['VALIDATION_FAILED', 'RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE'], concerns: () => true },
  { codes: ['TOKEN_INVALID', 'TOKEN_EXPIRED', 'TOKEN_REVOKED'], concerns: () => true },
  { codes: ['UNAUTHENTICATED'], concerns: ({ who }) => who !== 'public' },
  { codes: ['FORBIDDEN'], concerns: ({ who }) => who !== 'public' && who !== 'user' },
  { codes: ['PASSWORD_CHANGE_REQUIRED'], concerns: (route) => !allowsFirstPassword(route) },
  { codes: ['INVALID_ID'], concerns: ({ path }) => /:"?\w+Id\b/.test(path) },
  {
    codes: ['MALFORMED_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
    concerns: takesBody,
    ofWrites: true,
  },
  {
    codes: ['READ_ONLY_FIELD'],
    concerns: ({ body }) => body !== undefined && namesReadOnly(body),
    ofWrites: true,
  },
  {
    codes: ['IDEMPOTENCY_KEY_REUSED', 'COMMAND_FAILED', 'ACCEPTANCE_UNKNOWN'],
    concerns: sendsCommands,
    ofWrites: true,
  },
];

const codesOf = (checks: readonly SharedCheck[]): KnownCode[] =>
  checks.flatMap(({ codes }) => codes);

/** Codes by their status, in the order of both. */
function byStatus(codes: readonly KnownCode[]): [status: number, codes: KnownCode[]][] {
  const sorted = [...new Set(codes)].sort();
  const statuses = [...new Set(sorted.map(statusOf))].sort((a, b) => a - b);
  return statuses.map((status) => [status, sorted.filter((code) => statusOf(code) === status)]);
}

/** Returns what the codes mean, in their order. */
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

/** Returns an answer with one of these codes. */
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

/** Returns the answers of an operation that are problems. */
export function refusalsOf(
  route: DocumentedRoute,
  components: Components,
): Readonly<Record<string, object>> {
  const isBare = route.kind === 'bare';
  const shared = isBare ? [] : codesOf(SHARED_CHECKS.filter(({ concerns }) => concerns(route)));
  const own = new Set((route.doc.problems ?? []).map(statusOf));
  const answers = byStatus([...shared, ...(route.doc.problems ?? [])])
    .filter(([status]) => own.has(status))
    .map(([status, codes]) => [status, problemAnswer(components, describeCodes(codes), codes)]);
  const refused = Object.fromEntries(answers) as Record<string, object>;
  if (isBare) return refused;
  const isWrite = takesBody(route);
  const common = SHARED_CHECKS.filter(({ ofWrites = false }) => isWrite || !ofWrites);
  const name = isWrite ? 'RefusedWrite' : 'Refused';
  components.responses[name] ??= problemAnswer(
    components,
    'Refused by a check that operations share, or failed.',
    byStatus(codesOf(common)).flatMap(([, codes]) => codes),
    [
      ...(['X-Request-Id', 'RateLimit', 'RateLimit-Policy'] as const),
      ...(isWrite ? (['Preference-Applied'] as const) : []),
    ],
  );
  return { ...refused, default: { $ref: `#/components/responses/${name}` } };
}
