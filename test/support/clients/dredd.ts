import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { onCleanUp, temporaryFolder } from '../run/cleanup';
import { timed } from '../run/times/kinds';
import { Child } from '../service/child';
import { npmProgram } from '../service/npm-program';

/** Dredd, which tries every exchange that an OpenAPI document describes. */

/** How long a run may take on a busy machine, milliseconds. */
export const DREDD_MS = 600_000;

const PACKAGES = ['dredd@14.1.0'];

/** One exchange, as Dredd reads it from the document. A `default` answer has the status 200. */
export interface Transaction {
  readonly name: string;
  readonly origin: { readonly resourceName: string };
  readonly fullPath: string;
  readonly request: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  readonly expected: {
    readonly statusCode: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly bodySchema?: object;
  };
}

/** What to change in an exchange before it is tried, or why it cannot be. */
export type Change = Partial<Transaction> | { readonly skip: true } | { readonly fail: string };

export interface Outcome {
  readonly name: string;
  readonly status: 'pass' | 'fail' | 'skip';
  /** What Dredd found. */
  readonly message: string;
}

interface Tried {
  readonly name: string;
  readonly test: { readonly status: Outcome['status']; readonly message: string };
  readonly real?: { readonly statusCode: number; readonly body?: string };
}

/**
 * Runs in Dredd. Dredd compares media types as texts, so the parameters of one are left out: the
 * document gives a type without them.
 */
const HOOKS = `
const hooks = require('hooks');
async function tell(when, transaction) {
  const body = JSON.stringify(transaction);
  const answer = await fetch(process.env.HOOKS_URL + when, { method: 'POST', body });
  Object.assign(transaction, await answer.json());
}
hooks.beforeEach((transaction, done) => {
  tell('before', transaction).then(done, (error) => {
    transaction.fail = String(error);
    done();
  });
});
hooks.beforeEachValidation(({ real: { headers } }) => {
  if (headers['content-type']) headers['content-type'] = headers['content-type'].split(';')[0];
});
hooks.afterEach((transaction, done) => {
  tell('after', transaction).then(done, done);
});
`;

const shortened = (body = ''): string => body.slice(0, 300);

function outcomeOf({ name, test, real }: Tried): Outcome {
  const answer = real ? ` ${real.statusCode} ${shortened(real.body)}` : '';
  return {
    name,
    status: test.status,
    message: test.status === 'pass' ? '' : `${test.message.trim()}${answer}`,
  };
}

/** Answers the hooks. Returns the address, and the outcomes so far. */
async function serveHooks(
  prepare: (transaction: Transaction) => Promise<Change>,
): Promise<{ readonly url: string; readonly outcomes: readonly Outcome[] }> {
  const outcomes: Outcome[] = [];
  const answerTo = async (request: IncomingMessage): Promise<Change> => {
    const told = await json(request);
    if (request.url === '/before')
      return prepare(told as Transaction).catch((error: unknown) => ({ fail: String(error) }));
    outcomes.push(outcomeOf(told as Tried));
    return {};
  };
  const server = createServer((request, response) => {
    answerTo(request).then(
      (change) => response.end(JSON.stringify(change)),
      (error: unknown) => response.destroy(error as Error),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onCleanUp(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, outcomes };
}

/** Tries the exchanges of a document at a service. `prepare` is asked before each. */
export async function runDredd(
  document: object,
  url: string,
  prepare: (transaction: Transaction) => Promise<Change>,
): Promise<{
  readonly code: number | null;
  readonly outcomes: readonly Outcome[];
  output: string;
}> {
  const program = await npmProgram('dredd', PACKAGES);
  const folder = await temporaryFolder('dredd');
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));
  await writeFile(join(folder, 'hooks.js'), HOOKS);
  const hooks = await serveHooks(prepare);
  const child = new Child({
    name: 'dredd',
    command: process.execPath,
    args: [program, 'openapi.json', url, '--hookfiles=./hooks.js', '--no-color'],
    env: { HOOKS_URL: hooks.url },
    folder,
  });
  const late = setTimeout(() => void child.kill(), DREDD_MS);
  const { code } = await timed('programs', () => child.exited);
  clearTimeout(late);
  return { code, outcomes: hooks.outcomes, output: child.output };
}
