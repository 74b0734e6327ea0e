import type { Channel } from 'amqplib';
import type { Transaction } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { followLayout } from '../../shared/database/layouts';
import { closeEntrance, declareTopology } from '../../shared/messaging/declare';
import { commandsExchange, type Layout } from '../../shared/messaging/topology';

export interface ChangeBeginning {
  readonly database: Sequelize;
  readonly channel: Channel;
  /** The names of the services. */
  readonly services: readonly string[];
  readonly current: Layout;
  readonly next: Layout;
}

/**
 * Begins a change of the number of partitions: makes the queues of the new layout and stores it.
 * From then on commands go there. The entrance of the old layout is closed first, so that nobody
 * publishes there afterwards. If this process ends in between, the next command that comes back has
 * the entrance opened again. It can be begun again.
 * @param also more to do in the transaction that stores the layout.
 * @throws Error when another change has begun, or is wanted.
 */
export async function beginChange(
  { database, channel, services, current, next }: ChangeBeginning,
  also: (transaction: Transaction) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  await declareTopology(channel, services, next);
  await channel.assertExchange(commandsExchange(current.generation), 'fanout', { durable: true });
  await closeEntrance(channel, current.generation);
  await database.transaction(async (transaction) => {
    await followLayout(services, current, next, transaction);
    await also(transaction);
  });
}

/** Returns the layout that follows this one. */
export const layoutAfter = ({ generation }: Layout, partitions: number): Layout => ({
  generation: generation + 1,
  partitions,
});
