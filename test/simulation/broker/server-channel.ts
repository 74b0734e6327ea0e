import type { SimulatedProcess } from '../process';
import type { Surroundings } from '../surroundings';
import { describe, type Consumer, type Message, type Queue } from './queue';

/** What a channel tells its client. */
export interface ChannelEvents {
  deliver(tag: number, consumer: Consumer, message: Message): void;
  /** The broker closes the channel, and only the channel. */
  close(reason: string): void;
  /** The broker ends the consumer, and only the consumer. */
  cancel(consumer: Consumer): void;
  /** The broker ends the connection. */
  lose(): void;
}

export interface ServerChannelOptions {
  readonly around: Surroundings;
  readonly owner: SimulatedProcess;
  readonly events: ChannelEvents;
  readonly queue: (name: string) => Queue;
  readonly onClose: (channel: ServerChannel) => void;
}

/** The broker's end of a channel: what it has delivered there and waits for. */
export class ServerChannel {
  prefetch = Infinity;
  private readonly unacknowledged: {
    readonly tag: number;
    readonly consumer: Consumer;
    readonly message: Message;
  }[] = [];
  private readonly consumers: Consumer[] = [];
  private tags = 0;
  private open = true;

  constructor(private readonly options: ServerChannelOptions) {}

  get owner(): SimulatedProcess {
    return this.options.owner;
  }

  get consumes(): boolean {
    return this.consumers.length > 0;
  }

  /** Tags of what was delivered and not acknowledged. */
  get held(): readonly number[] {
    return this.unacknowledged.map(({ tag }) => tag);
  }

  consume(name: string, tag: string, priority: number): void {
    const queue = this.options.queue(name);
    const consumer: Consumer = {
      queue,
      tag,
      priority,
      hasRoom: () => this.open && this.unacknowledged.length < this.prefetch,
      holdsAny: () => this.unacknowledged.some((delivery) => delivery.consumer === consumer),
      deliver: (message) => {
        this.deliver(consumer, message);
      },
    };
    this.consumers.push(consumer);
    queue.subscribe(consumer);
  }

  ack(tag: number, multiple: boolean): void {
    if (!this.open) return;
    const { around, owner } = this.options;
    around.tell(() => `${owner.name} acknowledges #${tag}`);
    const last = this.unacknowledged.findIndex((delivery) => delivery.tag === tag);
    if (last === -1) {
      this.closeByBroker('PRECONDITION_FAILED - unknown delivery tag');
      return;
    }
    const gone = multiple
      ? this.unacknowledged.splice(0, last + 1)
      : this.unacknowledged.splice(last, 1);
    for (const { message, consumer } of gone)
      around.judge.acknowledged(consumer.queue.name, message);
    for (const { queue } of this.consumers) queue.goOn();
  }

  /**
   * Everything unacknowledged goes back to the front of its queue, in order, before the next
   * consumer gets anything.
   */
  close(): void {
    if (!this.open) return;
    this.open = false;
    const { around, owner, onClose } = this.options;
    around.tell(
      () =>
        `a channel of ${owner.name} is closed with ${this.unacknowledged.length} unacknowledged`,
    );
    onClose(this);
    for (const consumer of this.consumers) this.handBack(consumer);
  }

  closeByBroker(reason: string): void {
    this.close();
    this.options.events.close(reason);
  }

  /** The broker ends the whole connection. */
  lose(): void {
    this.options.events.lose();
  }

  /** The consumers are ended, as after a consumer timeout; what they hold goes back. */
  cancelConsumers(): void {
    for (const consumer of this.consumers.splice(0)) {
      this.handBack(consumer);
      this.options.events.cancel(consumer);
    }
  }

  private deliver(consumer: Consumer, message: Message): void {
    const { around, owner, events } = this.options;
    const tag = (this.tags += 1);
    around.tell(() => `${owner.name} is sent ${consumer.queue.name} #${tag}: ${describe(message)}`);
    this.unacknowledged.push({ tag, consumer, message });
    events.deliver(tag, consumer, message);
  }

  private handBack(consumer: Consumer): void {
    const { queue } = consumer;
    const mine = this.unacknowledged.filter((delivery) => delivery.consumer === consumer);
    for (const delivery of mine)
      this.unacknowledged.splice(this.unacknowledged.indexOf(delivery), 1);
    queue.giveBack(mine.map(({ message }) => message));
    queue.unsubscribe(consumer);
  }
}
