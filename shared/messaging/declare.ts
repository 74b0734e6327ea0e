import type { Channel } from 'amqplib';
import {
  commandsExchange,
  DEAD_LETTER_ARGUMENTS,
  deadLetterQueue,
  EVENTS_EXCHANGE,
  partitionArguments,
  partitionNames,
  PARTITIONS_EXCHANGE,
  serviceOf,
  type Layout,
} from './topology';

type Declarer = Pick<
  Channel,
  'assertQueue' | 'assertExchange' | 'bindQueue' | 'bindExchange' | 'unbindExchange'
>;

/**
 * Declares every queue and exchange of the pipeline. Done by whoever comes first, API or worker;
 * declaring again changes nothing.
 * @param services their names.
 * @param layout the one that commands are published in.
 */
export async function declareTopology(
  channel: Declarer,
  services: readonly string[],
  layout: Layout,
): Promise<void> {
  // The dead-letter queues first: a partition must never have letters and nowhere to put them.
  for (const service of services) {
    await channel.assertQueue(deadLetterQueue(service), {
      durable: true,
      arguments: DEAD_LETTER_ARGUMENTS,
    });
  }
  for (const name of partitionNames(services, layout)) await declarePartition(channel, name);
  // What leads to the partitions last, for there must be somewhere to go then.
  const entry = commandsExchange(layout.generation);
  await channel.assertExchange(entry, 'fanout', { durable: true });
  await channel.bindExchange(PARTITIONS_EXCHANGE, entry, '');
  await channel.assertExchange(EVENTS_EXCHANGE, 'topic', { durable: true });
}

/**
 * Declares the topology of the layout in force. One that ceased to be so meanwhile, as when this
 * process stood still in between, is closed again, for nobody would carry out what is published
 * there.
 * @param services their names.
 * @param readLayout reads the layout that commands are published in.
 */
export async function declareCurrentTopology(
  channel: Declarer,
  services: readonly string[],
  readLayout: () => Promise<Layout>,
): Promise<Layout> {
  for (;;) {
    const layout = await readLayout();
    await declareTopology(channel, services, layout);
    if ((await readLayout()).generation === layout.generation) return layout;
    await closeEntrance(channel, layout.generation);
  }
}

/**
 * From then on no command gets into the queues of a generation; what is published there is
 * returned.
 */
export async function closeEntrance(
  channel: Pick<Declarer, 'unbindExchange'>,
  generation: number,
): Promise<void> {
  await channel.unbindExchange(PARTITIONS_EXCHANGE, commandsExchange(generation), '');
}

/**
 * @throws when there is a queue of this name that is not what the pipeline relies on; the broker
 * then closes the channel.
 */
export async function declarePartition(
  channel: Pick<Declarer, 'assertQueue' | 'assertExchange' | 'bindQueue'>,
  name: string,
): Promise<void> {
  await channel.assertQueue(name, {
    durable: true,
    arguments: partitionArguments(serviceOf(name)),
  });
  await channel.assertExchange(PARTITIONS_EXCHANGE, 'direct', { durable: true });
  await channel.bindQueue(name, PARTITIONS_EXCHANGE, name);
}
