import type { SimulatedProcess } from '../process';
import type { Surroundings } from '../surroundings';
import { Queue, type Message, type Properties } from './queue';
import { ServerChannel, type ChannelEvents } from './server-channel';

/**
 * The message broker: durable queues that confirm what they have stored. Declaring is not
 * simulated, a queue is there as soon as it is named. A message that is published to a name in
 * `listeners` goes there and is kept nowhere.
 */
export class Broker {
  up = true;
  readonly listeners = new Map<string, (content: string) => void>();
  private readonly queues = new Map<string, Queue>();
  private readonly channels = new Set<ServerChannel>();

  constructor(
    readonly around: Surroundings,
    /** As the broker tells it, for instance `3.10.8`. */
    readonly version: string,
  ) {}

  publish(name: string, content: string, properties: Properties = {}): void {
    const listener = this.listeners.get(name);
    if (listener) listener(content);
    else this.queue(name).add(content, properties);
  }

  open(owner: SimulatedProcess, events: ChannelEvents): ServerChannel {
    const onClose = (closed: ServerChannel) => this.channels.delete(closed);
    const channel = new ServerChannel({
      around: this.around,
      owner,
      events,
      queue: (name) => this.queue(name),
      onClose,
    });
    this.channels.add(channel);
    return channel;
  }

  /** Ends every connection and takes no new ones, until it is up again. What is stored stays. */
  goDown(): void {
    this.up = false;
    for (const channel of [...this.channels]) channel.lose();
  }

  get openChannels(): readonly ServerChannel[] {
    return [...this.channels];
  }

  /** Whether nothing waits in any queue and nothing is unacknowledged. */
  get empty(): boolean {
    for (const queue of this.queues.values()) if (queue.length > 0) return false;
    for (const channel of this.channels) if (channel.held.length > 0) return false;
    return true;
  }

  /** What is left, for people. */
  describe(): string {
    const waiting = [...this.queues.values()].map(
      (queue) =>
        `${queue.name} has ${queue.length} ready for ${queue.activeConsumer?.tag ?? 'nobody'}`,
    );
    const held = [...this.channels].map(
      ({ owner, held: tags }) => `${owner.name} holds ${tags.join() || 'nothing'}`,
    );
    return [...waiting, ...held].join(', ');
  }

  private queue(name: string): Queue {
    const queue =
      this.queues.get(name) ??
      new Queue(name, this.around, {
        byPriority: Number(this.version.split('.')[0]) >= 4,
        deadLetter: (from, message) => {
          this.deadLetter(from, message);
        },
      });
    this.queues.set(name, queue);
    return queue;
  }

  private deadLetter({ name }: Queue, { content, contentType }: Message): void {
    this.publish(`${name.slice(0, name.lastIndexOf('.'))}.dead`, content, {
      contentType,
      headers: { 'x-first-death-queue': name, 'x-first-death-reason': 'delivery_limit' },
    });
  }
}
