import type { Channel } from 'amqplib';
import type { Envelope, Outcome } from '../../shared/command';
import type { Signatures } from '../../shared/messaging/signature';
import { partitionFor, replyQueue, type Layout } from '../../shared/messaging/topology';
import { NotAccepted, type CommandSender, type QueueState } from '../../shared/messaging/transport';
import { BrokerConnection, type ConnectionOptions } from './broker/connection';
import { CurrentLayout, type LayoutOptions } from './broker/current-layout';
import { Publisher, Returned } from './broker/publisher';
import { Replies } from './broker/replies';

/** The broker's reply code for a missing queue. */
const NOT_FOUND = 404;

export interface SenderOptions
  extends LayoutOptions, Pick<ConnectionOptions, 'urls' | 'instance' | 'logger'> {
  readonly signatures: Signatures;
}

/** Publishes commands with confirms, and receives the replies for this API instance. */
export class RabbitmqSender implements CommandSender {
  readonly replyTo: string;
  private readonly connection: BrokerConnection;
  private readonly layout: CurrentLayout;
  private publisher: Publisher | null = null;
  private readonly replies: Replies;
  private lookup: Promise<Channel> | null = null;

  private constructor(options: SenderOptions, layout: Layout) {
    const { logger } = options;
    this.replyTo = replyQueue(options.instance);
    this.replies = new Replies(this.replyTo, logger);
    this.layout = new CurrentLayout(options, layout, () => this.openChannel());
    this.connection = new BrokerConnection({
      ...options,
      prepare: async (model) => {
        // While the database is unavailable, the queues are most likely there.
        await this.layout.declare(await model.createChannel()).catch((error: unknown) => {
          logger.warn({ err: error }, 'queues not declared');
        });
        return [await this.replies.consume(model)];
      },
      onOpen: (channel) => {
        this.publisher = new Publisher(channel, options.signatures, () => {
          this.connection.replaceChannel();
        });
      },
      onLost: () => {
        this.lookup = null;
        this.publisher?.lose();
        this.publisher = null;
      },
    });
  }

  /**
   * Connects. Later it reconnects by itself.
   * @throws StartError when the broker cannot be reached at start.
   */
  static async open(options: SenderOptions): Promise<RabbitmqSender> {
    const sender = new RabbitmqSender(options, await options.readLayout());
    await sender.connection.open();
    return sender;
  }

  onReply(listener: (outcome: Outcome) => void): void {
    this.replies.onReply(listener);
  }

  ready(): boolean {
    return this.connection.fault === null && this.publisher?.isFull === false;
  }

  fault(): string | null {
    const { fault } = this.connection;
    if (fault === 'unavailable') return 'The message broker is unavailable.';
    return fault && 'The message broker takes nothing at the moment.';
  }

  async send(envelope: Envelope): Promise<void> {
    const layout = this.layout.value;
    try {
      await this.publish(envelope, layout);
    } catch (error) {
      if (!(error instanceof Returned) || !(await this.layout.hasNewer(layout))) throw error;
      await this.publish(envelope, this.layout.value);
    }
  }

  partitionFor(command: Pick<Envelope, 'type' | 'key'>): string {
    return partitionFor(command, this.layout.value);
  }

  async waiting(partition: string): Promise<QueueState> {
    // A channel of its own, because the broker closes it when the queue is missing, as those of an
    // older layout are.
    this.lookup ??= this.openChannel().then((channel) => {
      channel.on('error', () => undefined);
      return channel;
    });
    try {
      const { messageCount } = await (await this.lookup).checkQueue(partition);
      return { commands: messageCount, oldestAt: null };
    } catch (error) {
      this.lookup = null;
      if ((error as { code?: number }).code === NOT_FOUND) return { commands: 0, oldestAt: null };
      throw error;
    }
  }

  /**
   * Opens a channel on this connection, for another part of the program.
   * @throws NotAccepted while the broker is unavailable.
   */
  openChannel(): Promise<Channel> {
    return this.connection.openChannel();
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  private publish(envelope: Envelope, layout: Layout): Promise<void> {
    if (this.connection.fault === 'blocked')
      return Promise.reject(new NotAccepted('the message broker blocks publishers'));
    return this.publisher
      ? this.publisher.publish(envelope, layout)
      : Promise.reject(new NotAccepted('the message broker is unavailable'));
  }
}
