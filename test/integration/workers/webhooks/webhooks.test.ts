import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import type { Sequelize } from 'sequelize-typescript';
import { Webhook as Verifier } from 'standardwebhooks';
import { Outbox } from '../../../../shared/database/tables';
import { newWebhookSecret, sealed, sealingKey } from '../../../../shared/webhooks/secret';
import { Webhook, WebhookDelivery } from '../../../../shared/webhooks/tables';
import { outboxRelay } from '../../../../workers/jobs/outbox-relay';
import { WebhookDeliverer } from '../../../../workers/webhooks/deliver';
import { queueDeliveries } from '../../../../workers/webhooks/queue';
import { send } from '../../../../workers/webhooks/send';
import { Receiver } from '../../../support/clients/receiver';
import { waitUntil } from '../../../support/wait';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';

const HOUR_MS = 3600 * 1000;
const PATIENCE_MS = 20_000;
const key = sealingKey(randomBytes(32));
const silent = pino({ level: 'silent' });

describe.each(DIALECTS)('deliveries to webhooks on %s', (dialect) => {
  let database: Sequelize;
  let at = Date.now();
  let last = 0;
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
  });
  beforeEach(async () => {
    await WebhookDelivery.destroy({ where: {} });
    await Webhook.destroy({ where: {} });
  });

  const now = () => new Date(at);
  const deliverer = (
    more: { allowPrivate?: boolean; timeoutMs?: number; servedMs?: number } = {},
  ) =>
    new WebhookDeliverer({
      ...{ database, key, now, logger: silent, allowPrivate: true },
      ...more,
    });

  /** Everything that is due, to the end. */
  async function deliver(by = deliverer()): Promise<void> {
    for (let round = 0; round < 10; round += 1) {
      await by.job.run();
      await by.settled();
    }
  }

  async function webhook(url: string, fields: Partial<Webhook> = {}): Promise<Webhook> {
    const created = { createdAt: now(), modifiedAt: now() };
    return Webhook.create({
      ...{ id: (last += 1), url, types: '["*"]', sealedSecret: sealed(newWebhookSecret(), key) },
      ...{ formerSecret: null, formerUntil: null, status: 'active', reason: null, ...created },
      ...(fields as object),
    });
  }

  /** Publishes events of these aggregates, one each; returns their ids. */
  async function happens(...aggregates: string[]): Promise<string[]> {
    const lines = aggregates.map((aggregateId) => {
      const commandId = String((last += 1)).padStart(40, '0');
      const head = { eventId: `${commandId}.1`, type: 'lending.copies.added', aggregateId };
      return { ...head, occurredAt: now(), commandId, sequence: last, data: { n: last } };
    });
    const events = lines.map((line) => JSON.stringify(line)).join('\n');
    await Outbox.create({ events, occurredAt: now() });
    await outboxRelay(
      database,
      { publishEvents: () => Promise.resolve() },
      now,
      queueDeliveries,
    ).run();
    return lines.map(({ eventId }) => eventId);
  }

  const ids = (receiver: Receiver) => receiver.accepted.map(({ id }) => id);

  it('bring each event once, in the order of its aggregate, signed', async () => {
    const receiver = await new Receiver().start();
    const [former, secret] = [newWebhookSecret(), newWebhookSecret()];
    await webhook(receiver.url, {
      ...{ sealedSecret: sealed(secret, key), formerSecret: sealed(former, key) },
      formerUntil: new Date(at + HOUR_MS),
    });
    const given = [
      ...(await happens('book-info:1', 'book-info:2', 'book-info:1')),
      ...(await happens('book-info:1')),
    ];
    await deliver();
    expect(receiver.received).toHaveLength(4);
    expect(ids(receiver).sort()).toEqual([...given].sort());
    const ofOne = receiver.accepted.filter(({ subject }) => subject === 'book-info:1');
    expect(ofOne.map(({ id }) => id)).toEqual([given[0], given[2], given[3]]);
    for (const { headers, body, event } of receiver.received) {
      expect(headers['content-type']).toBe('application/cloudevents+json');
      expect(headers['webhook-id']).toBe(event.id);
      for (const one of [former, secret])
        expect(new Verifier(one).verify(body, headers as Record<string, string>)).toEqual(event);
    }
    const rows = await WebhookDelivery.findAll();
    for (const row of rows)
      expect(row).toMatchObject({ state: 'delivered', body: null, answer: 204 });
  });

  it('are made without a pause while the receiver accepts them', async () => {
    const receiver = await new Receiver().start();
    await webhook(receiver.url);
    const given = await happens(...Array.from({ length: 100 }, (_, n) => `book-info:${n + 1}`));
    const by = deliverer({ servedMs: PATIENCE_MS });
    await by.job.run();
    await by.settled();
    expect(ids(receiver).sort()).toEqual([...given].sort());
  });

  it('are made once a look while the receiver refuses them', async () => {
    const receiver = await new Receiver().start();
    receiver.answer = () => 503;
    await webhook(receiver.url);
    await happens(...Array.from({ length: 100 }, (_, n) => `book-info:${n + 1}`));
    const by = deliverer({ servedMs: PATIENCE_MS });
    await by.job.run();
    await by.settled();
    expect(receiver.received).toHaveLength(20);
  });

  it('are signed with the new secret alone once the former is too old', async () => {
    const receiver = await new Receiver().start();
    await webhook(receiver.url, {
      formerSecret: sealed(newWebhookSecret(), key),
      formerUntil: new Date(at - 1),
    });
    await happens('book-info:1');
    await deliver();
    expect(receiver.received[0]?.headers['webhook-signature']).toMatch(/^v1,\S+$/);
  });

  it('go to the webhooks that want the type, and are active', async () => {
    const [wants, others, disabled] = [
      await new Receiver().start(),
      await new Receiver().start(),
      await new Receiver().start(),
    ];
    await webhook(wants.url, { types: '["posts","lending.*.added"]' });
    await webhook(others.url, { types: '["lending.borrow"]' });
    await webhook(disabled.url, { status: 'disabled' });
    const given = await happens('book-info:1');
    await deliver();
    expect(ids(wants)).toEqual(given);
    expect([others.received, disabled.received]).toEqual([[], []]);
  });

  it('are tried again after a while, and hold up their own aggregate alone', async () => {
    const receiver = await new Receiver().start();
    await webhook(receiver.url);
    receiver.answer = ({ event }) => (event.subject === 'book-info:1' ? 503 : 204);
    const [first, second, other] = await happens('book-info:1', 'book-info:1', 'book-info:2');
    await deliver();
    expect(ids(receiver)).toEqual([other]);
    expect(receiver.received).toHaveLength(2);
    receiver.answer = () => 204;
    await deliver();
    expect(ids(receiver)).toEqual([other]);
    at += 5000;
    await deliver();
    expect(ids(receiver)).toEqual([other, first, second]);
  });

  it('are not redirected, and a webhook that fails for three days is disabled and says why', async () => {
    const receiver = await new Receiver().start();
    const { id } = await webhook(receiver.url);
    receiver.answer = () => 302;
    const [event] = await happens('book-info:1');
    let hours = 0;
    for (; hours <= 96 && (await Webhook.findByPk(id))?.status === 'active'; hours += 1) {
      await deliver();
      at += HOUR_MS;
    }
    expect(hours).toBeGreaterThan(72);
    expect(hours).toBeLessThanOrEqual(82);
    expect(receiver.received.every(({ headers }) => headers['webhook-id'] === event)).toBe(true);
    expect((await Webhook.findByPk(id))?.reason).toBe(
      `Event ${event} was not accepted for 72 hours: it answered 302.`,
    );
    const tries = receiver.received.length;
    at += 24 * HOUR_MS;
    await deliver();
    expect(receiver.received).toHaveLength(tries);
  });

  it('end at once when the receiver says that it is gone', async () => {
    const receiver = await new Receiver().start();
    const { id } = await webhook(receiver.url);
    receiver.answer = () => 410;
    await happens('book-info:1');
    await deliver();
    expect(await Webhook.findByPk(id)).toMatchObject({
      status: 'disabled',
      reason: 'The receiver is gone (410).',
    });
  });

  it('are not held up by the receiver of another webhook that hangs', async () => {
    const [hanging, quick] = [await new Receiver().start(), await new Receiver().start()];
    await webhook(hanging.url);
    await webhook(quick.url);
    hanging.answer = () => null;
    const given = await happens(
      ...Array.from({ length: 8 }, (_, index) => `book-info:${index + 1}`),
    );
    const by = deliverer({ timeoutMs: 60_000 });
    await waitUntil('the quick one has all', PATIENCE_MS, async () => {
      await by.job.run();
      return quick.received.length === given.length;
    });
    // Four requests at a time, and none has an answer.
    expect(hanging.received.length).toBeLessThanOrEqual(4);
    expect(await WebhookDelivery.count({ where: { state: 'retrying' } })).toBe(0);
  });

  it('fail when the receiver does not answer in time', async () => {
    const hanging = await new Receiver().start();
    hanging.answer = () => null;
    await webhook(hanging.url);
    await happens('book-info:1');
    await deliver(deliverer({ timeoutMs: 100 }));
    expect(await WebhookDelivery.findOne()).toMatchObject({
      state: 'retrying',
      error: 'it did not answer within 0.1 s',
    });
  });

  it('go to no private network, however it is named, unless that is allowed', async () => {
    const receiver = await new Receiver().start();
    const { port } = new URL(receiver.url);
    await webhook(receiver.url);
    await webhook(`http://localhost:${port}/`);
    await webhook(`http://[::ffff:127.0.0.1]:${port}/`);
    await happens('book-info:1');
    await deliver(deliverer({ allowPrivate: false }));
    expect(receiver.received).toEqual([]);
    const rows = await WebhookDelivery.findAll();
    expect(rows.map(({ error }) => error)).toEqual(
      Array(3).fill('it leads to an address of a private network'),
    );
  });

  it('go to no private network that a name leads to, at the moment of connecting', async () => {
    const receiver = await new Receiver().start();
    const { port } = new URL(receiver.url);
    const post = { url: `http://hook.example:${port}/`, headers: {}, body: '{}' };
    const options = { allowPrivate: false, timeoutMs: 5000 };
    for (const [address, family] of [
      ['127.0.0.1', 4],
      ['::ffff:127.0.0.1', 6],
      ['::1', 6],
    ] as const) {
      const sending = send(post, {
        ...options,
        resolve: (_name, _options, found) => {
          found(null, [{ address, family }]);
        },
      });
      await expect(sending).rejects.toThrow('it leads to an address of a private network');
    }
    expect(receiver.received).toEqual([]);
  });

  it('are made again after a crash, and by whoever goes on', async () => {
    const receiver = await new Receiver().start();
    await webhook(receiver.url);
    const given = await happens('book-info:1', 'book-info:1');
    await deliver();
    // As if the process had died before it marked them.
    await WebhookDelivery.update({ state: 'pending', body: '{"id":"x"}' }, { where: {} });
    await deliver(deliverer());
    expect(receiver.received).toHaveLength(4);
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([
      ...given,
      ...given,
    ]);
  });

  it('are queued once, also when events are published again', async () => {
    await webhook('http://127.0.0.1:9/');
    await happens('book-info:1');
    await Outbox.update({ relayedAt: null }, { where: {} });
    await happens('book-info:2');
    const rows = await WebhookDelivery.findAll();
    expect(new Set(rows.map(({ eventId }) => eventId)).size).toBe(rows.length);
  });
});
