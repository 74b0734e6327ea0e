import { Child } from '../service/child';
import { npmProgram } from '../service/npm-program';

/** Prism, which checks requests and answers on their way against an OpenAPI document. */

/** How long it may take to read the document on a busy machine, milliseconds. */
const READY_MS = 60_000;

/** The last ones for the oldest Node that we support; the first has the program. */
const PACKAGES = [
  '@stoplight/prism-cli@5.14.2',
  '@stoplight/prism-http-server@5.12.2',
  '@stoplight/prism-core@5.8.0',
];

/** Puts Prism before a service, and returns its address. It refuses what the document lacks. */
export async function startPrism(documentFile: string, upstream: string): Promise<string> {
  const program = await npmProgram('prism', PACKAGES);
  const child = new Child({
    name: 'prism',
    command: process.execPath,
    args: [
      ...[program, 'proxy', documentFile, upstream],
      ...['--errors', '--validate-request', '--port', '0'],
    ],
  });
  return child.line(
    'listens',
    READY_MS,
    (line) => /Prism is listening on (http:\S+)/.exec(line)?.[1],
  );
}
