import type { DocumentedRoute } from '../http/endpoint';
import { Components } from './components';
import type { Tag } from './doc';
import { ANSWER_HEADERS, REQUEST_HEADERS } from './headers';
import { withSharedMembers } from './members';
import { operationOf, templateOf } from './operation';
import { shareParts, withCommonParameters, type Operation } from './share';

/** The OpenAPI document, made of the endpoints themselves. */

/** The version in package.json. */
export const VERSION = '1.0.0';

const DESCRIPTION = `Library lending, post tagging and course subscriptions.

**Writes** become commands, which are carried out in order and exactly once. The answer is the final one. When that takes longer
than the client waits (\`Prefer: wait=n\`), or with \`Prefer: respond-async\`, it is 202 with the address of the result.
A write can be sent again with the same \`Idempotency-Key\`.

**Errors** are \`application/problem+json\` with a stable \`code\`. What an operation refuses by its own rules stands under its status.
Under \`default\` are the codes of the checks that operations have in common. Some are of some operations alone:
\`UNAUTHENTICATED\` where a token is needed, \`FORBIDDEN\` where not every user may, \`INVALID_ID\` where the path has an id.
\`IDEMPOTENCY_KEY_REUSED\`, \`COMMAND_FAILED\` and \`ACCEPTANCE_UNKNOWN\` are of writes that take an \`Idempotency-Key\`.
\`/problems/<code>\` says of each code what to do.

- An unknown path answers 404 \`ROUTE_NOT_FOUND\`, a wrong method 405 \`METHOD_NOT_ALLOWED\` with \`Allow\`.
- A path or query must be percent-encoded UTF-8, else 400 \`VALIDATION_FAILED\`.
- A request that cannot be read as HTTP gets 400 \`MALFORMED_REQUEST\`, 408 \`REQUEST_TIMEOUT\` or 431 \`HEADERS_TOO_LARGE\`.
  Its connection is closed.
- Every path with GET takes HEAD, and every path takes OPTIONS (204 with \`Allow\`).

**Requests.** An unknown parameter or field is refused, never ignored. Texts are trimmed. None may hold the character U+0000 or half
of a surrogate pair: 400 \`VALIDATION_FAILED\`. Bodies are JSON in UTF-8, of at most 1 MiB, sent as \`application/json\`.
A write without a body also takes an empty object.

**Lists** take \`page\` and \`size\`; a larger \`size\` than allowed counts as the largest. A page past the end is empty.
With \`Accept: text/csv\` all pages are sent, as CSV.

**Streams** of events, of posts and of the console end when the client goes or lags too far behind. A token has one of a kind at an
API: a new one takes its place, and the former ends with an event \`replaced\`. A user has ten, and so has a network address without
a token. Where a stream takes \`Last-Event-ID\`, what came after that event comes first, for an hour. When it is older, or not known,
an event \`gap\` says so, and the stream goes on from now.

**Headers.** Every answer has \`X-Request-Id\`, and \`RateLimit\` and \`RateLimit-Policy\` where requests are limited.
Every answer to a write has \`Preference-Applied\`, unless the request was refused before it became a command.
401 has \`WWW-Authenticate\`, 415 of a PATCH \`Accept-Patch\`, 422 \`Link\`, 429 and 503 have \`Retry-After\`.
\`X-Request-Id\` of a request is echoed when it is fit for a log line. Otherwise a new one is made. Problems have it as \`requestId\`.`;

const TAGS: Readonly<Record<Tag, string>> = {
  Accounts: 'Accounts and tokens.',
  Titles: 'The titles of the library and their copies.',
  Borrows: 'Lending: borrows, returns and renewals.',
  Holds: 'Waiting in line for a title on loan.',
  Posts: 'Posts, and finding them by tags.',
  Courses: 'Courses, their videos and subscriptions.',
  Webhooks: 'Events, sent to addresses of yours.',
  Commands: 'The result of a write, and events.',
  Console: 'Partitions, commands and dead letters, for administrators.',
  Service: 'The service itself.',
};

/**
 * @throws Error when two endpoints or two schemas have the same name, or a path parameter is not
 * described.
 */
export function openApiDocument(routes: readonly DocumentedRoute[]): object {
  const components = new Components();
  const paths: Record<string, Record<string, Operation>> = {};
  const seen = new Set<string>();
  for (const route of routes) {
    const { id } = route.doc;
    if (seen.has(id)) throw new Error(`two endpoints are called ${id}`);
    seen.add(id);
    (paths[templateOf(route.path)] ??= {})[route.method] = operationOf(route, components);
  }
  const shared = shareParts(Object.values(paths).flatMap((methods) => Object.values(methods)));
  return {
    openapi: '3.1.1',
    info: {
      title: 'Lendline',
      version: VERSION,
      description: DESCRIPTION,
      contact: { name: 'The maintainers of Lendline' },
    },
    servers: [{ url: '/', description: 'This service.' }],
    security: [{ bearer: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, methods]) => [path, withCommonParameters(methods)]),
    ),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'The `accessToken` of a sign-in, or a token of the identity provider. A bad one is refused everywhere.',
        },
      },
      parameters: { ...REQUEST_HEADERS, ...shared.parameters },
      responses: { ...components.responses, ...shared.responses },
      headers: ANSWER_HEADERS,
      schemas: withSharedMembers(components.schemas),
    },
  };
}
