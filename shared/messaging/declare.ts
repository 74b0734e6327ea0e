import type { Channel } from 'amqplib';
import { serviceNames } from '../services';
import { DEAD_LETTER_ARGUMENTS, deadLetterQueue, EVENTS_EXCHANGE, partitionArguments, partitionNames, serviceOf } from './topology';

/** Declares every queue of the pipeline and the exchange of domain events. Done by whoever comes first, API or worker; declaring again changes nothing. */
export async function declareTopology(channel: Pick<Channel, 'assertQueue' | 'assertExchange'>, partitions: number): Promise<void> {
  // The dead-letter queues first: a partition must never have letters and nowhere to put them.
  for (const service of serviceNames) {
    await channel.assertQueue(deadLetterQueue(service), { durable: true, arguments: DEAD_LETTER_ARGUMENTS });
  }
  for (const name of partitionNames(serviceNames, partitions)) await declarePartition(channel, name);
  await channel.assertExchange(EVENTS_EXCHANGE, 'topic', { durable: true });
}

/** @throws when there is a queue of this name that is not what the pipeline relies on; the broker then closes the channel. */
export async function declarePartition(channel: Pick<Channel, 'assertQueue'>, name: string): Promise<void> {
  await channel.assertQueue(name, { durable: true, arguments: partitionArguments(serviceOf(name)) });
}
