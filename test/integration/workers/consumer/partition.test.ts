import { connect as connectManaged, type AmqpConnectionManager } from 'amqp-connection-manager';
import { connect, type ConfirmChannel, type ConsumeMessage } from 'amqplib';
import { pino } from 'pino';
import { declareTopology } from '../../../../shared/messaging/declare';
import { services } from '../../../../shared/services';
import { encodeMessage } from '../../../../shared/messaging/message';
import { partitionName } from '../../../../shared/messaging/topology';
import type { Delivery, PartitionOwnership } from '../../../../shared/messaging/transport';
import { HeldBytes } from '../../../../workers/consumer/held-bytes';
import { PartitionConsumer } from '../../../../workers/consumer/partition';
import { onCleanUp } from '../../../support/run/cleanup';
import { freshVirtualHost } from '../../../support/servers/fresh';
import { startProxy } from '../../../support/faults/proxy';
import { TEST_SIGNATURES } from '../../../support/service/signatures';
import { waitUntil } from '../../../support/wait';

const NAME = partitionName('lending', 0);
/** How long anything between a worker and the broker may take, milliseconds. */
const SOON_MS = 30_000;

describe("a worker's subscription to a partition", () => {
  let url: string;

  beforeEach(async () => {
    url = await freshVirtualHost();
    const connection = await connect(url);
    const channel = await connection.createConfirmChannel();
    await declareTopology(channel, services.names, { generation: 1, partitions: 1 });
    channel.sendToQueue(NAME, Buffer.from('{}'));
    await channel.waitForConfirms();
    await connection.close();
  });

  async function connected(to: string): Promise<AmqpConnectionManager> {
    const connection = connectManaged([to]);
    onCleanUp(() => connection.close());
    await waitUntil('the broker is reached', SOON_MS, () => connection.isConnected());
    return connection;
  }

  /** The channels that are opened on a connection from now on. */
  function channelsOf(connection: AmqpConnectionManager): ConfirmChannel[] {
    const channels: ConfirmChannel[] = [];
    const create = connection.createChannel.bind(connection);
    connection.createChannel = ({ setup, ...options } = {}) =>
      create({
        ...options,
        setup: (channel: ConfirmChannel) => {
          channels.push(channel);
          return (setup as (channel: ConfirmChannel) => Promise<void>)(channel);
        },
      });
    return channels;
  }

  function consumer(connection: AmqpConnectionManager, worker: string, heldBytesMax = 1_000_000) {
    const taken: Delivery[] = [];
    const settled: PartitionOwnership[] = [];
    const offer = (delivery: Delivery) => void taken.push(delivery);
    const subscription = new PartitionConsumer({
      name: NAME,
      worker,
      connection,
      priority: 1,
      signatures: TEST_SIGNATURES,
      decode: services.decode,
      heldBytes: new HeldBytes(heldBytesMax),
      offer,
      settled: (ownership) => Promise.resolve(void settled.push(ownership)),
      logger: pino({ level: 'silent' }),
    });
    return {
      subscription,
      taken,
      settled,
      takes: () => waitUntil(`${worker} takes the delivery`, SOON_MS, () => taken.length > 0),
    };
  }

  it('holds nothing when it is given up before its channel is there', async () => {
    const connection = await connected(url);
    const [first, second] = [consumer(connection, 'first'), consumer(connection, 'second')];
    first.subscription.subscribe();
    await first.subscription.unsubscribe();
    second.subscription.subscribe();
    await second.takes();
    expect(first.taken).toEqual([]);
  });

  it('can be made again after the connection broke while it was given up', async () => {
    const proxy = await startProxy(url, 5672);
    const { subscription, taken, takes } = consumer(await connected(proxy.url), 'worker');
    subscription.subscribe();
    await takes();
    proxy.stall();
    const givenUp = subscription.unsubscribe();
    proxy.cut();
    await givenUp;
    taken.splice(0);
    proxy.open();
    subscription.subscribe();
    await takes();
  });

  it('takes nothing more, and acknowledges nothing, once it is abandoned', async () => {
    const connection = await connected(url);
    const [first, second] = [consumer(connection, 'first'), consumer(connection, 'second')];
    first.subscription.subscribe();
    await first.takes();
    first.subscription.abandon();
    expect(first.taken[0]?.ownership.lost).toBe(true);
    second.subscription.subscribe();
    await second.takes();
    expect(first.taken).toHaveLength(1);
  });

  it('loses its hold with a channel that the broker closes, and takes the delivery again with another', async () => {
    const connection = await connected(url);
    const channels = channelsOf(connection);
    const { subscription, taken, takes } = consumer(connection, 'worker');
    subscription.subscribe();
    await takes();
    const [before] = taken.splice(0) as [Delivery];
    // Of a delivery that there never was: the broker answers by closing the channel.
    channels[0]?.ack({ fields: { deliveryTag: 4711 } } as ConsumeMessage);
    await takes();
    expect(before.ownership.lost).toBe(true);
    expect(taken).toMatchObject([{ redeliveries: 1, ownership: { lost: false } }]);
  });

  it('takes the commands of a message one by one, and acknowledges it when the last of them is done', async () => {
    const connection = await connect(url);
    onCleanUp(() => connection.close());
    const channel = await connection.createConfirmChannel();
    await channel.purgeQueue(NAME);
    for (const commands of [['1', '2', '3'], ['4']]) {
      const { content, ...properties } = encodeMessage(commands, TEST_SIGNATURES);
      channel.sendToQueue(NAME, content, properties);
    }
    await channel.waitForConfirms();
    const [first, second] = [
      consumer(await connected(url), 'first'),
      consumer(await connected(url), 'second'),
    ];
    const contents = ({ taken }: typeof first) => taken.map(({ content }) => content);
    first.subscription.subscribe();
    await waitUntil('all are taken', SOON_MS, () => first.taken.length === 4);
    expect(contents(first)).toEqual(['1', '2', '3', '4']);
    first.taken[0]?.ownership.ack(first.taken[1]!);
    await first.subscription.unsubscribe();
    second.subscription.subscribe();
    await waitUntil('all are taken again', SOON_MS, () => second.taken.length === 4);
    expect(contents(second)).toEqual(['1', '2', '3', '4']);
    expect(second.taken.map(({ redeliveries }) => redeliveries)).toEqual([1, 1, 1, 1]);
    second.taken[0]?.ownership.ack(second.taken[2]!);
    await second.subscription.unsubscribe();
    const third = consumer(await connected(url), 'third');
    third.subscription.subscribe();
    await third.takes();
    expect(contents(third)).toEqual(['4']);
  });

  it('makes its queue anew when that was deleted', async () => {
    const { subscription, taken, takes } = consumer(await connected(url), 'worker');
    subscription.subscribe();
    await takes();
    taken.splice(0);
    const connection = await connect(url);
    onCleanUp(() => connection.close());
    const channel = await connection.createChannel();
    await channel.deleteQueue(NAME);
    await waitUntil('what is sent is delivered again', SOON_MS, () => {
      channel.sendToQueue(NAME, Buffer.from('{}'));
      return taken.length > 0;
    });
  });

  it('gives back what it holds when the worker holds too many bytes, and holds few messages from then on', async () => {
    const connection = await connect(url);
    onCleanUp(() => connection.close());
    const channel = await connection.createConfirmChannel();
    await channel.purgeQueue(NAME);
    const numbers = Array.from({ length: 20 }, (_, index) => String(index));
    for (const number of numbers) channel.sendToQueue(NAME, Buffer.from(number.padStart(100_000)));
    await channel.waitForConfirms();
    const { subscription, taken, settled } = consumer(await connected(url), 'worker', 1_000_000);
    const held = () => taken.filter(({ ownership }) => !ownership.lost);
    subscription.subscribe();
    await waitUntil('few are held', SOON_MS, () => taken.length > 10 && held().length === 4);
    expect(settled).toEqual([taken[0]!.ownership]);
    const done: string[] = [];
    while (done.length < numbers.length) {
      await waitUntil('more is taken', SOON_MS, () => held().length > done.length);
      const next = held()[done.length]!;
      // It was given back once, and not again and again.
      expect(next.redeliveries).toBe(1);
      expect(held().length - done.length).toBeLessThanOrEqual(4);
      done.push(next.content.trim());
      next.ownership.ack(next);
    }
    expect(done).toEqual(numbers);
  });
});
