import type { ConfirmChannel } from 'amqplib';
import type { Envelope } from '../../../shared/command';
import { encodeEnvelope } from '../../../shared/messaging/envelope';
import { encodeMessage } from '../../../shared/messaging/message';
import type { Signatures } from '../../../shared/messaging/signature';
import { commandsExchange, partitionFor, type Layout } from '../../../shared/messaging/topology';
import { NotAccepted } from '../../../shared/messaging/transport';
import { Confirms } from './confirms';
import { PublishBatches, type PublishBatch } from './publish-batches';

/** Most commands published and not confirmed yet; more are refused with 503. */
const WINDOW_MAX = 4000;

interface Publish {
  readonly publishId: string;
  readonly commandId: string;
  /** The command. */
  readonly text: string;
}

/** No queue took the command: the number of partitions has changed, or a queue is missing. */
export class Returned extends NotAccepted {}

/** Publishes commands on one channel, and waits for their confirms. */
export class Publisher {
  private lost = false;
  private readonly confirms = new Confirms();
  private readonly batches = new PublishBatches<Publish>((batch) => {
    this.put(batch);
  });
  private readonly returned = new Set<string>();

  /** `onRefused` is called when the broker refuses a message of this channel. */
  constructor(
    private readonly channel: ConfirmChannel,
    private readonly signatures: Signatures,
    private readonly onRefused: () => void,
  ) {
    channel.on('return', (message: { properties: { correlationId?: string } }) => {
      if (message.properties.correlationId) this.returned.add(message.properties.correlationId);
    });
    // Before amqplib's own listener, which fails every publish that was not confirmed as if the
    // broker had refused it.
    channel.prependOnceListener('close', () => {
      this.lose();
    });
  }

  /** Whether as many publishes wait for their confirms as may. */
  get isFull(): boolean {
    return this.confirms.size >= WINDOW_MAX;
  }

  /** The channel is gone: publishes without a confirm may or may not have been stored. */
  lose(): void {
    this.lost = true;
    this.confirms.lose();
  }

  /**
   * Resolves when the broker has stored the command.
   * @throws NotAccepted when it has not.
   * @throws AcceptanceUnknown when nobody knows.
   */
  async publish(envelope: Envelope, layout: Layout): Promise<void> {
    if (this.isFull) throw new NotAccepted(`${WINDOW_MAX} commands wait to be confirmed`);
    const { publishId, confirmed } = this.confirms.add();
    this.batches.add(
      { exchange: commandsExchange(layout.generation), queue: partitionFor(envelope, layout) },
      { publishId, commandId: envelope.commandId, text: encodeEnvelope(envelope) },
    );
    await confirmed;
  }

  private put(batch: PublishBatch<Publish>): void {
    const { exchange, queue, items } = batch;
    const [first] = items;
    // Those of a channel that was lost since are settled.
    if (this.lost || !first) return;
    const { content, ...encoded } = encodeMessage(
      items.map(({ text }) => text),
      this.signatures,
    );
    const { commandId: messageId, publishId: correlationId } = first;
    const properties = { ...encoded, persistent: true, mandatory: true, messageId, correlationId };
    try {
      this.channel.publish(exchange, queue, content, properties, (error: unknown) => {
        this.confirmed(batch, error);
      });
    } catch (error) {
      this.settle(
        batch,
        new NotAccepted('the channel to the message broker is closed', { cause: error }),
      );
    }
  }

  private confirmed(batch: PublishBatch<Publish>, error: unknown): void {
    // A message that no queue takes is returned first and confirmed after.
    if (this.returned.delete(batch.items[0]?.publishId ?? ''))
      this.settle(batch, new Returned('no queue takes the command'));
    else if (!error) this.settle(batch, null);
    // What a lost channel took along is settled already.
    else if (!this.lost) {
      this.settle(
        batch,
        new NotAccepted(
          'the message broker refused the command: its queue is full, or has no leader',
        ),
      );
      this.onRefused();
    }
  }

  private settle({ items }: PublishBatch<Publish>, error: Error | null): void {
    for (const { publishId } of items) this.confirms.settle(publishId, error);
  }
}
