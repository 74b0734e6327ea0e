import type { ConfirmChannel } from 'amqplib';
import { changesTo, readLayouts, type KeptLayout } from '../../shared/database/layouts';
import { closeQuietly } from '../../shared/messaging/close-quietly';
import type { Layout } from '../../shared/messaging/topology';
import { beginChange, layoutAfter } from './begin-change';
import type { LeaderJob } from './leader-jobs';
import { PartitionChange, type PartitionChangeOptions } from './partition-change';

/**
 * Carries out a change of the number of partitions: one that an administrator wants is begun, and
 * one that has begun is brought to its end.
 */

/** How often it checks for a change, milliseconds. */
const EVERY_MS = 500;
/** A queue that only one connection can declare. Its owner carries out the change. */
const LOCK_QUEUE = 'partitions.change';
/** The broker's reply code when another connection has the queue. */
const RESOURCE_LOCKED = 405;

export function partitionChange(options: PartitionChangeOptions): LeaderJob {
  return {
    name: 'partition-change',
    everyMs: EVERY_MS,
    async run() {
      if (changesTo(await readLayouts()) !== null) await carryOut(options);
      return false;
    },
  };
}

async function carryOut(options: PartitionChangeOptions): Promise<void> {
  const channel = await options.openChannel();
  channel.on('error', () => undefined);
  try {
    if (!(await lock(channel))) return;
    const layouts = await readLayouts();
    // Another worker may have ended it before this one had the lock.
    const partitions = changesTo(layouts);
    const [old, begun] = layouts;
    if (old && partitions !== null) {
      const next = begun ?? (await begin(old, partitions, options, channel));
      await bringToEnd(old, next, options, channel);
    }
    await channel.deleteQueue(LOCK_QUEUE);
  } finally {
    await closeQuietly(channel);
  }
}

async function begin(
  current: KeptLayout,
  partitions: number,
  { database, services }: PartitionChangeOptions,
  channel: ConfirmChannel,
): Promise<Layout> {
  const next = layoutAfter(current, partitions);
  await beginChange({ database, channel, services: services.names, current, next });
  return next;
}

async function bringToEnd(
  old: KeptLayout,
  next: Layout,
  options: PartitionChangeOptions,
  channel: ConfirmChannel,
): Promise<void> {
  const { logger } = options;
  logger.info({ from: old.partitions, to: next.partitions }, 'number of partitions changes');
  await new PartitionChange(old, next, options, channel).run();
  logger.info({ partitions: next.partitions }, 'number of partitions has changed');
}

/**
 * Locks the change for this worker. False when another worker has it. The lock lasts as long as the
 * connection, also over failures, so that this worker tries again.
 */
async function lock(channel: ConfirmChannel): Promise<boolean> {
  try {
    await channel.assertQueue(LOCK_QUEUE, { exclusive: true, durable: false });
    return true;
  } catch (error) {
    if ((error as { code?: number }).code === RESOURCE_LOCKED) return false;
    throw error;
  }
}
