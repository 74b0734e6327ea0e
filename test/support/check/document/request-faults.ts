import type { Exchange } from './exchange';
import type { ApiDocument } from './api-document';
import type { JsonSchema, Operation, Parameter } from './open-api';

/** Returns why a request is outside the document; asked of those that were accepted. */

const plus = (text: string): string => text.replaceAll('+', ' ');

/**
 * The operations whose query has a list without a name, in which a plus is a plus; the document
 * says so in words.
 */
const UNNAMED: ReadonlySet<string> = new Set([
  'findPostsByTags',
  'feedPostsByTags',
  'streamPostsByTags',
]);

/** Name and value of each part of a query; `known` are the names of the parameters. */
function queryOf(
  { operationId }: Operation,
  query: string,
  known: ReadonlySet<string>,
): [name: string, value: string][] {
  const parts = query.split('&').filter((part) => part !== '');
  if (!UNNAMED.has(operationId)) {
    return parts.map((part): [string, string] => {
      const [name = '', ...value] = part.split('=');
      return [decodeURIComponent(plus(name)), decodeURIComponent(plus(value.join('=')))];
    });
  }
  const list = parts.findIndex(
    (part) =>
      !part.includes('=') ||
      (part.indexOf('=') === part.length - 1 && !known.has(decodeURIComponent(part.slice(0, -1)))),
  );
  return parts.map((part, index): [string, string] => {
    const [name = '', ...value] =
      index === list ? ['tags', part.replace(/=$/, '')] : part.split('=');
    return [decodeURIComponent(name), decodeURIComponent(value.join('='))];
  });
}

/** Returns what a text stands for, where the schema says that it is no text. */
function valueOf({ type }: JsonSchema, text: string): unknown {
  if (type === 'integer')
    return /^(0|-?[1-9][0-9]*)$/.test(text) ? Math.min(Number(text), Number.MAX_VALUE) : text;
  if (type === 'boolean')
    return ({ true: true, false: false } as Record<string, boolean>)[text] ?? text;
  return type === 'array' ? text.split(',') : text;
}

function parameterFaults(
  document: ApiDocument,
  { name, in: place, required, allowEmptyValue = false, schema }: Parameter,
  values: readonly string[],
): string[] {
  const [first] = values;
  if (first === undefined) return required ? [`${place} ${name} is missing`] : [];
  if (values.length > 1 && schema.type !== 'array') return [`${place} ${name} is repeated`];
  if (first === '' && allowEmptyValue) return [];
  const wrong = document.faults(schema, valueOf(schema, values.join(',')));
  return wrong === '' ? [] : [`${place} ${name} (${first.slice(0, 100)})${wrong}`];
}

/** Without the byte order mark, which a reader of JSON may ignore (RFC 8259), and this one does. */
const textOf = (bytes: Buffer): string => new TextDecoder().decode(bytes);

function bodyFaults(
  document: ApiDocument,
  { requestBody }: Operation,
  { method, requestBody: bytes }: Exchange,
): string[] {
  if (!requestBody) {
    const text = textOf(bytes);
    return method === 'GET' || method === 'HEAD' || text === '' || /^\s*\{\s*\}\s*$/.test(text)
      ? []
      : ['a body that is not in the document'];
  }
  if (bytes.length === 0) return requestBody.required ? ['no body'] : [];
  const wrong = document.faults(
    requestBody.content['application/json']!.schema,
    JSON.parse(textOf(bytes)),
  );
  return wrong === '' ? [] : [`body${wrong}`];
}

export function requestFaults(
  document: ApiDocument,
  operation: Operation,
  inPath: Readonly<Record<string, string>>,
  exchange: Exchange,
): string[] {
  const parameters = (operation.parameters ?? []).map((parameter) =>
    document.resolved<Parameter>(parameter),
  );
  const known = new Set(
    parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
  );
  const query = queryOf(operation, exchange.url.split('?').slice(1).join('?'), known);
  const valuesOf = ({ name, in: place }: Parameter): string[] => {
    if (place === 'path') return [decodeURIComponent(inPath[name] ?? '')];
    if (place === 'query') return query.filter(([one]) => one === name).map(([, value]) => value);
    const header = exchange.requestHeaders[name.toLowerCase()];
    return header === undefined ? [] : [header];
  };
  const unknown = query
    .filter(([name]) => !known.has(name))
    .map(([name]) => `query ${name} is not in the document`);
  return [
    ...parameters.flatMap((parameter) => parameterFaults(document, parameter, valuesOf(parameter))),
    ...unknown,
    ...bodyFaults(document, operation, exchange),
  ];
}
