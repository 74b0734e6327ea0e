import { openLibrary, uniqueWord, type Library } from '../support/clients/books';
import { held } from '../support/run/held';
import { lostConfirms } from '../support/faults/lost-confirms';
import { expectProblem } from '../support/clients/problems';
import { newSecret, startServers, type System } from '../support/service/processes';
import { startProxy, type Proxy } from '../support/faults/proxy';
import type { Reader } from '../support/clients/requests';
import { exportedSecret, targetAt } from '../support/service/target';
import { waitUntil } from '../support/wait';

/** An API whose broker stores everything, and whose confirms get lost on their way back. */

const BROKER_PORT = 5672;
/** How long a command may take until it has its effect, milliseconds. */
const STORED_MS = 10_000;

let system: System;
let proxy: Proxy;
let library: Library;
let losing = false;

beforeAll(async () => {
  system = await startServers({
    apis: 0,
    workers: 1,
    env: { JWT_SECRET: exportedSecret(newSecret) },
  });
  proxy = await startProxy(
    system.apiEnv.RABBITMQ_URL ?? '',
    BROKER_PORT,
    lostConfirms(() => losing),
  );
  const { url } = await system.addApi({ RABBITMQ_URL: proxy.url });
  library = await openLibrary(targetAt('servers', [url]));
});
afterEach(() => {
  losing = false;
});

/** Sent at once, also when nobody waits for it yet. */
const borrow = async ({ token }: Reader, bookInfoId: number, headers: Record<string, string>) =>
  library.call('post', '/api/borrows', { token, body: { bookInfoId }, headers });
const borrowsOf = async (reader: Reader): Promise<number> =>
  (await library.histories(reader)).body.totalItems as number;

it('a client that waits gets the answer, because a reply proves more than a confirm', async () => {
  const { bookInfoId } = await library.single();
  const reader = library.newReader();
  losing = true;
  expect((await borrow(reader, bookInfoId, {})).status).toBe(201);
  expect(await borrowsOf(reader)).toBe(1);
  await held(8, system.env, 'once for a client that waits', 'it got the answer; one effect');
});

it('a client that wants a promise gets only the id, and the same key means the same command again', async () => {
  const { bookInfoId } = await library.single();
  const reader = library.newReader();
  const headers = { Prefer: 'respond-async', 'Idempotency-Key': uniqueWord() };
  losing = true;
  const unknown = await borrow(reader, bookInfoId, headers);
  expectProblem(unknown, 503, 'ACCEPTANCE_UNKNOWN', {
    commandId: expect.stringMatching(/^[0-9a-f]{40}$/),
  });
  expect(Number(unknown.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  losing = false;
  const again = await borrow(reader, bookInfoId, headers);
  expect([again.status, again.body.commandId]).toEqual([202, unknown.body.commandId]);
  const { body } = await library.call('get', `${again.body.statusUrl as string}?wait=30`, reader);
  expect(body).toMatchObject({ status: 'succeeded', httpStatus: 201 });
  expect(await borrowsOf(reader)).toBe(1);
  await held(
    8,
    system.env,
    'once for a client that wants a promise',
    '503 ACCEPTANCE_UNKNOWN, and the same key again: one effect',
  );
});

it('a connection that breaks before the confirm refuses nothing: the same command is published on the next one', async () => {
  const { bookInfoId } = await library.single();
  const reader = library.newReader();
  losing = true;
  const answer = borrow(reader, bookInfoId, { Prefer: 'respond-async' });
  await waitUntil(
    'the command is stored',
    STORED_MS,
    async () => (await library.copies(bookInfoId)).availableStock === 0,
  );
  losing = false;
  proxy.cut();
  proxy.open();
  const { status, body } = await answer;
  expect(status).toBe(202);
  expect(
    (await library.call('get', `${body.statusUrl as string}?wait=30`, reader)).body,
  ).toMatchObject({ status: 'succeeded', httpStatus: 201 });
  expect(await borrowsOf(reader)).toBe(1);
  await held(8, system.env, 'once with a connection that broke', 'published again; one effect');
});
