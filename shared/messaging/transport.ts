import type { Envelope, Outcome } from '../command';
import type { DecodedMessage } from './envelope';

/**
 * The two halves of a transport. RabbitMQ and the embedded command log each implement both.
 * Everything else in the pipeline is the same code for either.
 */

/** The API's half: commands out, replies in. */
export interface CommandSender {
  /** Address that workers reply to; part of every envelope. */
  readonly replyTo: string;
  /**
   * Resolves once the command is stored durably, so that it may be promised.
   * @throws NotAccepted when it certainly was not stored: sending it again is safe.
   * @throws AcceptanceUnknown when it may have been stored: only the same command id may be sent
   * again.
   */
  send(envelope: Envelope): Promise<void>;
  /** Returns the partition that a command goes to. */
  partitionFor(command: Pick<Envelope, 'type' | 'key'>): string;
  /**
   * Counts what waits in a partition, from all senders. A broker does not count what a worker
   * holds.
   */
  waiting(partition: string): Promise<QueueState>;
  /**
   * Calls `listener` with every outcome for this instance. Replies are hints: they may be late,
   * doubled or lost.
   */
  onReply(listener: (outcome: Outcome) => void): void;
  /** Returns whether commands can be accepted now. */
  ready(): boolean;
  /** Returns why commands cannot be stored now, in a sentence, or null. */
  fault(): string | null;
}

export interface QueueState {
  /** A lower bound: RabbitMQ counts messages, and one may carry several commands. */
  readonly commands: number;
  /**
   * When the first of them was received, milliseconds since 1970. Null when there is none, or it is
   * unknown.
   */
  readonly oldestAt: number | null;
}

/**
 * A worker's ownership of a partition, from subscribing until the channel is gone. `epoch` is null
 * until the first delivery makes the worker take the partition over. `lost` is set once another
 * worker gets its deliveries, which must not be touched any more.
 */
export interface PartitionOwnership {
  readonly name: string;
  epoch: number | null;
  lost: boolean;
  /**
   * Place of a command that this release does not know, or null. That command and those behind it
   * are left to a worker of a later release.
   */
  waitsFrom: number | null;
  /** Takes this and all earlier deliveries of the partition off the queue. */
  ack(delivery: Delivery): void;
  /** Releases the partition. What was not acknowledged is delivered again, to its next owner. */
  release(): void;
}

/** One command as a worker holds it, until it is acknowledged. */
export interface Delivery {
  readonly ownership: PartitionOwnership;
  /** Place within the ownership, for the acknowledgement. Later deliveries have greater ones. */
  readonly place: number;
  /** How often it was delivered before. */
  readonly redeliveries: number;
  /** When it came, in milliseconds by `performance.now()`. */
  readonly takenAt: number;
  /** Length of the command as it came. */
  readonly bytes: number;
  /** The command as it came. */
  readonly content: string;
  readonly message: DecodedMessage;
}

/**
 * The worker's half: replies and domain events out, commands moved to other partitions. Deliveries
 * come in through the pump.
 */
export interface WorkerLink {
  /**
   * Sends outcomes to the API instances that wait for them. A reply is a hint, so a failure is only
   * logged.
   */
  reply(replyTo: string, outcomes: readonly Outcome[]): void;
  /**
   * Publishes a command again, in the partition of its present key, and resolves when it is stored
   * there.
   * @throws NotAccepted or AcceptanceUnknown. Sending it again is safe, because an id is carried
   * out once.
   */
  forward(envelope: Envelope): Promise<void>;
  /** Returns the partition that a command goes to. */
  partitionFor(envelope: Envelope): string;
  /**
   * Publishes domain events in order, and resolves when the transport has all of them.
   * @throws when some may be missing. Then publish all again, in the same order, before any later
   * one.
   */
  publishEvents(events: readonly EventMessage[]): Promise<void>;
}

/** A domain event on its way. */
export interface EventMessage {
  readonly eventId: string;
  readonly type: string;
  readonly aggregateId: string;
  /** All of the event as one line of JSON: a CloudEvent. */
  readonly json: string;
}

/** Domain events as they happen, for the API's streams. Nothing is kept for absent subscribers. */
export interface EventSource {
  /**
   * Subscribes to later events, and resolves with the function that unsubscribes.
   * @throws when events are unavailable now.
   */
  subscribe(listener: EventListener): Promise<() => void>;
}

export interface EventListener {
  take(event: EventMessage): void;
  /** Events may have been missed, and no more come. */
  lost(): void;
}

export class NotAccepted extends Error {
  override readonly name = 'NotAccepted';
  /** Seconds after which a retry is worthwhile; null when unknown. */
  readonly retryAfterS: number | null;

  constructor(
    message: string,
    { retryAfterS = null, ...options }: ErrorOptions & { retryAfterS?: number | null } = {},
  ) {
    super(message, options);
    this.retryAfterS = retryAfterS;
  }
}

export class AcceptanceUnknown extends Error {
  override readonly name = 'AcceptanceUnknown';
}
