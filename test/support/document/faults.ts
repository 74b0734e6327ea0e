import type { Exchange } from './exchange';
import type { ApiDocument, Header, JsonSchema, Response } from './open-api';
import { requestFaults } from './request-faults';

/** Why an exchange is outside the document; nothing when it is inside. */

const PROBLEM = 'application/problem+json';
/** Files of the pages, which are no operations. */
const PAGE_FILES = /^\/(docs|assets)\//;

const typeOf = (contentType: string | undefined): string =>
  contentType?.split(';')[0]?.trim() ?? '';

function bodyFaults(
  document: ApiDocument,
  content: Response['content'],
  { method, headers, body }: Exchange,
): string[] {
  if (method === 'HEAD') return body.length > 0 ? ['a body to HEAD'] : [];
  if (!content) return body.length > 0 ? ['a body where there is none'] : [];
  const type = typeOf(headers['content-type']);
  const schema = content[type]?.schema;
  if (!schema) return [`content type ${type}`];
  if (!type.endsWith('json')) return [];
  const wrong = document.faults(schema, JSON.parse(body.toString()));
  return wrong === '' ? [] : [`body${wrong}`];
}

function headerFaults(
  document: ApiDocument,
  { headers: promised = {} }: Response,
  { headers }: Exchange,
): string[] {
  return Object.keys(document.json.components.headers).flatMap((name) => {
    const value = headers[name.toLowerCase()];
    const promise = promised[name];
    if (!promise) return value === undefined ? [] : [`header ${name}`];
    const { required, schema } = document.resolved<Header>(promise);
    // A list as CSV is no page of it, which alone has a tag.
    const isCsv = typeOf(headers['content-type']) === 'text/csv';
    if (value === undefined)
      return required && !(isCsv && name === 'ETag') ? [`no header ${name}`] : [];
    const wrong = document.faults(schema, schema.type === 'integer' ? Number(value) : value);
    return wrong === '' ? [] : [`header ${name} (${value})${wrong}`];
  });
}

/** An answer that every path may give, such as that there is none. */
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

/** What is said of the method of a path that is there. */
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
  const response = operation.responses[status];
  if (!response) return [`status ${status} (${exchange.body.toString().slice(0, 300)})`];
  const answered = [
    ...headerFaults(document, response, exchange),
    ...bodyFaults(document, response.content, exchange),
  ];
  // What knows no security takes whatever it is asked: it is for machines that look after the
  // process.
  const isChecked = operation.security.length > 0;
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
  return PAGE_FILES.test(path) ? [] : generalFaults(document, 404, 'ROUTE_NOT_FOUND', exchange);
}
