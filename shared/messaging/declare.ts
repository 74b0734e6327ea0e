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
 * Declares every queue and exchange of the pipeline. The first API or worker does so, and declaring
 * again changes nothing.
 * @param services the names of the services.
 * @param layout the layout that commands are published in.
 */
export async function declareTopology(
  channel: Declarer,
  services: readonly string[],
  layout: Layout,
): Promise<void> {
  // The dead-letter queues first, so that a partition's dead letters always have a place.
  for (const service of services) {
    await channel.assertQueue(deadLetterQueue(service), {
      durable: true,
      arguments: DEAD_LETTER_ARGUMENTS,
    });
  }
  for (const name of partitionNames(services, layout)) await declarePartition(channel, name);
  // The way to the partitions last, when they exist.
  const entry = commandsExchange(layout.generation);
  await channel.assertExchange(entry, 'fanout', { durable: true });
  await channel.bindExchange(PARTITIONS_EXCHANGE, entry, '');
  await channel.assertExchange(EVENTS_EXCHANGE, 'topic', { durable: true });
}

/**
 * Declares the topology of the layout in force. A layout may be replaced meanwhile, for instance
 * while this process stood still. It is then closed again, because nobody would carry out what is
 * published there.
 * @param services the names of the services.
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

/** Closes the queues of a generation. Commands published there from now on are returned. */
export async function closeEntrance(
  channel: Pick<Declarer, 'unbindExchange'>,
  generation: number,
): Promise<void> {
  await channel.unbindExchange(PARTITIONS_EXCHANGE, commandsExchange(generation), '');
}

/**
 * Declares the queue of a partition.
 * @throws when a queue of this name has other arguments. The broker then closes the channel.
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
