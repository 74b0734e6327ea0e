import type { Envelope, Outcome } from '../command';
import type { DecodedMessage } from './envelope';

/**
 * The two halves of a transport. RabbitMQ and the embedded command log each implement both;
 * everything else in the pipeline is the same code for either.
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
  /** The partition that a command goes to. */
  partitionFor(command: Pick<Envelope, 'type' | 'key'>): string;
  /** What waits in a partition, whoever sent it; a broker does not count what a worker holds. */
  waiting(partition: string): Promise<QueueState>;
  /**
   * Called for every outcome that arrives for this instance. Replies are hints: they may be late,
   * doubled or lost.
   */
  onReply(listener: (outcome: Outcome) => void): void;
  /** Whether commands can be taken now. */
  ready(): boolean;
  /** Why commands cannot be stored now, in a sentence; null when they can. */
  fault(): string | null;
}

export interface QueueState {
  /**
   * At least so many: RabbitMQ counts messages, and those that came at the same moment share one.
   */
  readonly commands: number;
  /**
   * When the first of them was received, milliseconds since 1970; null when there is none, or when
   * nobody can tell.
   */
  readonly oldestAt: number | null;
}

/**
 * A worker's ownership of a partition, from subscribing until the channel is gone. `epoch` is null
 * until the first delivery makes the worker take the partition over; `lost` is set once its
 * deliveries belong to somebody else, and then nothing may be done for them any more.
 */
export interface PartitionOwnership {
  readonly name: string;
  epoch: number | null;
  lost: boolean;
  /**
   * Place of a command that this release does not know; null when there is none. It and what comes
   * behind it is left to a worker of a later release.
   */
  waitsFrom: number | null;
  /** Takes this and all earlier deliveries of the partition off the queue. */
  ack(delivery: Delivery): void;
  /**
   * Gives the partition up; what was not acknowledged is delivered again, to whoever holds it next.
   */
  release(): void;
}

/** One command as a worker holds it, until it is acknowledged. */
export interface Delivery {
  readonly ownership: PartitionOwnership;
  /** Place within the ownership, for the acknowledgement: later ones have a greater one. */
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
 * The worker's half: replies and domain events out, commands moved elsewhere. Deliveries come in
 * through the pump.
 */
export interface WorkerLink {
  /**
   * Sends outcomes to the API instances that wait for them. A reply is a hint, so a failure is
   * logged and swallowed.
   */
  reply(replyTo: string, outcomes: readonly Outcome[]): void;
  /**
   * Publishes a command again, in the partition of its present key, and resolves when it is stored
   * there.
   * @throws NotAccepted or AcceptanceUnknown; sending it again is safe, for its id is carried out
   * once.
   */
  forward(envelope: Envelope): Promise<void>;
  /** The partition that a command goes to. */
  partitionFor(envelope: Envelope): string;
  /**
   * Publishes domain events in their order, and resolves when the transport has all of them.
   * @throws when it may lack some; then all must be published again, in the same order, before any
   * later one.
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

/**
 * Domain events as they happen, for the API's streams. Nothing is kept for those who do not listen.
 */
export interface EventSource {
  /**
   * Resolves once the events from then on reach the listener, with the function that ends it.
   * @throws when events cannot be had now.
   */
  subscribe(listener: EventListener): Promise<() => void>;
}

export interface EventListener {
  take(event: EventMessage): void;
  /** Events may have been missed; no more come. */
  lost(): void;
}

export class NotAccepted extends Error {
  override readonly name = 'NotAccepted';
  /** Seconds after which it is worth trying again; null when nobody can tell. */
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
