import type { Channel, ChannelModel } from 'amqplib';
import type { Outcome } from '../../../shared/command';
import type { Logger } from '../../../shared/logger';
import { REPLY_ARGUMENTS } from '../../../shared/messaging/topology';

/** Receives the replies to one API process from its own queue. */
export class Replies {
  private readonly listeners: ((outcome: Outcome) => void)[] = [];

  constructor(
    private readonly queue: string,
    private readonly logger: Logger,
  ) {}

  onReply(listener: (outcome: Outcome) => void): void {
    this.listeners.push(listener);
  }

  /** Consumes the queue; the returned channel closes when the broker ends the consumer. */
  async consume(model: ChannelModel): Promise<Channel> {
    const channel = await model.createChannel();
    await channel.assertQueue(this.queue, {
      exclusive: true,
      autoDelete: true,
      durable: false,
      arguments: REPLY_ARGUMENTS,
    });
    await channel.consume(
      this.queue,
      (message) => {
        if (message) this.take(message.content);
        // For instance because the queue was deleted; what is closed is opened again.
        else channel.close().catch(() => undefined);
      },
      { noAck: true, consumerTag: this.queue },
    );
    return channel;
  }

  private take(content: Buffer): void {
    let outcomes: Outcome[];
    try {
      outcomes = JSON.parse(content.toString()) as Outcome[];
    } catch (error) {
      this.logger.error({ err: error }, 'unreadable reply');
      return;
    }
    for (const outcome of outcomes) for (const listener of this.listeners) listener(outcome);
  }
}
