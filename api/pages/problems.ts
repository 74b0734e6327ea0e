import type { Endpoint, Input } from '../http/endpoint';
import { Problem } from '../http/responses/problem';
import {
  adviceOf,
  kindOf,
  pathOf,
  problemCodes,
  type KnownCode,
} from '../http/responses/problem-kinds';
import { oneOf } from '../openapi/schema';
import { pageHeaders } from './page';

/** `/problems/<code>`: what the `type` of a problem names. */

/** As HTML, in which what stands between backticks is code. */
const htmlOf = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>');

function page(code: KnownCode): string {
  const [status, title] = kindOf(code);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${code}: ${htmlOf(title)}</title>
<main>
<h1>${htmlOf(title)}</h1>
<p>Problem <code>${code}</code>, HTTP status ${status}.</p>
<h2>What to do</h2>
<p>${htmlOf(adviceOf(code))}</p>
<p><a href="/docs">The API</a></p>
</main>
</html>
`;
}

const isKnown = (code: string): code is KnownCode =>
  (problemCodes as readonly string[]).includes(code);

export const problemEndpoint: Endpoint = {
  method: 'get',
  path: '/problems/:code',
  who: 'public',
  kind: 'read',
  doc: {
    id: 'getProblem',
    tag: 'Service',
    summary: 'What a problem means, and what to do',
    answers: { 200: { description: 'The page.', schema: { type: 'string' }, type: 'text/html' } },
    problems: ['ROUTE_NOT_FOUND'],
    params: { code: oneOf(problemCodes) },
  },
  handle: ({ params }: Input) => {
    const code = String(params['code']);
    if (!isKnown(code)) throw new Problem('ROUTE_NOT_FOUND', `There is no ${pathOf(code)}.`);
    return {
      status: 200,
      headers: pageHeaders(),
      json: page(code),
    };
  },
};
