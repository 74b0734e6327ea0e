import { EventEmitter } from 'node:events';
import type { Wire } from '../wire';
import type { Broker } from './broker';
import type { Properties } from './queue';
import type { ServerChannel } from './server-channel';

export class IllegalOperationError extends Error {
  override readonly name = 'IllegalOperationError';
}

type Receive = (message: object | null) => void;
type Confirmed = (error: Error | null) => void;

/**
 * A channel of amqplib, as the connection manager and the product use it. A closed channel throws
 * when it is used, refuses what was asked of it, and drops deliveries. Only `close` stays without
 * an answer when the connection breaks meanwhile.
 */
export class Channel extends EventEmitter {
  private state: 'open' | 'closing' | 'closed' = 'open';
  private readonly waiting = new Set<(error: Error) => void>();
  private readonly receivers = new Map<string, Receive>();
  private server: ServerChannel | null = null;

  constructor(
    private readonly broker: Broker,
    private readonly wire: Wire,
  ) {
    super();
  }

  async open(): Promise<this> {
    await this.ask(() => {
      this.server = this.openAtBroker();
    });
    return this;
  }

  private openAtBroker(): ServerChannel {
    const { wire } = this;
    const whenOpen = (run: () => void) => {
      wire.toClient(() => {
        if (this.state === 'open') run();
      });
    };
    return this.broker.open(wire.process, {
      deliver: (tag, consumer, message) => {
        const { content, contentType, headers, deliveries } = message;
        whenOpen(() => {
          this.receivers.get(consumer.tag)?.({
            content: Buffer.from(content),
            fields: { deliveryTag: tag },
            properties: {
              contentType,
              headers: { ...headers, ...(deliveries > 0 && { 'x-delivery-count': deliveries }) },
            },
          });
        });
      },
      cancel: ({ tag }) => {
        whenOpen(() => this.receivers.get(tag)?.(null));
      },
      close: (reason) => {
        // One that is closing already goes on waiting for the answer to that.
        whenOpen(() => {
          this.emit('error', new Error(reason));
          this.ended();
        });
      },
      lose: () => {
        wire.cut();
      },
    });
  }

  prefetch(count: number): Promise<void> {
    return this.ask(() => {
      this.atBroker.prefetch = Math.min(count, this.broker.around.faults.prefetchMax);
    });
  }

  assertQueue(): Promise<void> {
    return this.ask(() => undefined);
  }

  assertExchange(): Promise<void> {
    return this.ask(() => undefined);
  }

  bindQueue(): Promise<void> {
    return this.ask(() => undefined);
  }

  bindExchange(): Promise<void> {
    return this.ask(() => undefined);
  }

  consume(
    queue: string,
    receive: Receive,
    { consumerTag, priority = 0 }: { readonly consumerTag: string; readonly priority?: number },
  ): Promise<void> {
    this.receivers.set(consumerTag, receive);
    return this.ask(() => {
      this.atBroker.consume(queue, consumerTag, priority);
    });
  }

  ack({ fields }: { readonly fields: { readonly deliveryTag: number } }, multiple = false): void {
    this.needsOpen();
    this.wire.toServer(() => {
      this.atBroker.ack(fields.deliveryTag, multiple);
    });
  }

  publish(
    _exchange: string,
    queue: string,
    content: Buffer,
    properties: Properties,
    confirmed?: Confirmed,
  ): boolean {
    this.needsOpen();
    const text = content.toString();
    this.broker.around.judge.publishing(this.wire.process, queue, text);
    const settle = this.remember((error) => confirmed?.(error));
    this.wire.toServer(() => {
      this.broker.publish(queue, text, properties);
      this.wire.toClient(settle);
    });
    return true;
  }

  async close(): Promise<void> {
    this.needsOpen();
    this.state = 'closing';
    await new Promise<void>((resolve) => {
      this.wire.toServer(() => {
        this.atBroker.close();
        this.wire.toClient(() => {
          if (this.state === 'closed') return;
          this.ended();
          resolve();
        });
      });
    });
  }

  /** The connection is gone. */
  ended(): void {
    if (this.state === 'closed') return;
    this.state = 'closed';
    const error = new IllegalOperationError('Channel closed');
    for (const refuse of [...this.waiting]) refuse(error);
    this.emit('close');
  }

  /** The broker knows that the connection is gone. */
  lostAtBroker(): void {
    this.server?.close();
  }

  private get atBroker(): ServerChannel {
    if (!this.server) throw new Error('the channel is not open at the broker');
    return this.server;
  }

  private ask(at: () => void): Promise<void> {
    this.needsOpen();
    return new Promise((resolve, reject) => {
      const settle = this.remember((error) => {
        if (error) reject(error);
        else resolve();
      });
      this.wire.toServer(() => {
        at();
        this.wire.toClient(settle);
      });
    });
  }

  /**
   * Calls `settled` once: when the answer is there, or with an error when the channel ends before.
   */
  private remember(settled: (error: Error | null) => void): () => void {
    const refuse = (error: Error) => {
      if (this.waiting.delete(refuse)) settled(error);
    };
    this.waiting.add(refuse);
    return () => {
      if (this.waiting.delete(refuse)) settled(null);
    };
  }

  private needsOpen(): void {
    if (this.state !== 'open') throw new IllegalOperationError('Channel closed');
  }
}
