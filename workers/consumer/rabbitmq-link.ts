import type { AmqpConnection } from '@golevelup/nestjs-rabbitmq';
import type { ConfirmChannel, Message } from 'amqplib';
import type { Envelope, Outcome } from '../../shared/command';
import type { Logger } from '../../shared/logger';
import { encodeEnvelope } from '../../shared/messaging/envelope';
import { encodeMessage } from '../../shared/messaging/message';
import type { Signatures } from '../../shared/messaging/signature';
import { CLOUD_EVENT_TYPE } from '../../shared/messaging/event';
import {
  commandsExchange,
  EVENTS_EXCHANGE,
  partitionFor,
  type Layout,
} from '../../shared/messaging/topology';
import {
  AcceptanceUnknown,
  NotAccepted,
  type EventMessage,
  type WorkerLink,
} from '../../shared/messaging/transport';

/** How long a stored publish may take, milliseconds. */
const CONFIRM_TIMEOUT_MS = 5000;

/** The worker's publishing half, over golevelup's connection. */
export class RabbitmqLink implements WorkerLink {
  /**
   * The channel of events, without the connection manager. After a reconnect, the manager would
   * send waiting events before earlier ones that were lost with the connection. Null until it is
   * needed, and after it broke.
   */
  private events: Promise<ConfirmChannel> | null = null;
  /** Ids of messages that the broker could not route to a queue. */
  private readonly returned = new Set<string>();

  constructor(
    private readonly amqp: AmqpConnection,
    /** The layout to publish in. */
    private readonly layout: () => Layout,
    private readonly signatures: Signatures,
    private readonly logger: Logger,
  ) {}

  /**
   * Listens for unroutable messages. The broker returns them first, and then confirms them all the
   * same.
   */
  async start(): Promise<void> {
    await this.amqp.managedChannel.addSetup((channel: ConfirmChannel) => {
      channel.on('return', ({ properties }: Message) =>
        this.returned.add(String(properties.messageId)),
      );
      return Promise.resolve();
    });
  }

  reply(replyTo: string, outcomes: readonly Outcome[]): void {
    // Not awaited: when a reply is lost, the API finds the outcome in the database.
    this.amqp.managedChannel
      .publish('', replyTo, Buffer.from(JSON.stringify(outcomes)), { timeout: CONFIRM_TIMEOUT_MS })
      .catch((error: unknown) => {
        this.logger.warn(
          { err: error, replyTo, commandIds: outcomes.map(({ commandId }) => commandId) },
          'reply not sent',
        );
      });
  }

  async forward(envelope: Envelope): Promise<void> {
    const layout = this.layout();
    const queue = partitionFor(envelope, layout);
    try {
      const { content, ...encoded } = encodeMessage([encodeEnvelope(envelope)], this.signatures);
      await this.amqp.managedChannel.publish(commandsExchange(layout.generation), queue, content, {
        messageId: envelope.commandId,
        persistent: true,
        mandatory: true,
        ...encoded,
        timeout: CONFIRM_TIMEOUT_MS,
      });
    } catch (error) {
      this.returned.delete(envelope.commandId);
      throw new AcceptanceUnknown(`${queue} did not confirm`, { cause: error });
    }
    if (this.returned.delete(envelope.commandId))
      throw new NotAccepted(`${queue} is closed or missing`);
  }

  partitionFor(envelope: Envelope): string {
    return partitionFor(envelope, this.layout());
  }

  /**
   * Publishes events, pipelined. When a bound queue rejects one (`reject-publish`), all are
   * published again. That queue may then get a later event before an earlier one.
   */
  async publishEvents(events: readonly EventMessage[]): Promise<void> {
    const channel = await within((this.events ??= this.openEvents()), 'no channel for events');
    try {
      for (const { eventId, type, json } of events) {
        channel.publish(EVENTS_EXCHANGE, type, Buffer.from(json), {
          persistent: true,
          contentType: CLOUD_EVENT_TYPE,
          messageId: eventId,
        });
      }
      await within(channel.waitForConfirms(), 'events not confirmed');
    } catch (error) {
      this.events = null;
      void Promise.resolve()
        .then(() => channel.close())
        .catch(() => undefined);
      throw new AcceptanceUnknown('events may not be stored', { cause: error });
    }
  }

  /**
   * Opens a channel that ends with its connection.
   * @throws NotAccepted while the broker is unavailable.
   */
  openChannel(): Promise<ConfirmChannel> {
    const { connection } = this.amqp.managedConnection;
    return connection
      ? connection.createConfirmChannel()
      : Promise.reject(new NotAccepted('the message broker is unavailable'));
  }

  private openEvents(): Promise<ConfirmChannel> {
    const forget = () => {
      if (this.events === opening) this.events = null;
    };
    const open = async () => {
      const channel = await this.openChannel();
      channel.on('error', (error: unknown) => {
        this.logger.warn({ err: error }, 'channel for events failed');
      });
      channel.once('close', forget);
      return channel;
    };
    const opening = open();
    opening.catch(forget);
    return opening;
  }
}

/** Limits the wait for the broker's answer. After the limit, the result is unknown. */
function within<T>(answer: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new AcceptanceUnknown(`${what} within ${CONFIRM_TIMEOUT_MS} ms`));
    }, CONFIRM_TIMEOUT_MS);
  });
  return Promise.race([answer, late]).finally(() => {
    clearTimeout(timer);
  });
}
