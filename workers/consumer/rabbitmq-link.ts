import type { AmqpConnection } from '@golevelup/nestjs-rabbitmq';
import type { Envelope, Outcome } from '../../shared/command';
import type { Logger } from '../../shared/logger';
import { encodeEnvelope } from '../../shared/messaging/envelope';
import { deadLetterQueue, partitionName, partitionOf, serviceOf } from '../../shared/messaging/topology';
import { AcceptanceUnknown, type WorkerLink } from '../../shared/messaging/transport';

/** How long a stored publish may take, milliseconds. */
const CONFIRM_TIMEOUT_MS = 5000;

/** The worker's publishing half, over golevelup's connection. */
export class RabbitmqLink implements WorkerLink {
  constructor(
    private readonly amqp: AmqpConnection,
    private readonly partitions: number,
    private readonly logger: Logger,
  ) {}

  reply(replyTo: string, outcomes: readonly Outcome[]): void {
    // Not waited for: when it is lost, the API finds the outcomes in the database.
    this.amqp.managedChannel.publish('', replyTo, Buffer.from(JSON.stringify(outcomes)), { timeout: CONFIRM_TIMEOUT_MS }).catch((error: unknown) => {
      this.logger.warn({ err: error, replyTo }, 'reply not sent');
    });
  }

  async forward(envelope: Envelope): Promise<void> {
    const queue = partitionName(serviceOf(envelope.type), partitionOf(envelope.key, this.partitions));
    await this.store(queue, encodeEnvelope(envelope), { messageId: envelope.commandId });
  }

  async deadLetter(partition: string, content: string, reason: string): Promise<void> {
    await this.store(deadLetterQueue(serviceOf(partition)), content, { headers: { 'x-partition': partition, 'x-reason': reason.slice(0, 1000) } });
  }

  private async store(queue: string, content: string, properties: { messageId?: string; headers?: Record<string, string> }): Promise<void> {
    try {
      await this.amqp.managedChannel.publish('', queue, Buffer.from(content), {
        ...properties,
        persistent: true,
        mandatory: true,
        contentType: 'application/json',
        timeout: CONFIRM_TIMEOUT_MS,
      });
    } catch (error) {
      throw new AcceptanceUnknown(`${queue} did not confirm`, { cause: error });
    }
  }
}
