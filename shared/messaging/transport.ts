import type { Envelope, Outcome } from '../command';

/**
 * The two halves of a transport. RabbitMQ and the embedded command log each implement both; everything else in the
 * pipeline is the same code for either.
 */

/** The API's half: commands out, replies in. */
export interface CommandSender {
  /** Address that workers reply to; part of every envelope. */
  readonly replyTo: string;
  /**
   * Resolves once the command is stored durably, so that it may be promised.
   * @throws NotAccepted when it certainly was not stored: sending it again is safe.
   * @throws AcceptanceUnknown when it may have been stored: only the same command id may be sent again.
   */
  send(envelope: Envelope): Promise<void>;
  /** Called for every outcome that arrives for this instance. Replies are hints: they may be late, doubled or lost. */
  onReply(listener: (outcome: Outcome) => void): void;
  /** Whether commands can be taken now. */
  ready(): boolean;
  close(): Promise<void>;
}

/** One command as a worker holds it, until its partition is acknowledged. */
export interface Delivery {
  readonly partition: string;
  readonly envelope: Envelope;
  /** How often it was delivered before. */
  readonly redeliveries: number;
}

/** The worker's half: replies out, commands moved elsewhere. Deliveries come in through the pump. */
export interface WorkerLink {
  /** Sends outcomes to the API instances that wait for them; a failure is logged and swallowed. */
  reply(replies: readonly { replyTo: string; outcome: Outcome }[]): Promise<void>;
  /** Publishes a command again under another aggregate key and resolves when it is stored there. */
  forward(envelope: Envelope): Promise<void>;
  /** Puts a command aside for an operator, with the reason, and resolves when it is stored there. */
  deadLetter(envelope: Envelope, reason: string): Promise<void>;
}

export class NotAccepted extends Error {
  override readonly name = 'NotAccepted';
}

export class AcceptanceUnknown extends Error {
  override readonly name = 'AcceptanceUnknown';
}
