import { setTimeout as pause } from 'node:timers/promises';
import type { ConfirmChannel, ConsumeMessage } from 'amqplib';
import type { Sequelize } from 'sequelize-typescript';
import type { Now } from '../../shared/database/clock';
import { closeLayout, forgetLayout, type KeptLayout } from '../../shared/database/layouts';
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
import type { Services } from '../../shared/service';
import { ownCommand } from './own-command';

/**
 * Completes a change of the number of partitions, which `begin-change.ts` began with a newer
 * layout. Commands wait in its queues. Each step can be repeated by another worker:
 *
 * 1. Close the entrance of the old layout, so that publishers look for the newer one.
 * 2. Put a probe at the end of each old queue. Their outcomes show that all before them is done.
 * 3. Close the old layout in one transaction. No batch of it can commit, and workers serve the
 *    newer.
 * 4. Move what was sent to an old queue before it closed, and delete the queues.
 *
 * All old commands of an aggregate run before all new ones, and nothing confirmed is lost.
 */

/**
 * How long the entrance of a layout is closed before its queues are probed, milliseconds. It is
 * longer than a broker takes to deliver routed messages.
 */
const SETTLE_MS = 500;
/**
 * How long it is closed before its queues are deleted, milliseconds. By then every publisher has
 * stopped waiting for a confirm, and nothing was promised for its command.
 */
const DELETE_AFTER_MS = 15_000;
const LOOK_MS = 50;
/** How long a queue may refuse a message before the change begins again, milliseconds. */
const REFUSED_MS = 5000;
/** Messages of a closed queue that are moved at a time. */
const PREFETCH = 100;

export interface PartitionChangeOptions {
  readonly database: Sequelize;
  readonly services: Services;
  readonly now: Now;
  /** Opens a channel for a change. @throws while the broker is unavailable. */
  readonly openChannel: () => Promise<ConfirmChannel>;
  readonly signatures: Signatures;
  readonly logger: Logger;
}

export class PartitionChange {
  private closed = false;
  private readonly names: readonly string[];

  constructor(
    private readonly old: KeptLayout,
    private readonly next: Layout,
    private readonly options: Pick<
      PartitionChangeOptions,
      'database' | 'services' | 'now' | 'signatures'
    >,
    private readonly channel: ConfirmChannel,
  ) {
    this.names = partitionNames(options.services.names, old);
    channel.once('close', () => (this.closed = true));
  }

  async run(): Promise<void> {
    const { channel, old } = this;
    await channel.assertExchange(commandsExchange(old.generation), 'fanout', { durable: true });
    await closeEntrance(channel, old.generation);
    await pause(SETTLE_MS);
    // A process that has just read the old layout may have opened it again.
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
    const { database, services } = this.options;
    await database.transaction((transaction) => closeLayout(services.names, this.old, transaction));
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

  /**
   * Resolves when the message is stored in the queue. Waits for a queue that is full.
   * @throws when it is refused for 5 seconds. This channel may remember a lost node as the queue's
   * leader.
   */
  private put(
    queue: string,
    { content, ...encoded }: EncodedMessage,
    messageId: string,
  ): Promise<void> {
    const options = { ...encoded, persistent: true, messageId };
    const begun = performance.now();
    return this.until(
      () =>
        new Promise((resolve, reject) => {
          this.channel.publish('', queue, content, options, (error: unknown) => {
            if (error && performance.now() - begun > REFUSED_MS)
              reject(new Error(`${queue} takes nothing`, { cause: error }));
            else resolve(!error);
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
        // Its failure is met below, where it is awaited.
        moving.catch(() => undefined);
      });
    }
    await this.until(() => Promise.resolve(performance.now() - closedAt >= DELETE_AFTER_MS));
    for (const name of names) {
      await this.until(async () => {
        await moving;
        const { messageCount, consumerCount } = await channel.checkQueue(name);
        // This is the only consumer, so no worker holds anything, and the numbers are right. For a
        // queue whose leader does not answer, the broker says 0 and 0.
        return messageCount === 0 && consumerCount === 1;
      });
      await channel.deleteQueue(name);
    }
    await channel.deleteExchange(commandsExchange(old.generation));
    await forgetLayout(old);
  }

  private async move(from: string, message: ConsumeMessage): Promise<void> {
    const { signatures, services } = this.options;
    for (const { content, message: decoded } of commandsIn(message, signatures, services.decode)) {
      const envelope = 'envelope' in decoded ? decoded.envelope : decoded.header;
      if (envelope)
        await this.put(partitionFor(envelope, this.next), this.signed(content), envelope.commandId);
      else await this.putMalformed(from, content, message);
    }
    this.channel.ack(message);
  }

  /**
   * Stores a message that is no command, which becomes a dead letter anywhere. It is not signed,
   * because a signature would make it a command.
   */
  private putMalformed(from: string, text: string, { properties }: ConsumeMessage): Promise<void> {
    const queue = partitionName(serviceOf(from), 0, this.next.generation);
    return this.put(queue, { ...this.signed(text), headers: {} }, String(properties.messageId));
  }

  /** Waits for a condition. Throws when the channel is closed. */
  private async until(isDone: () => Promise<boolean>): Promise<void> {
    while (!(await isDone())) {
      if (this.closed) throw new Error('the channel of the change is closed');
      await pause(LOOK_MS);
    }
  }
}
