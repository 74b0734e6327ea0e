import type { Channel } from 'amqplib';
import { serviceNames } from '../services';
import { DEAD_LETTER_ARGUMENTS, deadLetterQueue, EVENTS_EXCHANGE, partitionArguments, partitionNames, serviceOf } from './topology';

/** Declares every queue of the pipeline and the exchange of domain events. Done by whoever comes first, API or worker; declaring again changes nothing. */
export async function declareTopology(channel: Pick<Channel, 'assertQueue' | 'assertExchange'>, partitions: number): Promise<void> {
  // The dead-letter queues first: a partition must never have letters and nowhere to put them.
  for (const service of serviceNames) {
    await channel.assertQueue(deadLetterQueue(service), { durable: true, arguments: DEAD_LETTER_ARGUMENTS });
  }
  for (const name of partitionNames(serviceNames, partitions)) {
    await channel.assertQueue(name, { durable: true, arguments: partitionArguments(serviceOf(name)) });
  }
  await channel.assertExchange(EVENTS_EXCHANGE, 'topic', { durable: true });
}
