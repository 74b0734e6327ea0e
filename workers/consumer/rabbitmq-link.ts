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
import { OwnChannel } from './own-channel';

/** How long a stored publish may take, milliseconds. */
const CONFIRM_TIMEOUT_MS = 5000;

/** The worker's publishing half, over golevelup's connection. */
export class RabbitmqLink implements WorkerLink {
  private readonly events: OwnChannel;
  private readonly commands: OwnChannel;
  /** Ids of commands that the broker could not route to a queue. */
  private readonly returned = new Set<string>();

  constructor(
    private readonly amqp: AmqpConnection,
    /** The layout to publish in. */
    private readonly layout: () => Layout,
    private readonly signatures: Signatures,
    private readonly logger: Logger,
  ) {
    this.events = new OwnChannel(() => this.openLogged());
    this.commands = new OwnChannel(async () => {
      const channel = await this.openLogged();
      // An unroutable message is returned first, and then confirmed all the same.
      channel.on('return', ({ properties }: Message) =>
        this.returned.add(String(properties.messageId)),
      );
      return channel;
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
    const exchange = commandsExchange(layout.generation);
    const { content, ...encoded } = encodeMessage([encodeEnvelope(envelope)], this.signatures);
    const { commandId: messageId } = envelope;
    const options = { ...encoded, messageId, persistent: true, mandatory: true };
    const channel = await within(this.commands.get(), 'no channel for commands');
    const stored = new Promise<void>((resolve, reject) => {
      channel.publish(exchange, queue, content, options, (error) => {
        if (error) reject(error as Error);
        else resolve();
      });
    });
    try {
      await within(stored, `${queue} did not confirm`);
    } catch (error) {
      this.returned.delete(messageId);
      this.commands.replace(channel, CONFIRM_TIMEOUT_MS);
      throw new AcceptanceUnknown(`${queue} did not confirm`, { cause: error });
    }
    if (this.returned.delete(messageId)) throw new NotAccepted(`${queue} is closed or missing`);
  }

  partitionFor(envelope: Envelope): string {
    return partitionFor(envelope, this.layout());
  }

  /**
   * Publishes events, pipelined. When a bound queue rejects one (`reject-publish`), all are
   * published again. That queue may then get a later event before an earlier one.
   */
  async publishEvents(events: readonly EventMessage[]): Promise<void> {
    const channel = await within(this.events.get(), 'no channel for events');
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
      this.events.drop(channel);
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

  private async openLogged(): Promise<ConfirmChannel> {
    const channel = await this.openChannel();
    channel.on('error', (error: unknown) => {
      this.logger.warn({ err: error }, 'channel to publish on failed');
    });
    return channel;
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
