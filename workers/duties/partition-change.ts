import { setTimeout as pause } from 'node:timers/promises';
import type { ConfirmChannel, ConsumeMessage } from 'amqplib';
import type { Sequelize } from 'sequelize-typescript';
import type { Now } from '../../shared/database/clock';
import {
  closeLayout,
  forgetLayout,
  readLayouts,
  type KeptLayout,
} from '../../shared/database/layouts';
import { CommandOutcome } from '../../shared/database/tables';
import type { Logger } from '../../shared/logger';
import { closeEntrance, declarePartition } from '../../shared/messaging/declare';
import { encodeEnvelope } from '../../shared/messaging/envelope';
import { commandsIn, encodeMessage, type EncodedMessage } from '../../shared/messaging/message';
import type { Signatures } from '../../shared/messaging/signature';
import {
  commandsExchange,
  partitionFor,
  partitionName,
  partitionNames,
  serviceOf,
  type Layout,
} from '../../shared/messaging/topology';
import { serviceNames } from '../../shared/services';
import type { Duty } from './duties';
import { ownCommand } from './own-command';

/**
 * Brings a change of the number of partitions to its end, which an operator has begun
 * (`workers/ops/partitions/resize.ts`) by writing down a newer layout. From then on commands wait
 * in the newer queues. Each step can be done again, so that a worker that dies over it is followed
 * by another one:
 *
 * 1. The entrance of the old layout is closed: what senders publish there comes back, and makes
 * them look for the newer one.
 * 2. A probe is put at the end of each old queue. Once all probes have outcomes, what stood before
 * them was carried out.
 * 3. One transaction closes the old layout: no batch of it can commit any more. Workers find that
 * and serve the newer one.
 * 4. What still comes into an old queue was sent before its entrance was closed. It is moved; then
 * the queues are deleted.
 *
 * So per aggregate all of the old commands come before all of the new ones, and nothing that was
 * confirmed is lost.
 */

/** How often it is looked for a change, milliseconds. */
const EVERY_MS = 500;
/**
 * How long the entrance of a layout is closed before its queues are probed, milliseconds: longer
 * than a broker takes to deliver what it has routed.
 */
const SETTLE_MS = 500;
/**
 * How long it has to be closed before its queues are deleted, milliseconds: whoever then still
 * waits for a confirm was given up, and nothing was promised for it.
 */
const DELETE_AFTER_MS = 15_000;
const LOOK_MS = 50;
/** Messages of a closed queue that are moved at a time. */
const PREFETCH = 100;
/** A queue that only one connection can have: whoever has it brings a change to its end. */
const LOCK_QUEUE = 'partitions.change';
/** The broker's reply code when another connection has it. */
const RESOURCE_LOCKED = 405;

export interface PartitionChangeOptions {
  readonly database: Sequelize;
  readonly now: Now;
  /** A channel of its own for a change; @throws while the broker is away. */
  readonly openChannel: () => Promise<ConfirmChannel>;
  readonly signatures: Signatures;
  readonly logger: Logger;
}

export function partitionChange(options: PartitionChangeOptions): Duty {
  return {
    name: 'partition-change',
    everyMs: EVERY_MS,
    async run() {
      const [old, next] = await readLayouts();
      if (old && next) await bringToEnd(old, next, options);
      return false;
    },
  };
}

async function bringToEnd(
  old: KeptLayout,
  next: Layout,
  options: PartitionChangeOptions,
): Promise<void> {
  const { logger } = options;
  const channel = await options.openChannel();
  channel.on('error', () => undefined);
  try {
    if (!(await lock(channel))) return;
    logger.info({ from: old.partitions, to: next.partitions }, 'number of partitions changes');
    await new PartitionChange(old, next, options, channel).run();
    logger.info({ partitions: next.partitions }, 'number of partitions has changed');
    await channel.deleteQueue(LOCK_QUEUE);
  } finally {
    // Throws when it is closed already.
    await Promise.resolve()
      .then(() => channel.close())
      .catch(() => undefined);
  }
}

/**
 * False when another worker is at it. Held for as long as the connection lives, also over failures:
 * then this worker tries again.
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

class PartitionChange {
  private closed = false;
  private readonly names: readonly string[];

  constructor(
    private readonly old: KeptLayout,
    private readonly next: Layout,
    private readonly options: Pick<PartitionChangeOptions, 'database' | 'now' | 'signatures'>,
    private readonly channel: ConfirmChannel,
  ) {
    this.names = partitionNames(serviceNames, old);
    channel.once('close', () => (this.closed = true));
  }

  async run(): Promise<void> {
    const { channel, old } = this;
    await channel.assertExchange(commandsExchange(old.generation), 'fanout', { durable: true });
    await closeEntrance(channel, old.generation);
    await pause(SETTLE_MS);
    // A process that read the old layout right before may have opened it again.
    await closeEntrance(channel, old.generation);
    const closedAt = performance.now();
    if (!old.drained) await this.drain();
    await this.remove(closedAt);
  }

  private async drain(): Promise<void> {
    const open = new Set(await Promise.all(this.names.map((name) => this.probe(name))));
    await this.until(async () => {
      const ended = await CommandOutcome.findAll({
        attributes: ['commandId'],
        where: { commandId: [...open] },
        raw: true,
      });
      for (const { commandId } of ended) open.delete(commandId);
      return open.size === 0;
    });
    await this.options.database.transaction((transaction) => closeLayout(this.old, transaction));
  }

  /** Puts a probe at the end of a queue and returns its command id. */
  private async probe(queue: string): Promise<string> {
    const envelope = ownCommand(
      { type: 'identity.probe', key: `probe:${queue}`, payload: {} },
      'probe',
      this.options.now().getTime(),
    );
    await declarePartition(this.channel, queue);
    await this.put(queue, this.signed(encodeEnvelope(envelope)), envelope.commandId);
    return envelope.commandId;
  }

  private signed(command: string): EncodedMessage {
    return encodeMessage([command], this.options.signatures);
  }

  /** Resolves when the message is stored in the queue; a queue that is full is waited for. */
  private put(
    queue: string,
    { content, ...encoded }: EncodedMessage,
    messageId: string,
  ): Promise<void> {
    const options = { ...encoded, persistent: true, messageId };
    return this.until(
      () =>
        new Promise((resolve) => {
          this.channel.publish('', queue, content, options, (error: unknown) => {
            resolve(!error);
          });
        }),
    );
  }

  private async remove(closedAt: number): Promise<void> {
    const { channel, names, old } = this;
    await channel.prefetch(PREFETCH);
    let moving = Promise.resolve();
    for (const name of names) {
      await declarePartition(channel, name);
      await channel.consume(name, (message) => {
        if (message) moving = moving.then(() => this.move(name, message));
      });
    }
    await this.until(() => Promise.resolve(performance.now() - closedAt >= DELETE_AFTER_MS));
    for (const name of names) {
      await this.until(async () => {
        await moving;
        const { messageCount, consumerCount } = await channel.checkQueue(name);
        // The one consumer is this one: so no worker holds anything any more, and the numbers are
        // true. Of a queue whose leader does not answer, the broker says 0 and 0.
        return messageCount === 0 && consumerCount === 1;
      });
      await channel.deleteQueue(name);
    }
    await channel.deleteExchange(commandsExchange(old.generation));
    await forgetLayout(old);
  }

  private async move(from: string, message: ConsumeMessage): Promise<void> {
    for (const { content, message: decoded } of commandsIn(message, this.options.signatures)) {
      const envelope = 'envelope' in decoded ? decoded.envelope : decoded.header;
      if (envelope)
        await this.put(partitionFor(envelope, this.next), this.signed(content), envelope.commandId);
      else await this.putMalformed(from, content, message);
    }
    this.channel.ack(message);
  }

  /**
   * What is no command becomes a dead letter wherever it is. It is not signed: that would make a
   * command of it.
   */
  private putMalformed(from: string, text: string, { properties }: ConsumeMessage): Promise<void> {
    const queue = partitionName(serviceOf(from), 0, this.next.generation);
    return this.put(queue, { ...this.signed(text), headers: {} }, String(properties.messageId));
  }

  /** @throws when the channel is closed meanwhile. */
  private async until(isDone: () => Promise<boolean>): Promise<void> {
    while (!(await isDone())) {
      if (this.closed) throw new Error('the channel of the change is closed');
      await pause(LOOK_MS);
    }
  }
}
