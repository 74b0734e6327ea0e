import type { ChannelWrapper, AmqpConnectionManager } from 'amqp-connection-manager';
import type { ConfirmChannel, ConsumeMessage } from 'amqplib';
import type { Logger } from '../../shared/logger';
import { declarePartition } from '../../shared/messaging/declare';
import { commandsIn } from '../../shared/messaging/message';
import type { Signatures } from '../../shared/messaging/signature';
import type { Services } from '../../shared/service';
import type { Delivery, PartitionOwnership } from '../../shared/messaging/transport';
import type { HeldBytes } from './held-bytes';
import { Prefetch } from './prefetch';
import { Unacknowledged } from './unacknowledged';

/**
 * One worker's subscription to one partition, on its own channel.
 * A partition is released only by closing the channel: the broker then requeues unacknowledged
 * messages at the front, in order. After `basic.cancel` the next consumer could start with later
 * messages. A negative acknowledgement can reorder or wedge the queue.
 * States: closed; open (each connect begins a new ownership); reopening (the broker closed only the
 * channel); closing (a batch may still end). Ownership is lost when the channel closes, or earlier
 * when the partition is released at once.
 */

/** Pause before a closed channel is opened again, milliseconds. */
const REOPEN_PAUSE_MS = 500;

export interface PartitionOptions {
  readonly name: string;
  readonly worker: string;
  readonly connection: AmqpConnectionManager;
  /**
   * Consumer priority. Brokers from 4.0 on activate the consumer with the highest one. Older
   * brokers ignore it.
   */
  readonly priority: number;
  readonly signatures: Signatures;
  readonly decode: Services['decode'];
  /** Of this worker, over all its partitions. */
  readonly heldBytes: HeldBytes;
  readonly offer: (delivery: Delivery) => void;
  /** Resolves when no batch holds deliveries of the ownership any more. */
  readonly settled: (ownership: PartitionOwnership) => Promise<void>;
  readonly logger: Logger;
}

export class PartitionConsumer {
  private wrapper: ChannelWrapper | null = null;
  private ownership: PartitionOwnership | null = null;
  private channelClosed: Promise<void> = Promise.resolve();
  private closing: Promise<void> | null = null;
  private generation = 0;
  private unacknowledged = new Unacknowledged();
  private readonly prefetch = new Prefetch();

  constructor(private readonly options: PartitionOptions) {}

  /** Returns whether this worker has taken the partition over, and does not only stand by. */
  get active(): boolean {
    return this.ownership !== null && this.ownership.epoch !== null && !this.ownership.lost;
  }

  /** Returns whether this worker has left the partition to workers of a later release. */
  get waits(): boolean {
    return this.ownership !== null && !this.ownership.lost && this.ownership.waitsFrom !== null;
  }

  get heldBytes(): number {
    return this.ownership && !this.ownership.lost ? this.unacknowledged.bytes : 0;
  }

  get subscribed(): boolean {
    return this.wrapper !== null;
  }

  /** Subscribes. Does nothing while the last subscription is closing: the balance calls again. */
  subscribe(): void {
    if (this.wrapper || this.closing) return;
    const wrapper = this.options.connection.createChannel({
      name: this.options.name,
      confirm: false,
      setup: (channel: ConfirmChannel) => this.setUp(wrapper, channel),
    });
    // A failed setup arrives here as an error. The manager runs it again at the next connect.
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
   * the rest. Never rejects.
   */
  unsubscribe(): Promise<void> {
    this.closing ??= this.close().finally(() => {
      this.closing = null;
    });
    return this.closing;
  }

  /**
   * Releases the partition at once. Its next owner finds out whether a batch under way has
   * committed.
   */
  abandon(): void {
    this.ownership?.release();
    void this.unsubscribe();
  }

  holdFew(): void {
    const { ownership } = this;
    if (this.prefetch.isLow || !ownership || ownership.lost) return;
    this.options.logger.warn(
      { partition: this.options.name, bytes: this.heldBytes },
      'too many bytes in memory: messages requeued',
    );
    this.prefetch.lower();
    ownership.release();
    // So that no reference keeps the returned deliveries in memory.
    void this.options.settled(ownership);
  }

  private async close(): Promise<void> {
    const { wrapper, ownership } = this;
    this.wrapper = null;
    if (ownership && !ownership.lost) await this.options.settled(ownership);
    // Rejects when the channel is closed or closing, and never ends when the connection breaks
    // meanwhile.
    wrapper?.close().catch(() => undefined);
    await this.channelClosed;
  }

  private async setUp(wrapper: ChannelWrapper, channel: ConfirmChannel): Promise<void> {
    const { name, worker, priority, heldBytes, offer } = this.options;
    // Closed before its channel was there: a channel without a listener would hold the partition
    // for ever.
    if (this.wrapper !== wrapper) return channel.close();
    const unacknowledged = new Unacknowledged();
    const ownership = this.newOwnership(channel, unacknowledged);
    this.ownership = ownership;
    this.unacknowledged = unacknowledged;
    channel.on('error', (error: unknown) => {
      this.options.logger.warn({ err: error, partition: name }, 'partition channel failed');
    });
    this.channelClosed = new Promise((resolve) => {
      channel.once('close', () => {
        ownership.lost = true;
        this.reopen(wrapper, ownership);
        resolve();
      });
    });
    // The queue may have been deleted: that is why the last channel was closed.
    await declarePartition(channel, name);
    await channel.prefetch(this.prefetch.count);
    const consumerTag = `${worker}/${name}#${(this.generation += 1)}`;
    const take = (message: ConsumeMessage | null) => {
      // Null: the broker cancelled the consumer, for instance because the queue was deleted.
      if (!message) ownership.release();
      else if (!ownership.lost && this.wrapper === wrapper) {
        for (const delivery of this.deliveriesOf(ownership, unacknowledged, message))
          offer(delivery);
        heldBytes.grew(this);
      }
    };
    await channel.consume(name, take, { consumerTag, priority });
  }

  private deliveriesOf(
    ownership: PartitionOwnership,
    unacknowledged: Unacknowledged,
    message: ConsumeMessage,
  ): Delivery[] {
    const takenAt = performance.now();
    const redeliveries = Number(message.properties.headers?.['x-delivery-count'] ?? 0);
    const { signatures, decode } = this.options;
    const commands = commandsIn(message, signatures, decode);
    const { length: bytes } = message.content;
    this.prefetch.took(bytes, takenAt);
    const first = unacknowledged.add(message.fields.deliveryTag, commands.length, bytes);
    return commands.map((command, index) =>
      Object.assign(command, { ownership, place: first + index, redeliveries, takenAt }),
    );
  }

  private newOwnership(
    channel: ConfirmChannel,
    unacknowledged: Unacknowledged,
  ): PartitionOwnership {
    return {
      name: this.options.name,
      epoch: null,
      lost: false,
      waitsFrom: null,
      ack: ({ place }) => {
        const deliveryTag = unacknowledged.done(place);
        // Only the tag is needed, so the message itself is not kept.
        if (deliveryTag !== null) channel.ack({ fields: { deliveryTag } } as ConsumeMessage, true);
        // Only a new channel has a larger prefetch.
        if (unacknowledged.bytes === 0 && this.prefetch.raise()) this.ownership?.release();
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
   * Replaces the wrapper of a closed channel while the connection lives. A new connection sets up
   * its channels by itself.
   */
  private reopen(wrapper: ChannelWrapper, lost: PartitionOwnership): void {
    if (this.wrapper !== wrapper) return;
    setTimeout(() => {
      if (
        this.wrapper !== wrapper ||
        this.ownership !== lost ||
        !this.options.connection.isConnected()
      )
        return;
      this.wrapper = null;
      wrapper.close().catch(() => undefined);
      this.subscribe();
    }, REOPEN_PAUSE_MS).unref();
  }
}
