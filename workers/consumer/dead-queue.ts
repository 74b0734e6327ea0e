import { setTimeout as pause } from 'node:timers/promises';
import type { AmqpConnectionManager, ChannelWrapper } from 'amqp-connection-manager';
import type { ConfirmChannel, ConsumeMessage } from 'amqplib';
import type { Now } from '../../shared/database/clock';
import type { Logger } from '../../shared/logger';
import { commandsIn, type ReceivedCommand } from '../../shared/messaging/message';
import type { Services } from '../../shared/service';
import type { Signatures } from '../../shared/messaging/signature';
import { deadLetterQueue } from '../../shared/messaging/topology';
import type { WorkerLink } from '../../shared/messaging/transport';
import { NewDeadLetter } from '../batch/failures/dead-letters';
import { retryPauseMs } from '../batch/failures/retry';
import type { BatchTransactions, BeginBatch } from '../batch/sql/transaction';

/**
 * Moves messages that the broker dead-lettered after its delivery limit into the table of dead
 * letters.
 * This is a last resort for commands that were only fetched along with poisonous ones. It needs no
 * fence, because a command can have only one outcome.
 * States: open (the setup runs at each connect); reopening (the broker closed only the channel);
 * stopped.
 * A message is acknowledged once it is stored. While the database is unavailable it is held,
 * because RabbitMQ 4.0 counts its returns.
 */

/** Messages held at a time. */
const PREFETCH = 16;
/** Pause before a closed channel is opened again, milliseconds. */
const REOPEN_PAUSE_MS = 500;

export interface DeadQueueOptions {
  readonly connection: AmqpConnectionManager;
  readonly services: Services;
  /** Separate ones, because they run beside the batches. */
  readonly transactions: BatchTransactions;
  readonly link: Pick<WorkerLink, 'reply'>;
  readonly worker: string;
  readonly signatures: Signatures;
  readonly now: Now;
  readonly logger: Logger;
}

interface DeadCommand {
  readonly partition: string;
  readonly command: ReceivedCommand;
  readonly reason: string;
}

export class DeadQueueConsumer {
  private wrapper: ChannelWrapper | null = null;
  private channel: ConfirmChannel | null = null;
  private storing: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(private readonly options: DeadQueueOptions) {}

  start(): void {
    const wrapper = this.options.connection.createChannel({
      name: 'dead letters',
      confirm: false,
      setup: (channel: ConfirmChannel) => this.setUp(wrapper, channel),
    });
    wrapper.on('error', (error: unknown) => {
      this.options.logger.warn({ err: error }, 'channel of the dead letters failed');
    });
    this.wrapper = wrapper;
  }

  /** Resolves when nothing is being stored. Unacknowledged messages go back to the queue. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.storing;
    // Not awaited: it never ends when the connection breaks meanwhile. Held messages then go back
    // with the connection.
    this.wrapper?.close().catch(() => undefined);
    await this.options.transactions.close();
  }

  private async setUp(wrapper: ChannelWrapper, channel: ConfirmChannel): Promise<void> {
    let open = true;
    this.channel = channel;
    channel.on('error', (error: unknown) => {
      this.options.logger.warn({ err: error }, 'channel of the dead letters failed');
    });
    channel.once('close', () => {
      open = false;
      this.reopen(wrapper, channel);
    });
    await channel.prefetch(PREFETCH);
    for (const service of this.options.services.names) {
      const queue = deadLetterQueue(service);
      const take = (message: ConsumeMessage | null) => {
        // Null: the broker cancelled the consumer, for instance because the queue was deleted.
        if (!message) {
          channel.close().catch(() => undefined);
          return;
        }
        this.storing = this.storing.then(async () => {
          if ((await this.storeAll(queue, message, () => open)) && open) channel.ack(message);
        });
      };
      await channel.consume(queue, take, { consumerTag: `${this.options.worker}/${queue}` });
    }
  }

  /** Stores the commands of a message, one by one. */
  private async storeAll(
    queue: string,
    message: ConsumeMessage,
    isOpen: () => boolean,
  ): Promise<boolean> {
    const headers = message.properties.headers ?? {};
    const partition = headers['x-first-death-queue'] ?? queue;
    const reason = `given up by the message broker: ${headers['x-first-death-reason'] ?? 'no reason given'}`;
    const { signatures, services } = this.options;
    for (const command of commandsIn(message, signatures, services.decode)) {
      if (!(await this.store({ partition, command, reason }, isOpen))) return false;
    }
    return true;
  }

  /**
   * Retries until the command is stored. False when another worker has the message again, or on
   * stop.
   */
  private async store(
    { partition, command, reason }: DeadCommand,
    isOpen: () => boolean,
  ): Promise<boolean> {
    const { content, message } = command;
    const header = 'envelope' in message ? message.envelope : message.header;
    for (let tries = 0; isOpen() && !this.stopped; tries += 1) {
      const letter = new NewDeadLetter({ partition, content, header }, reason, this.options.now());
      try {
        const told = await inTransaction(this.options.transactions.begin, letter);
        this.options.logger.error(
          { partition, commandId: header?.commandId, reason },
          'message became a dead letter',
        );
        if (header && told && letter.outcome && header.replyBy >= this.options.now().getTime())
          this.options.link.reply(header.replyTo, [letter.outcome]);
        return true;
      } catch (error) {
        this.options.logger.warn(
          { err: error, tries, commandId: header?.commandId },
          'dead letter not stored yet',
        );
        await pause(retryPauseMs(tries));
      }
    }
    return false;
  }

  /**
   * Replaces the wrapper of a closed channel while the connection lives. A new connection sets up
   * its channels by itself.
   */
  private reopen(wrapper: ChannelWrapper, lost: ConfirmChannel): void {
    setTimeout(() => {
      if (this.stopped || this.channel !== lost || !this.options.connection.isConnected()) return;
      wrapper.close().catch(() => undefined);
      this.start();
    }, REOPEN_PAUSE_MS).unref();
  }
}

async function inTransaction(begin: BeginBatch, letter: NewDeadLetter): Promise<boolean> {
  const { transaction, results } = await begin(letter.reads);
  try {
    await transaction.commit(letter.writes(results));
    return letter.isTold(results);
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
}
