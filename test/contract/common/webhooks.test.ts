import { randomUUID } from 'node:crypto';
import { Webhook as Verifier } from 'standardwebhooks';
import { openLibrary, succeeded, type Library } from '../../support/clients/books';
import { startService } from '../../support/service/start-service';
import { expectFaults, expectProblem, outcomesOf } from '../../support/clients/problems';
import { Receiver } from '../../support/clients/receiver';
import { target } from '../../support/service/target';
import { waitUntil } from '../../support/wait';

const PATIENCE_MS = 30_000;
const BORROWS = ['lending.borrow'];
const WEBHOOKS_MAX = 50;

/** A service whose webhooks may lead to this machine. */
let library: Library;
beforeAll(async () => {
  library = await openLibrary(
    (await startService({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } })).target,
  );
}, 120_000);

interface Registered {
  readonly webhookId: number;
  readonly secret: string;
}

async function registered(receiver: Receiver, body: object = {}): Promise<Registered> {
  const answer = await library.manage('post', '/api/webhooks', {
    ...{ url: receiver.url, types: BORROWS },
    ...body,
  });
  const webhook = succeeded(answer, 201) as unknown as Registered;
  expect(answer.headers.location).toBe(`/api/webhooks/${webhook.webhookId}`);
  return webhook;
}

const path = ({ webhookId }: Pick<Registered, 'webhookId'>, more = ''): string =>
  `/api/webhooks/${webhookId}${more}`;
const shown = async (webhook: Registered) =>
  succeeded(await library.manage('get', path(webhook)), 200);

/** A title that is borrowed, renewed and returned. */
async function borrowAndReturn(): Promise<number> {
  const { bookInfoId } = await library.registered({ copies: 1 });
  const reader = library.newReader();
  const { borrowId } = await library.borrowed(reader, { bookInfoId });
  succeeded(await library.renew(reader, borrowId), 200);
  await library.returned(reader, { borrowId });
  return bookInfoId;
}

const ofTitle = (receiver: Receiver, bookInfoId: number) =>
  receiver.accepted.filter(({ subject }) => subject === `book-info:${bookInfoId}`);
const arrived = (receiver: Receiver, bookInfoId: number, count = 3) =>
  waitUntil(
    'the events are there',
    PATIENCE_MS,
    () => ofTitle(receiver, bookInfoId).length === count,
  );

it('a webhook gets the events of its types, in order and signed with the secret that was shown once', async () => {
  const receiver = await new Receiver().start();
  const webhook = await registered(receiver);
  expect(webhook.secret).toMatch(/^whsec_/);
  const bookInfoId = await borrowAndReturn();
  await arrived(receiver, bookInfoId);
  expect(ofTitle(receiver, bookInfoId).map(({ type }) => type)).toEqual(
    ['created', 'renewed', 'returned'].map((what) => `lending.borrow.${what}`),
  );
  for (const { body, headers, event } of receiver.received)
    expect(new Verifier(webhook.secret).verify(body, headers as Record<string, string>)).toEqual(
      event,
    );
  const seen = await shown(webhook);
  expect(seen).toMatchObject({ url: receiver.url, types: BORROWS, status: 'active', reason: null });
  expect(JSON.stringify(seen)).not.toContain('ecret');
  // The receiver has an event before its answer is written down.
  const sent = await waitUntil('all are marked', PATIENCE_MS, async () => {
    const list = succeeded(await library.manage('get', path(webhook, '/deliveries')), 200) as {
      items: { status: string }[];
    };
    return list.items.every(({ status }) => status === 'delivered') && list;
  });
  expect(sent).toMatchObject({
    totalItems: 3,
    items: [
      { type: 'lending.borrow.returned', status: 'delivered', attempts: 1, answerStatus: 204 },
      { type: 'lending.borrow.renewed' },
      { type: 'lending.borrow.created', aggregateId: `book-info:${bookInfoId}`, error: null },
    ],
  });
});

it('a refused event is sent again, before those that follow it', async () => {
  const receiver = await new Receiver().start();
  const webhook = await registered(receiver);
  let refusals = 1;
  receiver.answer = () => (refusals-- > 0 ? 500 : 204);
  const bookInfoId = await borrowAndReturn();
  const retrying = async () =>
    (await library.manage('get', path(webhook, '/deliveries?status=retrying'))).body as {
      items: object[];
    };
  await waitUntil('one is refused', PATIENCE_MS, async () => (await retrying()).items.length > 0);
  expect((await retrying()).items).toMatchObject([{ error: 'it answered 500', attempts: 1 }]);
  await arrived(receiver, bookInfoId);
  expect(ofTitle(receiver, bookInfoId).map(({ type }) => type)).toEqual(
    ['created', 'renewed', 'returned'].map((what) => `lending.borrow.${what}`),
  );
});

it('a test reaches its webhook alone, and one that is disabled is not tested', async () => {
  const [one, other] = [await new Receiver().start(), await new Receiver().start()];
  const [webhook] = [await registered(one), await registered(other, { types: ['*'] })];
  const { eventId } = succeeded(await library.manage('post', path(webhook, '/test')), 200);
  await waitUntil('the test is there', PATIENCE_MS, () => one.accepted.length === 1);
  expect(one.accepted).toMatchObject([
    { id: eventId, type: 'webhooks.webhook.tested', subject: `webhook:${webhook.webhookId}` },
  ]);
  expect(other.accepted.map(({ type }) => type)).not.toContain('webhooks.webhook.tested');
  succeeded(await library.manage('patch', path(webhook), { status: 'disabled' }), 200);
  expect(await shown(webhook)).toMatchObject({ reason: 'An administrator has disabled it.' });
  expectProblem(await library.manage('post', path(webhook, '/test')), 409, 'WEBHOOK_DISABLED');
  succeeded(await library.manage('patch', path(webhook), { status: 'active' }), 200);
  expect(await shown(webhook)).toMatchObject({ status: 'active', reason: null });
  succeeded(await library.manage('post', path(webhook, '/test')), 200);
  await waitUntil('the next test is there', PATIENCE_MS, () => one.accepted.length === 2);
});

it('a secret is rotated: for a day both are valid, and the new one is shown once', async () => {
  const receiver = await new Receiver().start();
  const webhook = await registered(receiver);
  const { secret } = succeeded(
    await library.manage('patch', path(webhook), { rotateSecret: true }),
    200,
  ) as unknown as Registered;
  expect(secret).not.toBe(webhook.secret);
  const bookInfoId = await borrowAndReturn();
  await arrived(receiver, bookInfoId);
  const [{ body, headers } = { body: '', headers: {} }] = receiver.received;
  for (const valid of [secret, webhook.secret])
    new Verifier(valid).verify(body, headers as Record<string, string>);
  const changed = succeeded(
    await library.manage('patch', path(webhook), { types: ['posts'] }),
    200,
  );
  expect(changed).toMatchObject({ types: ['posts'] });
  expect(changed).not.toHaveProperty('secret');
});

it('a secret chosen by the caller is accepted, and a repeated request returns it again', async () => {
  const receiver = await new Receiver().start();
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  expect((await registered(receiver, { secret })).secret).toBe(secret);
  const headers = { 'Idempotency-Key': randomUUID() };
  const body = { url: receiver.url, types: BORROWS };
  const send = async () =>
    succeeded(await library.manage('post', '/api/webhooks', body, headers), 201);
  expect(await send()).toEqual(await send());
});

it('no command, list or audit reveals a secret', async () => {
  const receiver = await new Receiver().start();
  const headers = { Prefer: 'respond-async' };
  const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
  const body = { url: receiver.url, types: BORROWS, secret };
  const { commandId } = (await library.manage('post', '/api/webhooks', body, headers)).body as {
    commandId: string;
  };
  const command = await library.manage('get', `/api/commands/${commandId}?wait=10`);
  expect(command.body).toMatchObject({ status: 'succeeded' });
  const audit = await library.manage('get', '/api/audit?action=identity.create-webhook');
  expect(audit.body).toMatchObject({
    items: expect.arrayContaining([
      expect.objectContaining({ target: expect.stringMatching(/^webhook:\d+$/) }),
    ]),
  });
  const list = await library.manage('get', '/api/webhooks');
  for (const { text } of [command, audit, list]) expect(text).not.toContain(secret.slice(6));
});

it('a deleted webhook gets nothing more, and is 404', async () => {
  const receiver = await new Receiver().start();
  const webhook = await registered(receiver);
  succeeded(await library.manage('delete', path(webhook)), 204);
  for (const [method, more] of [
    ['get', ''],
    ['patch', ''],
    ['delete', ''],
    ['post', '/test'],
    ['get', '/deliveries'],
  ] as const) {
    const body = method === 'patch' ? { status: 'active' } : undefined;
    expectProblem(
      await library.manage(method, path(webhook, more), body),
      404,
      'WEBHOOK_NOT_FOUND',
    );
  }
  const later = await new Receiver().start();
  await registered(later);
  await arrived(later, await borrowAndReturn());
  expect(receiver.received).toEqual([]);
});

it('an address of a private network is refused where that is not allowed, and a bad one everywhere', async () => {
  const shared = await openLibrary(await target());
  const made = await shared.manage('post', '/api/webhooks', {
    ...{ url: 'https://example.org/', types: ['courses.course.deleted'] },
  });
  const webhook = succeeded(made, 201) as unknown as Registered;
  for (const host of [
    '127.0.0.1',
    'localhost',
    '[::1]',
    '2130706433',
    '10.0.0.1',
    '169.254.169.254',
  ]) {
    const url = `http://${host}/`;
    expectFaults(await shared.manage('post', '/api/webhooks', { url, types: BORROWS }), {
      url: 'NOT_ALLOWED',
    });
    expectFaults(await shared.manage('patch', path(webhook), { url }), { url: 'NOT_ALLOWED' });
  }
  succeeded(await shared.manage('delete', path(webhook)), 204);
  for (const url of ['ftp://example.org/', 'https://ada:secret@example.org/', 'https://', '/hook'])
    expectFaults(await library.manage('post', '/api/webhooks', { url, types: BORROWS }), {
      url: 'INVALID_FORMAT',
    });
  expectFaults(
    await library.manage('post', '/api/webhooks', {
      url: 'https://example.org/',
      types: ['sales'],
    }),
    { 'types.0': 'INVALID_FORMAT' },
  );
});

it('there are 50 webhooks at most, also when more are made at the same time', async () => {
  const count = async () =>
    (succeeded(await library.manage('get', '/api/webhooks'), 200) as { totalItems: number })
      .totalItems;
  const body = { url: 'https://example.org/', types: ['courses.course.deleted'] };
  const free = WEBHOOKS_MAX - (await count());
  const answers = await Promise.all(
    Array.from({ length: free + 5 }, () => library.manage('post', '/api/webhooks', body)),
  );
  expect(outcomesOf(answers)).toEqual({ 201: free, '409 WEBHOOK_LIMIT_REACHED': 5 });
  expect(await count()).toBe(WEBHOOKS_MAX);
});
