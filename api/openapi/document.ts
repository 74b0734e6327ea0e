import type { DocumentedRoute } from '../http/endpoint';
import { Components } from './components';
import type { Tag } from './doc';
import { ANSWER_HEADERS, REQUEST_HEADERS } from './headers';
import { operationOf, templateOf } from './operation';

/** The OpenAPI document, made of the endpoints themselves. */

/** The version in package.json. */
const VERSION = '0.1.0';

const DESCRIPTION = `Library lending, post tagging and course subscriptions.

**Writes** become commands, which are carried out in order and exactly once. The answer is the final one, unless that takes longer than the client
waits (\`Prefer: wait=n\`) or it does not want to wait at all (\`Prefer: respond-async\`): then it is 202 with the address of the result.
A write may be sent again with the same \`Idempotency-Key\`.

**Errors** are \`application/problem+json\` with a stable \`code\`. A path that is not here answers 404 \`ROUTE_NOT_FOUND\`, a method that is not
here 405 \`METHOD_NOT_ALLOWED\` with \`Allow\`, and a path or query that is no percent-encoded UTF-8 400 \`VALIDATION_FAILED\`. What
cannot be read as HTTP is 400 \`MALFORMED_REQUEST\`, 408 \`REQUEST_TIMEOUT\` or 431 \`HEADERS_TOO_LARGE\`, and ends the connection. What can be read with GET takes HEAD
as well, and every path takes OPTIONS (204 with \`Allow\`).

**Requests.** A parameter or field that is not here is refused, never ignored. Texts are trimmed; none may hold
the character U+0000 or half of a surrogate pair: 400 \`VALIDATION_FAILED\`. Bodies are JSON in UTF-8, of at most 1 MiB, as
\`application/json\`; a write that takes no body also takes an empty object.

**Lists** take \`page\` and \`size\`; a larger \`size\` than allowed counts as the largest.

**\`X-Request-Id\`** of a request is echoed, when it is fit for a log line, and else made; problems bear it as \`requestId\`.`;

const TAGS: Readonly<Record<Tag, string>> = {
  Accounts: 'Accounts and tokens.',
  Titles: 'The titles of the library and their copies.',
  Borrows: 'Lending: borrows, returns and renewals.',
  Holds: 'Waiting in line for a title that is out.',
  Posts: 'Posts, and finding them by tags.',
  Courses: 'Courses, their videos, and who takes them.',
  Commands: 'What became of a write, and what happens.',
  Console: 'How the service is doing, for administrators.',
  Service: 'The service itself.',
};

/** @throws Error when two endpoints or two schemas have the same name, or a path parameter is not described. */
export function openApiDocument(routes: readonly DocumentedRoute[]): object {
  const components = new Components();
  const paths: Record<string, Record<string, object>> = {};
  const seen = new Set<string>();
  for (const route of routes) {
    const { id } = route.doc;
    if (seen.has(id)) throw new Error(`two endpoints are called ${id}`);
    seen.add(id);
    (paths[templateOf(route.path)] ??= {})[route.method] = operationOf(route, components);
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Lendline', version: VERSION, description: DESCRIPTION },
    servers: [{ url: '/', description: 'This service.' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The `accessToken` of a sign-in, or a token of the identity provider. A bad one is refused everywhere.' } },
      parameters: REQUEST_HEADERS,
      headers: ANSWER_HEADERS,
      schemas: components.schemas,
    },
  };
}
