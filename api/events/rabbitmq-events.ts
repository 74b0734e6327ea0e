import type { Channel } from 'amqplib';
import type { Logger } from '../../shared/logger';
import { closeQuietly } from '../../shared/messaging/close-quietly';
import { decodeEvent } from '../../shared/messaging/event';
import {
  EVENT_OVERFLOW_ARGUMENTS,
  eventQueue,
  eventQueueArguments,
  EVENTS_EXCHANGE,
} from '../../shared/messaging/topology';
import type { EventListener, EventSource } from '../../shared/messaging/transport';

/**
 * Takes domain events from the broker for the streams of this API: one queue for all of them, that
 * lives as long as its channel.
 *
 * States: silent (nobody listens, no channel), opening, listening. The first listener opens a
 * channel, and the last one to leave closes it. A lost channel is not repaired, because its queue
 * is lost too: all listeners are notified, and the next one opens another.
 */

export interface RabbitmqEventsOptions {
  readonly openChannel: () => Promise<Channel>;
  /** Name of this API process, unique among those that run. */
  readonly instance: string;
  readonly logger: Logger;
}

const TRANSIENT = { exclusive: true, autoDelete: true, durable: false } as const;

export class RabbitmqEvents implements EventSource {
  private readonly listeners = new Set<EventListener>();
  private channel: Promise<Channel> | null = null;
  private openings = 0;

  constructor(private readonly options: RabbitmqEventsOptions) {}

  async subscribe(listener: EventListener): Promise<() => void> {
    this.listeners.add(listener);
    await (this.channel ??= this.open());
    return () => {
      if (this.listeners.delete(listener) && this.listeners.size === 0) this.fallSilent();
    };
  }

  private open(): Promise<Channel> {
    const lose = () => {
      if (this.channel !== opening) return;
      this.channel = null;
      const lost = [...this.listeners];
      this.listeners.clear();
      for (const listener of lost) listener.lost();
    };
    const opening = this.listen(lose);
    opening.catch(lose);
    return opening;
  }

  private fallSilent(): void {
    const { channel } = this;
    this.channel = null;
    channel?.then((open) => open.close()).catch(() => undefined);
  }

  private async listen(lose: () => void): Promise<Channel> {
    const { openChannel, instance, logger } = this.options;
    const channel = await openChannel();
    const close = () => void closeQuietly(channel);
    channel.on('error', (error: unknown) => {
      logger.warn({ err: error }, 'channel for events failed');
    });
    channel.once('close', lose);
    // Another name each time: the broker may still be removing the last one.
    const queue = eventQueue(instance, (this.openings += 1));
    const overflow = `${queue}.overflow`;
    await channel.assertQueue(overflow, { ...TRANSIENT, arguments: EVENT_OVERFLOW_ARGUMENTS });
    await channel.assertQueue(queue, { ...TRANSIENT, arguments: eventQueueArguments(overflow) });
    await channel.consume(overflow, close, { noAck: true });
    await channel.consume(
      queue,
      (message) => {
        // Null: the broker has ended the consumer.
        if (message) this.take(message.content);
        else close();
      },
      { noAck: true },
    );
    // Last, so that nothing arrives in a queue that nobody consumes.
    await channel.bindQueue(queue, EVENTS_EXCHANGE, '#');
    return channel;
  }

  private take(content: Buffer): void {
    const event = decodeEvent(content.toString());
    if (event) for (const listener of this.listeners) listener.take(event);
    else this.options.logger.warn('unreadable message on the event exchange');
  }
}
