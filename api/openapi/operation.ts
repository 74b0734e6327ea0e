import type { DocumentedRoute } from '../http/endpoint';
import type { KnownCode } from '../http/problem-kinds';
import type { Components } from './components';
import type { AnswerDoc } from './doc';
import { ANSWER_HEADERS, type HeaderName, type REQUEST_HEADERS } from './headers';
import { bodySchema, parametersOf } from './joi-schema';
import { describedParameter } from './parameters';
import { describeCodes, problemSchema, problemsByStatus } from './problems';
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
  { commandId: 'lg7Jx3…', status: 'queued', statusUrl: '/api/commands/lg7Jx3…' },
);

const PROMISE: AnswerDoc = {
  description:
    'Promised: the command is stored and will be carried out exactly once. Its result will be at `statusUrl`.',
  schema: promised,
  headers: ['Location'],
};

const WHO = {
  public: 'For everybody.',
  user: 'For everybody who is signed in.',
  self: 'For the user whom the path names, and administrators.',
  lecturer: 'For lecturers and administrators.',
  admin: 'For administrators.',
};

/** The path as OpenAPI writes it: `{userId}` for `:userId` and for `:"userId"`. */
export const templateOf = (path: string): string =>
  path.replace(
    /:"(\w+)"|:(\w+)/g,
    (_all, quoted?: string, plain?: string) => `{${quoted ?? plain ?? ''}}`,
  );

const headerRef = (name: HeaderName) => [name, { $ref: `#/components/headers/${name}` }] as const;

/** A write that is refused with one of these has not become a command. */
const BEFORE_COMMANDS: ReadonlySet<number> = new Set([401, 413, 415, 429]);

function headersOf(
  kind: DocumentedRoute['kind'],
  status: number,
  more: readonly HeaderName[] = [],
): object {
  const byStatus: readonly HeaderName[] =
    status === 401 ? ['WWW-Authenticate'] : status === 429 || status === 503 ? ['Retry-After'] : [];
  const applied: readonly HeaderName[] =
    kind === 'write' && !BEFORE_COMMANDS.has(status) ? ['Preference-Applied'] : [];
  const limits: readonly HeaderName[] = kind === 'bare' ? [] : ['RateLimit', 'RateLimit-Policy'];
  const names: readonly HeaderName[] = [
    'X-Request-Id',
    ...byStatus,
    ...more,
    ...applied,
    ...limits,
  ];
  return Object.fromEntries(names.filter((name) => name in ANSWER_HEADERS).map(headerRef));
}

function parameters({ path, kind, query, doc }: DocumentedRoute): object[] {
  const names = [...path.matchAll(/:"?(\w+)/g)].map(([, name = '']) => name);
  const inPath = names.map((name) => {
    const schema = name.endsWith('Id') ? id : doc.params?.[name];
    if (!schema) throw new Error(`${path} does not say what ${name} is`);
    return { name, in: 'path', required: true, ...describedParameter(name, schema) };
  });
  const rules = doc.query ?? query;
  const inQuery = rules
    ? parametersOf(rules).map(({ schema, ...parameter }) => ({
        ...parameter,
        in: 'query',
        ...describedParameter(parameter.name, schema),
        ...(schema.type === 'array' && { style: 'form', explode: false }),
      }))
    : [];
  const headers: (keyof typeof REQUEST_HEADERS)[] = [
    ...(kind === 'write' ? (['Prefer', 'IdempotencyKey'] as const) : []),
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

/** The schema of a body is called after its operation. */
const bodyTitle = (operationId: string): string =>
  `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Request`;

function requestBody({ body, doc }: DocumentedRoute, components: Components): object {
  if (!body) return {};
  const schema = bodySchema(body);
  const required =
    schema['required'] !== undefined ||
    schema['anyOf'] !== undefined ||
    schema['minProperties'] !== undefined;
  return {
    requestBody: {
      required,
      content: {
        'application/json': {
          schema: components.refer({ title: bodyTitle(doc.id), ...schema }),
          ...(doc.example && { example: doc.example }),
        },
      },
    },
  };
}

function answer(
  { kind }: DocumentedRoute,
  components: Components,
  status: number,
  { description, schema, type = 'application/json', alternatives, headers }: AnswerDoc,
): object {
  const bodies = Object.entries({ ...(schema && { [type]: schema }), ...alternatives }).map(
    ([mediaType, one]) => [mediaType, { schema: components.refer(one) }],
  );
  return {
    description,
    headers: headersOf(kind, status, headers),
    ...(bodies.length > 0 && { content: Object.fromEntries(bodies) as object }),
  };
}

function refusal(
  { kind }: DocumentedRoute,
  components: Components,
  status: number,
  codes: readonly KnownCode[],
): object {
  const content = {
    'application/problem+json': { schema: components.refer(problemSchema(status, codes)) },
  };
  return { description: describeCodes(codes), headers: headersOf(kind, status), content };
}

export function operationOf(route: DocumentedRoute, components: Components): Operation {
  const { who, kind, doc } = route;
  const answers: Readonly<Record<number, AnswerDoc>> = {
    ...doc.answers,
    ...(kind === 'write' && { 202: PROMISE }),
  };
  const final = Object.entries(answers).map(
    ([status, one]) => [status, answer(route, components, Number(status), one)] as const,
  );
  const problems = problemsByStatus(route).map(
    ([status, codes]) => [status, refusal(route, components, status, codes)] as const,
  );
  const given = parameters(route);
  const operation = {
    operationId: doc.id,
    tags: [doc.tag],
    summary: doc.summary,
    description: [
      kind === 'bare' ? 'For machines: no token is looked at, and no parameter.' : WHO[who],
      doc.description,
    ]
      .filter(Boolean)
      .join(' '),
    'x-who': who,
    security: who === 'public' ? (kind === 'bare' ? [] : [{}, { bearer: [] }]) : [{ bearer: [] }],
    ...(given.length > 0 && { parameters: given }),
    ...requestBody(route, components),
    responses: Object.fromEntries<object>([...final, ...problems]),
  };
  return operation;
}
