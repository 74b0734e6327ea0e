import { sendsCommands, type DocumentedRoute } from '../http/endpoint';
import type { Components } from './components';
import type { AnswerDoc } from './doc';
import type { HeaderName, REQUEST_HEADERS } from './headers';
import { bodySchema, parametersOf } from './joi-schema';
import { describedParameter } from './parameters';
import { refusalsOf } from './refusals';
import { id, object, oneOf, text } from './schema';
import type { Operation } from './share';

/** One operation of the document, made of an endpoint. */

export interface Promised {
  readonly commandId: string;
  readonly status: 'queued';
  readonly statusUrl: string;
}

const promised = object<Promised>(
  'PromisedCommand',
  { commandId: text, status: oneOf(['queued']), statusUrl: text },
  { commandId: '01a2101d07ee…', status: 'queued', statusUrl: '/api/commands/01a2101d07ee…' },
);

const PROMISE: AnswerDoc = {
  description:
    'Promised: the command is stored and will be carried out exactly once. Its result will be at `statusUrl`.',
  schema: promised,
  headers: ['Location', 'Preference-Applied'],
};

/** Returns the answer that replaces 200 with `Prefer: return=minimal`. */
const minimal = ({ headers = [] }: AnswerDoc): AnswerDoc => ({
  description: 'Done, as for 200, without a body because of `Prefer: return=minimal`.',
  headers,
});

const WHO = {
  public: 'For everybody.',
  user: 'For every user.',
  self: 'For that user and administrators.',
  lecturer: 'For lecturers and administrators.',
  admin: 'For administrators.',
};

/** A description that begins with who may call says more than the role. */
const NAMES_WHO = /^For [^.;]*administrators/;

function descriptionOf({ who, kind, doc: { description = '' } }: DocumentedRoute): string {
  if (kind === 'bare') return 'For machines: without a token or parameters.';
  return NAMES_WHO.test(description) ? description : `${WHO[who]} ${description}`.trimEnd();
}

/** Returns the path as OpenAPI writes it: `{userId}` for `:userId` and for `:"userId"`. */
export const templateOf = (path: string): string =>
  path.replace(
    /:"(\w+)"|:(\w+)/g,
    (_all, quoted?: string, plain?: string) => `{${quoted ?? plain ?? ''}}`,
  );

const headerRef = (name: HeaderName) => [name, { $ref: `#/components/headers/${name}` }] as const;

/** Headers that an answer has beside those which the document names once for all. */
const headersOf = (names: readonly HeaderName[] = []): object =>
  names.length === 0 ? {} : { headers: Object.fromEntries(names.map(headerRef)) };

function parameters({ path, kind, query, doc }: DocumentedRoute, components: Components): object[] {
  const names = [...path.matchAll(/:"?(\w+)/g)].map(([, name = '']) => name);
  const inPath = names.map((name) => {
    const schema = name.endsWith('Id') ? id : doc.params?.[name];
    if (!schema) throw new Error(`${path} does not say what ${name} is`);
    return { name, in: 'path', required: true, ...describedParameter(name, schema, components) };
  });
  const rules = doc.query ?? query;
  const inQuery = rules
    ? parametersOf(rules).map(({ schema, ...parameter }) => ({
        ...parameter,
        in: 'query',
        ...describedParameter(parameter.name, schema, components),
        ...(schema.type === 'array' && { style: 'form', explode: false }),
      }))
    : [];
  const headers: (keyof typeof REQUEST_HEADERS)[] = [
    ...(sendsCommands({ kind }) ? (['Prefer', 'IdempotencyKey'] as const) : []),
    ...(doc.ifMatch ? (['IfMatch'] as const) : []),
    ...(doc.lastEventId ? (['LastEventId'] as const) : []),
    ...(304 in doc.answers ? (['IfNoneMatch'] as const) : []),
  ];
  return [
    ...inPath,
    ...inQuery,
    ...headers.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
}

/** Names the schema of a body after its operation. */
const bodyTitle = (operationId: string): string =>
  `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Request`;

function requestBody({ method, body, doc }: DocumentedRoute, components: Components): object {
  if (!body) return {};
  const schema = bodySchema(body);
  const required =
    schema['required'] !== undefined ||
    schema['oneOf'] !== undefined ||
    schema['minProperties'] !== undefined;
  const content = { schema: components.refer({ title: bodyTitle(doc.id), ...schema }) };
  return {
    requestBody: {
      required,
      content: {
        'application/json': { ...content, ...(doc.example && { example: doc.example }) },
        ...(method === 'patch' && { 'application/merge-patch+json': content }),
      },
    },
  };
}

function answer(
  components: Components,
  { description, schema, type = 'application/json', alternatives, headers }: AnswerDoc,
): object {
  const bodies = Object.entries({ ...(schema && { [type]: schema }), ...alternatives }).map(
    ([mediaType, one]) => [mediaType, { schema: components.refer(one) }],
  );
  return {
    description,
    ...headersOf(headers),
    ...(bodies.length > 0 && { content: Object.fromEntries(bodies) as object }),
  };
}

export function operationOf(route: DocumentedRoute, components: Components): Operation {
  const { who, kind, doc } = route;
  const { 200: done } = doc.answers;
  const answers: Readonly<Record<number, AnswerDoc>> = {
    ...(kind === 'write' && done && !('decorate' in route) && { 204: minimal(done) }),
    ...doc.answers,
    ...(kind === 'write' && { 202: PROMISE }),
  };
  const final = Object.entries(answers).map(
    ([status, one]) => [status, answer(components, one)] as const,
  );
  const given = parameters(route, components);
  const operation = {
    operationId: doc.id,
    tags: [doc.tag],
    summary: doc.summary,
    description: descriptionOf(route),
    'x-who': who,
    ...(who === 'public' && { security: kind === 'bare' ? [] : [{}, { bearer: [] }] }),
    ...(given.length > 0 && { parameters: given }),
    ...requestBody(route, components),
    responses: { ...Object.fromEntries<object>(final), ...refusalsOf(route, components) },
  };
  return operation;
}
