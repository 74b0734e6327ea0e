import type { ChannelWrapper, AmqpConnectionManager } from 'amqp-connection-manager';
import type { ConfirmChannel, ConsumeMessage } from 'amqplib';
import type { Logger } from '../../shared/logger';
import { declarePartition } from '../../shared/messaging/declare';
import { commandsIn } from '../../shared/messaging/message';
import type { Signatures } from '../../shared/messaging/signature';
import type { Delivery, PartitionHold } from '../../shared/messaging/transport';
import type { HeldBytes } from './held-bytes';
import { Unacknowledged } from './unacknowledged';

/**
 * One worker's subscription to one partition, on a channel of its own.
 *
 * A partition is given up by closing the channel and in no other way: the broker then puts back
 * what was not acknowledged, at the front and in order, before the next consumer gets anything.
 * `basic.cancel` would let the next consumer start with later messages, and a negative
 * acknowledgement can reorder or wedge the queue.
 *
 * States: closed; open (a wrapper exists; its setup runs at each connect and each run is a new
 * hold); reopening (the broker closed the channel alone, which the connection manager does not
 * mend); closing (the batch under way may still end). A hold is lost when its channel closes, or
 * before that when it is given up at once.
 */

/**
 * Messages held at most: several batches, so that the next batch fills while the last one commits.
 */
const PREFETCH_MANY = 1500;
/**
 * The same while the messages are so large that the worker would hold too many bytes: a batch takes
 * no more of them anyway.
 */
const PREFETCH_FEW = 4;
/** How long no large message has come before many are held again, milliseconds. */
const FEW_MS = 60_000;
/** A message with more bytes is large. */
const LARGE_BYTES = 65_536;
/** Pause before a channel that was closed is opened again, milliseconds. */
const REOPEN_PAUSE_MS = 500;

export interface PartitionOptions {
  readonly name: string;
  readonly worker: string;
  readonly connection: AmqpConnectionManager;
  /**
   * Consumer priority; brokers from 4.0 on make the highest one the active consumer, older ones
   * ignore it.
   */
  readonly priority: number;
  readonly signatures: Signatures;
  /** Of this worker, over all its partitions. */
  readonly heldBytes: HeldBytes;
  readonly offer: (delivery: Delivery) => void;
  /** Resolves when no batch holds deliveries of the hold any more. */
  readonly settled: (hold: PartitionHold) => Promise<void>;
  readonly logger: Logger;
}

export class PartitionConsumer {
  private wrapper: ChannelWrapper | null = null;
  private hold: PartitionHold | null = null;
  private channelClosed: Promise<void> = Promise.resolve();
  private closing: Promise<void> | null = null;
  private generation = 0;
  private unacknowledged = new Unacknowledged();
  private prefetch = PREFETCH_MANY;
  /** When a large message came last, milliseconds of `performance.now()`. */
  private largeAt = 0;

  constructor(private readonly options: PartitionOptions) {}

  /** Whether this worker has taken the partition over, and not only stands by. */
  get active(): boolean {
    return this.hold !== null && this.hold.epoch !== null && !this.hold.lost;
  }

  get heldBytes(): number {
    return this.hold && !this.hold.lost ? this.unacknowledged.bytes : 0;
  }

  get subscribed(): boolean {
    return this.wrapper !== null;
  }

  /** Does nothing while the last subscription is still being closed; the balance asks again. */
  subscribe(): void {
    if (this.wrapper || this.closing) return;
    const wrapper = this.options.connection.createChannel({
      name: this.options.name,
      confirm: false,
      setup: (channel: ConfirmChannel) => this.setUp(wrapper, channel),
    });
    // A failed setup shows as an error here; the manager runs it again at the next connect.
    wrapper.on('error', (error: unknown) => {
      this.options.logger.warn(
        { err: error, partition: this.options.name },
        'partition channel failed',
      );
    });
    this.wrapper = wrapper;
  }

  /**
   * Lets the batch under way end, then closes the channel. Resolves when the broker has taken back
   * the rest; never rejects.
   */
  unsubscribe(): Promise<void> {
    this.closing ??= this.close().finally(() => {
      this.closing = null;
    });
    return this.closing;
  }

  /**
   * Gives the partition up at once. Whether a batch under way has committed is found out by who
   * holds it next.
   */
  abandon(): void {
    this.hold?.release();
    void this.unsubscribe();
  }

  holdFew(): void {
    const { hold } = this;
    if (this.prefetch === PREFETCH_FEW || !hold || hold.lost) return;
    this.options.logger.warn(
      { partition: this.options.name, bytes: this.heldBytes },
      'too many bytes in hand: messages given back',
    );
    this.prefetch = PREFETCH_FEW;
    this.largeAt = performance.now();
    hold.release();
    // So that nobody keeps what was given back.
    void this.options.settled(hold);
  }

  /**
   * Once nothing is held and no large message has come for a while; the channel is opened anew for
   * it.
   */
  private holdManyAgain(): void {
    if (this.prefetch === PREFETCH_MANY || performance.now() - this.largeAt < FEW_MS) return;
    this.prefetch = PREFETCH_MANY;
    this.hold?.release();
  }

  private async close(): Promise<void> {
    const { wrapper, hold } = this;
    this.wrapper = null;
    if (hold && !hold.lost) await this.options.settled(hold);
    // Rejects when the channel is closed or closing already, and never ends when the connection
    // breaks meanwhile.
    wrapper?.close().catch(() => undefined);
    await this.channelClosed;
  }

  private async setUp(wrapper: ChannelWrapper, channel: ConfirmChannel): Promise<void> {
    const { name, worker, priority, heldBytes, offer } = this.options;
    // Closed before its channel was there: what nobody listens to any more would hold the partition
    // for ever.
    if (this.wrapper !== wrapper) return channel.close();
    const unacknowledged = new Unacknowledged();
    const hold = this.newHold(channel, unacknowledged);
    this.hold = hold;
    this.unacknowledged = unacknowledged;
    channel.on('error', (error: unknown) => {
      this.options.logger.warn({ err: error, partition: name }, 'partition channel failed');
    });
    this.channelClosed = new Promise((resolve) => {
      channel.once('close', () => {
        hold.lost = true;
        this.reopen(wrapper, hold);
        resolve();
      });
    });
    // The queue may have been deleted: that is why the last channel was closed.
    await declarePartition(channel, name);
    await channel.prefetch(this.prefetch);
    const consumerTag = `${worker}/${name}#${(this.generation += 1)}`;
    const take = (message: ConsumeMessage | null) => {
      // Null: the broker cancelled the consumer, for instance because the queue was deleted.
      if (!message) hold.release();
      else if (!hold.lost && this.wrapper === wrapper) {
        for (const delivery of this.deliveriesOf(hold, unacknowledged, message)) offer(delivery);
        heldBytes.grew(this);
      }
    };
    await channel.consume(name, take, { consumerTag, priority });
  }

  private deliveriesOf(
    hold: PartitionHold,
    unacknowledged: Unacknowledged,
    message: ConsumeMessage,
  ): Delivery[] {
    const takenAt = performance.now();
    const redeliveries = Number(message.properties.headers?.['x-delivery-count'] ?? 0);
    const commands = commandsIn(message, this.options.signatures);
    const { length: bytes } = message.content;
    if (bytes > LARGE_BYTES) this.largeAt = takenAt;
    const first = unacknowledged.add(message.fields.deliveryTag, commands.length, bytes);
    return commands.map((command, index) =>
      Object.assign(command, { hold, place: first + index, redeliveries, takenAt }),
    );
  }

  private newHold(channel: ConfirmChannel, unacknowledged: Unacknowledged): PartitionHold {
    return {
      name: this.options.name,
      epoch: null,
      lost: false,
      ack: ({ place }) => {
        const deliveryTag = unacknowledged.done(place);
        // Only the tag is looked at; the message itself need not be kept for it.
        if (deliveryTag !== null) channel.ack({ fields: { deliveryTag } } as ConsumeMessage, true);
        if (unacknowledged.bytes === 0) this.holdManyAgain();
      },
      release() {
        if (this.lost) return;
        this.lost = true;
        // The close event that follows opens a new channel.
        channel.close().catch(() => undefined);
      },
    };
  }

  /**
   * Replaces the wrapper of a channel that is gone while the connection lives; a new connection
   * sets it up by itself.
   */
  private reopen(wrapper: ChannelWrapper, lost: PartitionHold): void {
    if (this.wrapper !== wrapper) return;
    setTimeout(() => {
      if (this.wrapper !== wrapper || this.hold !== lost || !this.options.connection.isConnected())
        return;
      this.wrapper = null;
      wrapper.close().catch(() => undefined);
      this.subscribe();
    }, REOPEN_PAUSE_MS).unref();
  }
}
