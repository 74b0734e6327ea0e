import type { MessageProperties } from 'amqplib';
import type { Envelope } from '../../../shared/command';
import { bodiesOf } from '../../../shared/messaging/message';
import type { Surroundings } from '../surroundings';

/**
 * A quorum queue with a single active consumer, as measured on RabbitMQ 3.10 and 4.0. On 3.x, the
 * oldest consumer is active. From 4.0 on it is the one of the highest priority, once the active one
 * has acknowledged all that it has. Redelivered messages go to the front. After `DELIVERY_LIMIT`
 * deliveries a message becomes a dead letter.
 *
 * Left out: length limits, nodes of a cluster, negative acknowledgements (the product sends none).
 */

const DELIVERY_LIMIT = 100;

export interface Message {
  readonly content: string;
  readonly contentType: string | undefined;
  /** The commands in it. */
  readonly envelopes: readonly Envelope[];
  readonly headers: Readonly<Record<string, unknown>>;
  /** How often it was delivered and came back. */
  deliveries: number;
}

/** What a publisher says about a message. */
export interface Properties {
  readonly contentType?: string | undefined;
  readonly headers?: Message['headers'] | undefined;
}

export interface Consumer {
  readonly queue: Queue;
  readonly tag: string;
  readonly priority: number;
  /** Whether its channel may hold more. */
  hasRoom(): boolean;
  /** Whether it holds anything that it has not acknowledged. */
  holdsAny(): boolean;
  deliver(message: Message): void;
}

export interface QueueOptions {
  /** Whether the active consumer is chosen by priority, as from 4.0 on. */
  readonly byPriority: boolean;
  readonly deadLetter: (queue: Queue, message: Message) => void;
}

export class Queue {
  private readonly ready: Message[] = [];
  /** In the order of their subscribing. */
  private readonly consumers: Consumer[] = [];
  private active: Consumer | null = null;

  constructor(
    readonly name: string,
    private readonly around: Surroundings,
    private readonly options: QueueOptions,
  ) {}

  get length(): number {
    return this.ready.length;
  }

  get activeConsumer(): Consumer | null {
    return this.active;
  }

  add(content: string, { contentType, headers = {} }: Properties): void {
    const envelopes = bodiesOf({
      content: Buffer.from(content),
      properties: { contentType } as MessageProperties,
    })
      .map(String)
      .flatMap(envelopeIn);
    const message = { content, contentType, headers, envelopes, deliveries: 0 };
    this.ready.push(message);
    this.around.tell(() => `${this.name} stores ${describe(message)}`);
    this.around.judge.stored(this.name, message);
    this.goOn();
  }

  subscribe(consumer: Consumer): void {
    this.consumers.push(consumer);
    this.goOn();
  }

  unsubscribe(consumer: Consumer): void {
    this.consumers.splice(this.consumers.indexOf(consumer), 1);
    if (this.active === consumer) this.active = null;
    this.goOn();
  }

  /** Takes back what a consumer that goes had not acknowledged, in its order. */
  giveBack(messages: readonly Message[]): void {
    const kept: Message[] = [];
    for (const message of messages) {
      message.deliveries += 1;
      if (message.deliveries <= DELIVERY_LIMIT) kept.push(message);
      else this.options.deadLetter(this, message);
    }
    this.ready.unshift(...kept);
  }

  /** Changes the active consumer when it is time, and delivers what it may have. */
  goOn(): void {
    const next = this.preferred();
    if (next !== this.active && !this.active?.holdsAny()) this.active = next;
    const { active } = this;
    if (!active || active !== next) return;
    while (active.hasRoom()) {
      const message = this.ready.shift();
      if (!message) return;
      active.deliver(message);
    }
  }

  private preferred(): Consumer | null {
    const [first] = this.consumers;
    if (!first) return null;
    if (!this.options.byPriority) return this.active ?? first;
    const highest = Math.max(...this.consumers.map(({ priority }) => priority));
    if (this.active?.priority === highest) return this.active;
    return this.consumers.find(({ priority }) => priority === highest) ?? first;
  }
}

function envelopeIn(content: string): Envelope[] {
  try {
    return [JSON.parse(content) as Envelope];
  } catch {
    return [];
  }
}

/** For people. */
export function describe({ envelopes }: Message): string {
  return (
    envelopes
      .map(({ type, key, commandId }) => `${type} ${key} ${commandId.replace(/^0+/, '')}`)
      .join(', ') || 'no command'
  );
}
