import type { Outcome } from '../../shared/command';
import { encodeEnvelope } from '../../shared/messaging/envelope';
import { COMMANDS_MAX, encodeMessage } from '../../shared/messaging/message';
import { Signatures } from '../../shared/messaging/signature';
import { partitionFor } from '../../shared/messaging/topology';
import type { Broker } from './broker/broker';
import type { StockCommand } from './stock';
import { instantMs } from './time';

/** Where replies go. */
const REPLY_TO = 'replies.api';
/** How long the client of a command waits, milliseconds. */
const WAIT_MS = 20_000;
/** The workers here take any message: signatures are tried against a real broker. */
const UNCHECKED = new Signatures(Buffer.alloc(0), 'ignored');

/** A command as its client remembers it. */
export interface Sent {
  readonly command: StockCommand;
  /** The broker has stored it, once or several times. */
  stored: number;
  readonly answers: Outcome[];
}

/**
 * The API and its clients: they send commands, repeat some under the same id, and record each
 * answer. The API is not under test, so it never fails. What it publishes may be lost, before it is
 * stored or with its confirm, and is then sent again.
 */
export class Api {
  readonly sent = new Map<string, Sent>();
  private readonly queues = new Map<string, string>();
  /** What goes into the next message, by queue. */
  private readonly gathered = new Map<string, Sent[]>();

  constructor(private readonly broker: Broker) {
    broker.listeners.set(REPLY_TO, (content) => {
      if (broker.around.faults.replyIsLost()) return;
      for (const outcome of JSON.parse(content) as Outcome[])
        this.sent.get(outcome.commandId)?.answers.push(outcome);
    });
  }

  /** Sends a command for the first time. */
  send(draft: Pick<StockCommand, 'type' | 'key' | 'payload'>): void {
    const number = this.sent.size + 1;
    const now = instantMs();
    const envelope = {
      commandId: number.toString(16).padStart(40, '0'),
      actor: { userId: null, username: null, role: 'user', isAdmin: false },
      requestId: `request-${number}`,
      createdAt: now,
      replyTo: REPLY_TO,
      replyBy: now + WAIT_MS,
      traceparent: null,
      ...draft,
    } as StockCommand;
    const sent: Sent = { command: envelope, stored: 0, answers: [] };
    this.sent.set(envelope.commandId, sent);
    for (const delayMs of this.broker.around.faults.sendings()) this.publish(sent, delayMs);
  }

  private queueOf({ type, key }: StockCommand): string {
    const known = this.queues.get(key) ?? partitionFor({ type, key }, this.broker.around.layout);
    this.queues.set(key, known);
    return known;
  }

  private publish(sent: Sent, delayMs: number): void {
    const { scheduler, faults } = this.broker.around;
    scheduler.in(delayMs, null, () => {
      const queue = this.queueOf(sent.command);
      const gathered = this.gathered.get(queue);
      if (gathered) {
        gathered.push(sent);
        return;
      }
      this.gathered.set(queue, [sent]);
      scheduler.in(faults.gatherMs, null, () => {
        this.publishGathered(queue);
      });
    });
  }

  private publishGathered(queue: string): void {
    const gathered = this.gathered.get(queue) ?? [];
    this.gathered.delete(queue);
    if (!this.broker.up) return;
    while (gathered.length > 0) {
      const part = gathered.splice(0, COMMANDS_MAX);
      for (const sent of part) sent.stored += 1;
      const { content, contentType } = encodeMessage(
        part.map(({ command }) => encodeEnvelope(command)),
        UNCHECKED,
      );
      this.broker.publish(queue, content.toString(), { contentType });
    }
  }
}
