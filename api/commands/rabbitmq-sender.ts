import { setTimeout as pause } from 'node:timers/promises';
import { connect, type Channel, type ChannelModel, type ConfirmChannel } from 'amqplib';
import type { Envelope, Outcome } from '../../shared/command';
import { StartError } from '../../shared/config';
import type { Logger } from '../../shared/logger';
import { declareCurrentTopology } from '../../shared/messaging/declare';
import { encodeEnvelope } from '../../shared/messaging/envelope';
import { encodeMessage } from '../../shared/messaging/message';
import { fromAnyNode } from '../../shared/messaging/nodes';
import type { Signatures } from '../../shared/messaging/signature';
import {
  commandsExchange,
  partitionFor,
  replyQueue,
  REPLY_ARGUMENTS,
  type Layout,
} from '../../shared/messaging/topology';
import { NotAccepted, type CommandSender, type QueueState } from '../../shared/messaging/transport';
import { withoutSecrets } from '../../shared/shown-url';
import { Confirms } from './confirms';
import { Parcels, type Parcel } from './parcels';

/**
 * Publishes commands with confirms, and receives the replies for this API instance.
 *
 * amqplib is used directly and not through a manager that queues while disconnected: a command must
 * be refused at once when the broker is away, not kept in memory. States: connected (a channel is
 * there), blocked (the broker asked to stop: memory or disk alarm), away (no channel; each try to
 * connect goes to the next node of the cluster), closed.
 */

/** Most commands published and not confirmed yet; more are refused with 503. */
const WINDOW_MAX = 4000;
const HEARTBEAT_S = 5;
/** How long a node may take to answer, milliseconds. */
const CONNECT_TIMEOUT_MS = 5000;
/** Pause before the next try to connect, milliseconds. */
const CONNECT_PAUSE_MS = 250;
/** Tries at the start for each node. */
const START_TRIES = 3;
/** The broker's reply code for a queue that is not there. */
const NOT_FOUND = 404;
/** Pause before a channel that the broker closed is opened again, milliseconds. */
const REOPEN_PAUSE_MS = 500;
/**
 * How long it is looked for the new layout when a command came back, and how often, milliseconds.
 */
const NEWER_LAYOUT_MS = 2000;
const NEWER_LAYOUT_PAUSE_MS = 50;

export interface SenderOptions {
  /** The nodes of the broker. */
  readonly urls: readonly string[];
  /** Name of this API process, unique among those that run. */
  readonly instance: string;
  /** Reads the layout that commands are published in. */
  readonly readLayout: () => Promise<Layout>;
  readonly signatures: Signatures;
  readonly logger: Logger;
}

interface Publish {
  readonly publishId: string;
  readonly commandId: string;
  /** The command. */
  readonly text: string;
}

/** No queue took the command: the number of partitions has changed, or a queue is missing. */
class Returned extends NotAccepted {}

export class RabbitmqSender implements CommandSender {
  readonly replyTo: string;
  private channel: ConfirmChannel | null = null;
  private blocked = false;
  private model: ChannelModel | null = null;
  private closed = false;
  private tries = 0;
  private readonly urls: readonly string[];
  private lookup: Promise<Channel> | null = null;
  private newer: Promise<void> | null = null;
  private readonly confirms = new Confirms();
  private readonly parcels = new Parcels<Publish>((parcel) => {
    this.put(parcel);
  });
  private readonly returned = new Set<string>();
  private readonly listeners: ((outcome: Outcome) => void)[] = [];

  private constructor(
    private readonly options: SenderOptions,
    private layout: Layout,
  ) {
    this.replyTo = replyQueue(options.instance);
    this.urls = fromAnyNode(options.urls);
  }

  /** @throws StartError when the broker cannot be reached at start; later it is waited for. */
  static async open(options: SenderOptions): Promise<RabbitmqSender> {
    const sender = new RabbitmqSender(options, await options.readLayout());
    try {
      await sender.connectWithin(START_TRIES * options.urls.length);
    } catch (error) {
      throw new StartError(
        `Cannot use RabbitMQ at ${withoutSecrets(options.urls)} (RABBITMQ_URL): ${(error as Error).message}`,
      );
    }
    return sender;
  }

  onReply(listener: (outcome: Outcome) => void): void {
    this.listeners.push(listener);
  }

  ready(): boolean {
    return this.channel !== null && !this.blocked && this.confirms.size < WINDOW_MAX;
  }

  fault(): string | null {
    if (!this.channel) return 'The message broker is away.';
    return this.blocked ? 'The message broker takes nothing at the moment.' : null;
  }

  async send(envelope: Envelope): Promise<void> {
    const { layout } = this;
    try {
      await this.publish(envelope, layout);
    } catch (error) {
      if (!(error instanceof Returned) || !(await this.hasNewer(layout))) throw error;
      await this.publish(envelope, this.layout);
    }
  }

  partitionFor(command: Pick<Envelope, 'type' | 'key'>): string {
    return partitionFor(command, this.layout);
  }

  async waiting(partition: string): Promise<QueueState> {
    // A channel of its own, for the broker closes it when the queue is gone, as those of an older
    // layout are.
    this.lookup ??= this.openChannel().then((channel) => {
      channel.on('error', () => undefined);
      return channel;
    });
    try {
      const { messageCount } = await (await this.lookup).checkQueue(partition);
      return { commands: messageCount, oldestAt: null };
    } catch (error) {
      this.lookup = null;
      if ((error as { code?: number }).code === NOT_FOUND) return { commands: 0, oldestAt: null };
      throw error;
    }
  }

  /**
   * A channel for somebody else's use, on this connection; it ends with the connection.
   * @throws NotAccepted while the broker is away.
   */
  openChannel(): Promise<Channel> {
    return this.model
      ? this.model.createChannel()
      : Promise.reject(new NotAccepted('the message broker is away'));
  }

  async close(): Promise<void> {
    const { model } = this;
    this.closed = true;
    this.model = null;
    this.lose();
    // Rejects when the broker was lost already.
    await model?.close().catch(() => undefined);
  }

  /** @throws the reason of the last try when none succeeds. */
  private async connectWithin(triesMax: number): Promise<void> {
    for (let tries = 1; !this.closed; tries += 1) {
      try {
        await this.connect();
        return;
      } catch (error) {
        if (tries === triesMax) throw error;
        this.options.logger.debug({ err: error }, 'message broker not reached');
      }
      await pause(CONNECT_PAUSE_MS);
    }
  }

  private publish(envelope: Envelope, layout: Layout): Promise<void> {
    const { channel } = this;
    if (!channel) return Promise.reject(new NotAccepted('the message broker is away'));
    if (this.blocked)
      return Promise.reject(new NotAccepted('the message broker takes nothing at the moment'));
    if (this.confirms.size >= WINDOW_MAX)
      return Promise.reject(new NotAccepted(`${WINDOW_MAX} commands wait to be confirmed`));
    const { publishId, confirmed } = this.confirms.add();
    this.parcels.add(
      { exchange: commandsExchange(layout.generation), queue: partitionFor(envelope, layout) },
      { publishId, commandId: envelope.commandId, text: encodeEnvelope(envelope) },
    );
    return confirmed;
  }

  private put(parcel: Parcel<Publish>): void {
    const { channel } = this;
    const { exchange, queue, items } = parcel;
    const [first] = items;
    // Those of a channel that was lost since are settled.
    if (!channel || !first) return;
    const { content, ...encoded } = encodeMessage(
      items.map(({ text }) => text),
      this.options.signatures,
    );
    const { commandId: messageId, publishId: correlationId } = first;
    const properties = { ...encoded, persistent: true, mandatory: true, messageId, correlationId };
    try {
      channel.publish(exchange, queue, content, properties, (error: unknown) => {
        this.confirmed(parcel, channel, error);
      });
    } catch (error) {
      this.settle(
        parcel,
        new NotAccepted('the channel to the message broker is closed', { cause: error }),
      );
    }
  }

  /**
   * Whether there is another layout than the one whose queues took a command no more; the commands
   * that come back together look for it together.
   */
  private async hasNewer(than: Layout): Promise<boolean> {
    if (this.layout !== than) return true;
    this.newer ??= this.findNewer(than).finally(() => {
      this.newer = null;
    });
    await this.newer;
    return this.layout !== than;
  }

  private async findNewer(than: Layout): Promise<void> {
    const { logger, readLayout } = this.options;
    try {
      for (const deadline = performance.now() + NEWER_LAYOUT_MS; performance.now() < deadline;) {
        const layout = await readLayout();
        if (layout.generation !== than.generation) {
          logger.info(layout, 'partitions changed');
          this.layout = layout;
          return;
        }
        await pause(NEWER_LAYOUT_PAUSE_MS);
      }
      logger.error('a partition queue is missing: the queues are declared again');
      if (this.model) await this.declare(this.model);
    } catch (error) {
      logger.error({ err: error }, 'no queue took a command');
    }
  }

  /** On a channel of its own, so that what the broker does not like about it harms no command. */
  private async declare(model: ChannelModel): Promise<void> {
    const { logger, readLayout } = this.options;
    const channel = await model.createChannel();
    channel.on('error', (error: unknown) => {
      logger.error({ err: error }, 'queues not declared');
    });
    this.layout = await declareCurrentTopology(channel, readLayout);
    await channel.close();
  }

  private async connect(): Promise<void> {
    const { instance, logger } = this.options;
    const url = this.urls[this.tries % this.urls.length] ?? '';
    this.tries += 1;
    const model = await connect(withHeartbeat(url), {
      // Nagle's algorithm would hold small frames back for tens of milliseconds.
      noDelay: true,
      timeout: CONNECT_TIMEOUT_MS,
      clientProperties: { connection_name: `lendline-api ${instance}` },
    });
    let opened = false;
    this.model = model;
    this.blocked = false;
    model.on('blocked', (reason) => {
      this.blocked = true;
      logger.error({ reason }, 'message broker blocks publishers');
    });
    model.on('unblocked', () => {
      this.blocked = false;
    });
    // A close follows; without a listener the process would end here.
    model.on('error', (error) => {
      logger.warn({ err: error }, 'message broker connection failed');
    });
    model.once('close', (error?: Error) => {
      if (this.model !== model) return;
      logger.warn({ err: error }, 'message broker lost');
      this.model = null;
      this.lose();
      if (opened) void this.connectWithin(Infinity);
    });
    try {
      await this.openChannels(model);
      opened = true;
    } catch (error) {
      if (this.model === model) this.model = null;
      void Promise.resolve()
        .then(() => model.close())
        .catch(() => undefined);
      throw error;
    }
    logger.info('message broker connected');
  }

  private async openChannels(model: ChannelModel): Promise<void> {
    // While the database is away, the queues are most likely there.
    await this.declare(model).catch((error: unknown) => {
      this.options.logger.warn({ err: error }, 'queues not declared');
    });
    const channel = await model.createConfirmChannel();
    const replies = await model.createChannel();
    await replies.assertQueue(this.replyTo, {
      exclusive: true,
      autoDelete: true,
      durable: false,
      arguments: REPLY_ARGUMENTS,
    });
    await replies.consume(
      this.replyTo,
      (message) => {
        if (message) this.takeReplies(message.content);
        // The broker has ended the consumer, for instance because the queue was deleted; what is
        // closed is opened again.
        else replies.close().catch(() => undefined);
      },
      { noAck: true, consumerTag: this.replyTo },
    );
    if (this.model !== model || this.closed) throw new Error('the connection was ended meanwhile');
    channel.on('return', (message: { properties: { correlationId?: string } }) => {
      if (message.properties.correlationId) this.returned.add(message.properties.correlationId);
    });
    for (const one of [replies, channel]) {
      one.on('error', (error: unknown) => {
        this.options.logger.error({ err: error }, 'channel to the message broker failed');
      });
      // Before amqplib's own listener, which fails every publish that was not confirmed as if the
      // broker had refused it.
      one.prependOnceListener('close', () => {
        this.channelClosed(model, [replies, channel]);
      });
    }
    this.channel = channel;
  }

  /** The broker may close a channel alone. */
  private channelClosed(model: ChannelModel, channels: readonly Channel[]): void {
    if (this.model !== model || (this.channel && !channels.includes(this.channel))) return;
    this.lose();
    setTimeout(() => {
      if (this.model !== model || this.channel) return;
      // One of the two is closed already, and says so by throwing.
      for (const channel of channels)
        void Promise.resolve()
          .then(() => channel.close())
          .catch(() => undefined);
      this.openChannels(model).catch((error: unknown) => {
        this.options.logger.error({ err: error }, 'channels to the message broker not opened');
        this.channelClosed(model, channels);
      });
    }, REOPEN_PAUSE_MS).unref();
  }

  private lose(): void {
    this.channel = null;
    this.lookup = null;
    this.confirms.lose();
  }

  private confirmed(parcel: Parcel<Publish>, channel: ConfirmChannel, error: unknown): void {
    // A message that no queue takes is returned first and confirmed after.
    if (this.returned.delete(parcel.items[0]?.publishId ?? ''))
      this.settle(parcel, new Returned('no queue takes the command'));
    else if (!error) this.settle(parcel, null);
    // What a lost channel took along is settled already.
    else if (this.channel === channel)
      this.settle(
        parcel,
        new NotAccepted('the message broker refused the command: its queue is full'),
      );
  }

  private settle({ items }: Parcel<Publish>, error: Error | null): void {
    for (const { publishId } of items) this.confirms.settle(publishId, error);
  }

  private takeReplies(content: Buffer): void {
    let outcomes: Outcome[];
    try {
      outcomes = JSON.parse(content.toString()) as Outcome[];
    } catch (error) {
      this.options.logger.error({ err: error }, 'unreadable reply');
      return;
    }
    for (const outcome of outcomes) for (const listener of this.listeners) listener(outcome);
  }
}

function withHeartbeat(url: string): string {
  const parsed = new URL(url);
  if (!parsed.searchParams.has('heartbeat'))
    parsed.searchParams.set('heartbeat', String(HEARTBEAT_S));
  return parsed.toString();
}
