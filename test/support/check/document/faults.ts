import { statusOf } from '../../../../api/http/responses/problem-kinds';
import { READER_PLACES } from '../../../../api/pages/reader-places';
import type { Exchange } from './exchange';
import type { ApiDocument } from './api-document';
import type { JsonSchema, Operation, Response } from './open-api';
import { requestFaults } from './request-faults';

/** Why an exchange is outside the document; nothing when it is inside. */

const PROBLEM = 'application/problem+json';
/** Files of the pages, which are no operations. */
const PAGE_FILES = /^\/(?:(?:docs|assets)\/|offline\.js$)/;
/** Where the readers' page is shown, which is no operation either. */
const READER_PLACE = new RegExp(`^(?:${READER_PLACES.join('|').replaceAll(/:\w+/g, '[^/]+')})$`);

const isPage = (path: string, method: string): boolean =>
  PAGE_FILES.test(path) || (method === 'GET' && READER_PLACE.test(path));

const typeOf = (contentType: string | undefined): string =>
  contentType?.split(';')[0]?.trim() ?? '';

function bodyFaults(
  document: ApiDocument,
  content: Response['content'],
  { method, headers, body }: Exchange,
): string[] {
  if (method === 'HEAD') return body.length > 0 ? ['a body to HEAD'] : [];
  if (headers['preference-applied']?.includes('return=minimal'))
    return body.length > 0 ? ['a body with return=minimal'] : [];
  if (!content) return body.length > 0 ? ['a body where there is none'] : [];
  const type = typeOf(headers['content-type']);
  const schema = content[type]?.schema;
  if (!schema) return [`content type ${type}`];
  if (!type.endsWith('json')) return [];
  const wrong = document.faults(schema, JSON.parse(body.toString()));
  return wrong === '' ? [] : [`body${wrong}`];
}

/** Headers that every answer may have, and those of every problem with a status. */
const GENERAL: ReadonlySet<string> = new Set(['X-Request-Id', 'RateLimit', 'RateLimit-Policy']);
/** Headers that are absent where nothing was honoured or limited. */
const MAY_BE_ABSENT: ReadonlySet<string> = new Set([
  'RateLimit',
  'RateLimit-Policy',
  'Preference-Applied',
]);
/** The statuses of the problems with a header. */
const STATUSES: Readonly<Record<string, readonly number[]>> = {
  'WWW-Authenticate': [401],
  'Accept-Patch': [415],
  Link: [422],
  'Retry-After': [429, 503],
};
/** A write that is refused with one of these has not become a command. */
const BEFORE_COMMANDS: ReadonlySet<number> = new Set([401, 413, 415, 429]);

const takesPrefer = ({ parameters = [] }: Operation): boolean =>
  parameters.some((one) => 'name' in one && one.name === 'Prefer');

/** Returns whether the document gives an answer a header, by itself or for all answers. */
function isPromised(
  name: string,
  operation: Operation,
  { headers = {} }: Response,
  { method, status }: Exchange,
): boolean {
  if (GENERAL.has(name)) return true;
  if (name === 'Preference-Applied') return takesPrefer(operation) && !BEFORE_COMMANDS.has(status);
  if (name === 'Accept-Patch' && method !== 'PATCH') return false;
  return name in headers && (status < 400 || (STATUSES[name] ?? []).includes(status));
}

function headerFaults(
  document: ApiDocument,
  operation: Operation,
  response: Response,
  exchange: Exchange,
): string[] {
  const { headers } = exchange;
  return Object.entries(document.json.components.headers).flatMap(
    ([name, { schema, required = false }]) => {
      const value = headers[name.toLowerCase()];
      if (!isPromised(name, operation, response, exchange))
        return value === undefined ? [] : [`header ${name}`];
      // A list as CSV is no page of it, which alone has a tag.
      const isCsv = typeOf(headers['content-type']) === 'text/csv';
      const mayBeAbsent = !required && (MAY_BE_ABSENT.has(name) || (isCsv && name === 'ETag'));
      if (value === undefined) return mayBeAbsent ? [] : [`no header ${name}`];
      const wrong = document.faults(schema, schema.type === 'integer' ? Number(value) : value);
      return wrong === '' ? [] : [`header ${name} (${value})${wrong}`];
    },
  );
}

interface ProblemBody {
  readonly status: number;
  readonly code: string;
}

function problemOf({ headers, body }: Exchange): ProblemBody | undefined {
  return typeOf(headers['content-type']) === PROBLEM && body.length > 0
    ? (JSON.parse(body.toString()) as ProblemBody)
    : undefined;
}

/** A problem says the status that it came with, which is that of its code. */
function statusFaults(exchange: Exchange): string[] {
  const { status } = exchange;
  const problem = problemOf(exchange);
  return !problem || (problem.status === status && statusOf(problem.code) === status)
    ? []
    : [`${problem.code} with status ${status} says ${problem.status}`];
}

/** Which operations the shared checks refuse with a code, as the document says in words. */
const REFUSED: Readonly<Record<string, (operation: Operation, template: string) => boolean>> = {
  UNAUTHENTICATED: ({ 'x-who': who }) => who !== 'public',
  FORBIDDEN: ({ 'x-who': who }) => who !== 'public' && who !== 'user',
  INVALID_ID: (_operation, template) => /Id\}/.test(template),
  IDEMPOTENCY_KEY_REUSED: takesPrefer,
  COMMAND_FAILED: takesPrefer,
  ACCEPTANCE_UNKNOWN: takesPrefer,
};

/** The answers under `default` are those of only some operations. */
function codeFaults(operation: Operation, template: string, exchange: Exchange): string[] {
  const { code = '' } = problemOf(exchange) ?? {};
  const isOwn = operation.responses[exchange.status] !== undefined;
  return isOwn || (REFUSED[code]?.(operation, template) ?? true)
    ? []
    : [
        `by the document, ${operation.operationId} does not refuse with ${code}: its \`problems\` lack it`,
      ];
}

/** Returns an answer that every path may give, such as that there is none. */
function generalFaults(
  document: ApiDocument,
  status: number,
  code: string,
  exchange: Exchange,
): string[] {
  if (exchange.status !== status) return [`status ${exchange.status} instead of ${status}`];
  const schema: JsonSchema = {
    allOf: [
      { $ref: '#/components/schemas/Problem' },
      { type: 'object', properties: { code: { const: code } } },
    ],
  };
  return bodyFaults(document, { [PROBLEM]: { schema } }, exchange);
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** Returns what is said of the method of a path that is there. */
function faultsAt(
  document: ApiDocument,
  template: string,
  inPath: Readonly<Record<string, string>>,
  exchange: Exchange,
): string[] {
  const { method, status, headers } = exchange;
  if (method === 'OPTIONS') return status === 204 ? [] : [`status ${status}`];
  const operation =
    document.json.paths[template]?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
  if (!operation)
    return [
      ...(headers['allow'] ? [] : ['no header Allow']),
      ...generalFaults(document, 405, 'METHOD_NOT_ALLOWED', exchange),
    ];
  const response = operation.responses[status] ?? operation.responses['default'];
  if (!response) return [`status ${status} (${exchange.body.toString().slice(0, 300)})`];
  const answered = [
    ...headerFaults(document, operation, response, exchange),
    ...statusFaults(exchange),
    ...codeFaults(operation, template, exchange),
    ...bodyFaults(document, response.content, exchange),
  ];
  // What knows no security takes whatever it is asked: it is for machines that look after the
  // process.
  const isChecked = operation.security?.length !== 0;
  return status < 300 && isChecked
    ? [
        ...answered,
        ...requestFaults(document, operation, inPath, exchange).map(
          (fault) => `accepted: ${fault}`,
        ),
      ]
    : answered;
}

export function faultsOf(document: ApiDocument, exchange: Exchange): string[] {
  const [path = ''] = exchange.url.split('?');
  if (!isDecodable(path)) return generalFaults(document, 400, 'VALIDATION_FAILED', exchange);
  const found = document.find(path);
  if (found) return faultsAt(document, found.template, found.parameters, exchange);
  return isPage(path, exchange.method)
    ? []
    : generalFaults(document, 404, 'ROUTE_NOT_FOUND', exchange);
}
