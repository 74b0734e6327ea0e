import { randomUUID } from 'node:crypto';
import supertest from 'supertest';
import { openStream } from '../../../support/clients/event-stream';
import { expectProblem } from '../../../support/clients/problems';
import { newSecret, startServers, type System } from '../../../support/service/processes';
import { exportedSecret, targetAt, type Target } from '../../../support/service/target';
import { waitUntil } from '../../../support/wait';

/** Commands that nobody carries out for now: the APIs run, and the only worker has ended. */

const EVENTS_MS = 20_000;

let system: System;
let lendline: Target;
beforeAll(async () => {
  system = await startServers({
    apis: 2,
    workers: 1,
    env: { JWT_SECRET: exportedSecret(newSecret) },
  });
  lendline = targetAt(
    'servers',
    system.apis.map(({ url }) => url),
  );
  // The first read of a user makes a row, which takes a worker.
  await read(lendline.url, '/api/borrow-histories').expect(200);
});

beforeEach(() => Promise.all(system.workers.map((worker) => worker.stop())));

const register = (prefer: string) =>
  lendline
    .api()
    .post('/api/book-infos')
    .auth(lendline.admin, { type: 'bearer' })
    .set('Prefer', prefer)
    .send({ title: 'Emma', author: randomUUID() });
const read = (url: string, path: string) =>
  supertest(url).get(path).auth(lendline.admin, { type: 'bearer' });

it('a key that is sent again while its command is queued stands for the same command', async () => {
  const author = randomUUID();
  const send = () =>
    lendline
      .api()
      .post('/api/book-infos')
      .auth(lendline.admin, { type: 'bearer' })
      .set({ 'Idempotency-Key': author, Prefer: 'wait=0' })
      .send({ title: 'Emma', author });
  const promises = [await send(), await send(), await send()];
  expect(new Set(promises.map(({ status, body }) => `${status} ${body.commandId}`)).size).toBe(1);
  await system.addWorker();
  const { body } = await read(lendline.url, `${promises[0]!.body.statusUrl}?wait=30`);
  expect((await send()).body).toEqual(body.result);
  expect((await read(lendline.url, `/api/book-infos?author=${author}`)).body.totalItems).toBe(1);
});

it('a stream tells that the command is queued, has a comment line every 15 s, and ends after the final event', async () => {
  const { body } = await register('respond-async');
  const stream = await openStream(`${lendline.url}${body.statusUrl}/events`, lendline.admin);
  const data = () => stream.events().map((event) => event.data);
  const queued = await waitUntil('the first event', EVENTS_MS, () => data()[0]);
  expect(JSON.parse(queued)).toMatchObject({ commandId: body.commandId, status: 'queued' });
  await waitUntil('a comment line', EVENTS_MS, () => /^data: .*\n\n:/ms.test(stream.text()));
  expect(stream.ended()).toBe(false);
  await system.addWorker();
  await waitUntil('the end of the stream', EVENTS_MS, () => stream.ended());
  expect(data()).toEqual([queued, (await read(lendline.url, body.statusUrl as string)).text]);
});

it('a write gives the promise when its wait is over, and every API tells of the command, also one that was started later', async () => {
  const { status, body, headers } = await register('wait=1');
  expect([status, headers['preference-applied']]).toEqual([202, 'wait=1']);
  const later = await system.addApi();
  await system.apis[0]!.stop();
  for (const url of [later.url, system.apis[1]!.url]) {
    const queued = await read(url, `${body.statusUrl}?wait=1`);
    expect(queued.status).toBe(200);
    expect(queued.body).toMatchObject({
      commandId: body.commandId,
      status: 'queued',
      httpStatus: null,
      result: null,
      problem: null,
      completedAt: null,
    });
  }
  expectProblem(
    await supertest(later.url)
      .get(body.statusUrl as string)
      .auth(lendline.token(), { type: 'bearer' }),
    404,
    'COMMAND_NOT_FOUND',
  );
  await system.addWorker();
  expect((await read(later.url, `${body.statusUrl}?wait=30`)).body).toMatchObject({
    status: 'succeeded',
    httpStatus: 201,
    result: { title: 'Emma' },
  });
});
