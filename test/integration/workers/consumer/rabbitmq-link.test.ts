import { AmqpConnection } from '@golevelup/nestjs-rabbitmq';
import { connect, type Channel } from 'amqplib';
import { pino } from 'pino';
import { declareTopology } from '../../../../shared/messaging/declare';
import { services } from '../../../../shared/services';
import { partitionName, PARTITIONS_EXCHANGE } from '../../../../shared/messaging/topology';
import {
  AcceptanceUnknown,
  NotAccepted,
  type EventMessage,
} from '../../../../shared/messaging/transport';
import { RabbitmqLink } from '../../../../workers/consumer/rabbitmq-link';
import { onCleanUp } from '../../../support/run/cleanup';
import { openEventQueue, type EventQueue } from '../../../support/clients/event-queue';
import { freshVirtualHost } from '../../../support/servers/fresh';
import { lostConfirms } from '../../../support/faults/lost-confirms';
import { startProxy, type Proxy } from '../../../support/faults/proxy';
import { TEST_SIGNATURES } from '../../../support/service/signatures';
import { waitUntil } from '../../../support/wait';
import { subscribe } from '../../../support/models/courses/commands';
import { borrow } from '../../../support/models/lending/commands';

/** Publishing by a worker, on a real broker behind a network that can be broken. */

const WAIT_MS = 30_000;
const LAYOUT = { generation: 1, partitions: 1 };

let confirmsAreLost = false;
let proxy: Proxy;
let link: RabbitmqLink;
let channel: Channel;
let queue: EventQueue;

beforeAll(async () => {
  const url = await freshVirtualHost();
  proxy = await startProxy(
    url,
    5672,
    lostConfirms(() => confirmsAreLost),
  );
  const connection = await connect(url);
  onCleanUp(() => connection.close());
  channel = await connection.createChannel();
  await declareTopology(channel, services.names, LAYOUT);
  queue = await openEventQueue(url);
  const logger = { log: () => undefined, warn: () => undefined, error: () => undefined };
  const amqp = new AmqpConnection({
    uri: proxy.url,
    logger,
    connectionInitOptions: { wait: true, timeout: WAIT_MS },
    connectionManagerOptions: { reconnectTimeInSeconds: 1 },
  });
  await amqp.init();
  onCleanUp(() => amqp.managedConnection.close());
  link = new RabbitmqLink(amqp, () => LAYOUT, TEST_SIGNATURES, pino({ level: 'silent' }));
});

let count = 0;
const newEvents = (length: number): EventMessage[] =>
  Array.from({ length }, () => {
    const eventId = `id.${(count += 1)}`;
    return {
      eventId,
      type: 'a.b.c',
      aggregateId: 'a:1',
      json: JSON.stringify({ id: eventId, subject: 'a:1' }),
    };
  });
const idsOf = (events: readonly { readonly eventId: string }[]) =>
  events.map(({ eventId }) => eventId);
const arrived = (events: readonly EventMessage[]) =>
  waitUntil('the last event', WAIT_MS, () =>
    queue.all.some(({ eventId }) => eventId === events.at(-1)?.eventId),
  );

describe('events that a worker publishes', () => {
  it('arrive in their order', async () => {
    const events = newEvents(300);
    await link.publishEvents(events);
    await arrived(events);
    expect(idsOf(queue.all)).toEqual(idsOf(events));
  });

  it('fail when the broker does not confirm them in time, and arrive in order when they are published again', async () => {
    const [events, later] = [newEvents(3), newEvents(3)];
    proxy.stall();
    await expect(link.publishEvents(events)).rejects.toBeInstanceOf(AcceptanceUnknown);
    proxy.open();
    await waitUntil('they are published', WAIT_MS, () =>
      link.publishEvents([...events, ...later]).then(() => true),
    );
    await arrived(later);
    expect(idsOf(queue.firsts()).slice(-6)).toEqual(idsOf([...events, ...later]));
  });

  it('fail when the confirms alone do not come in time, which no heartbeat tells', async () => {
    const events = newEvents(3);
    confirmsAreLost = true;
    await expect(link.publishEvents(events)).rejects.toBeInstanceOf(AcceptanceUnknown);
    confirmsAreLost = false;
    await link.publishEvents(events);
    await arrived(events);
    expect(idsOf(queue.firsts()).slice(-3)).toEqual(idsOf(events));
  });

  it('fail while the broker is unavailable, and do not arrive later by themselves', async () => {
    const [lost, next] = [newEvents(1), newEvents(1)];
    proxy.cut();
    await expect(link.publishEvents(lost)).rejects.toThrow();
    await expect(link.publishEvents(lost)).rejects.toThrow();
    proxy.open();
    await waitUntil('they are published', WAIT_MS, () => link.publishEvents(next).then(() => true));
    await arrived(next);
    expect(idsOf(queue.all)).not.toContain(lost[0]?.eventId);
  });

  it('fail when a queue that is bound refuses them', async () => {
    const events = newEvents(3);
    await channel.assertQueue('full', {
      arguments: { 'x-max-length': 1, 'x-overflow': 'reject-publish' },
    });
    await channel.bindQueue('full', 'domain-events', '#');
    await expect(link.publishEvents(events)).rejects.toBeInstanceOf(AcceptanceUnknown);
    await channel.deleteQueue('full');
    await link.publishEvents(events);
    await arrived(events);
    expect(idsOf(queue.firsts()).slice(-3)).toEqual(idsOf(events));
  });
});

describe('a command that a worker forwards', () => {
  it('is not taken for stored when its queue is missing', async () => {
    await channel.deleteQueue(partitionName('lending', 0));
    await expect(link.forward(borrow(1, 1))).rejects.toBeInstanceOf(NotAccepted);
    await declareTopology(channel, services.names, LAYOUT);
    await expect(link.forward(borrow(1, 1))).resolves.toBeUndefined();
  });

  it('is published on another channel once the broker has refused one, and that stays for those under way', async () => {
    const name = partitionName('lending', 0);
    await channel.deleteQueue(name);
    await channel.assertQueue(name, {
      arguments: { 'x-max-length': 1, 'x-overflow': 'reject-publish' },
    });
    await channel.bindQueue(name, PARTITIONS_EXCHANGE, name);
    await link.forward(borrow(1, 1));
    const opened = jest.spyOn(link, 'openChannel');
    const [refused, underWay] = await Promise.allSettled([
      link.forward(borrow(1, 1)),
      link.forward(subscribe(1, 1)),
    ]);
    expect([refused.status, underWay.status]).toEqual(['rejected', 'fulfilled']);
    await link.forward(subscribe(1, 1));
    expect(opened).toHaveBeenCalledTimes(1);
    await channel.deleteQueue(name);
    await declareTopology(channel, services.names, LAYOUT);
  });
});
