import { connect, type ChannelModel } from 'amqplib';
import type { CloudEvent } from '../../../shared/messaging/event';
import { onCleanUp } from '../run/cleanup';
import { waitUntil } from '../wait';

/** A message on the exchange of events, as a consumer gets it. */
export interface PublishedEvent {
  readonly eventId: string;
  readonly aggregateId: string;
  readonly body: string;
  readonly routingKey: string;
  readonly properties: {
    readonly messageId: unknown;
    readonly contentType: unknown;
    readonly deliveryMode: unknown;
  };
}

export interface EventQueue {
  /** Everything in the order of arrival, also what came twice. */
  readonly all: readonly PublishedEvent[];
  /** Returns each event where it came first. */
  firsts(): PublishedEvent[];
}

/** How long the broker may take to have the exchange and the queue, milliseconds. */
const BIND_MS = 30_000;

/**
 * Returns a durable queue bound to the exchange of events, as others would bind one, and what comes
 * out of it, also after the broker was restarted.
 */
export async function openEventQueue(rabbitmqUrl: string, pattern = '#'): Promise<EventQueue> {
  const all: PublishedEvent[] = [];
  const queue = 'test.events';
  let consuming = false;
  const consume = async (model: ChannelModel) => {
    const channel = await model.createChannel();
    channel.on('error', () => undefined);
    await channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
    await channel.bindQueue(queue, 'domain-events', pattern);
    await channel.consume(queue, (message) => {
      if (!message) return;
      const body = message.content.toString();
      const { id: eventId, subject: aggregateId } = JSON.parse(body) as CloudEvent;
      all.push({
        eventId,
        aggregateId,
        body,
        routingKey: message.fields.routingKey,
        properties: message.properties,
      });
      channel.ack(message);
    });
    consuming = true;
  };
  const connection = await connect(rabbitmqUrl, {
    recovery: { initialDelay: 100, maxDelay: 1000, maxRetries: Infinity, setup: consume },
  });
  connection.on('error', () => undefined).on('disconnect', () => undefined);
  onCleanUp(() => connection.close());
  await waitUntil('the queue of events', BIND_MS, () => consuming);
  return { all, firsts: () => firstsOf(all) };
}

function firstsOf(events: readonly PublishedEvent[]): PublishedEvent[] {
  const seen = new Set<string>();
  return events.filter(({ eventId }) => !seen.has(eventId) && seen.add(eventId));
}
