import { setTimeout as pause } from 'node:timers/promises';
import { connect, type Channel, type ChannelModel, type ConfirmChannel } from 'amqplib';
import { StartError } from '../../../shared/config';
import type { Logger } from '../../../shared/logger';
import { closeQuietly } from '../../../shared/messaging/close-quietly';
import { fromAnyNode } from '../../../shared/messaging/nodes';
import { NotAccepted } from '../../../shared/messaging/transport';
import { withoutSecrets } from '../../../shared/shown-url';
import { CONFIRM_TIMEOUT_MS } from './confirms';

/**
 * An API's connection to the broker, with the channel that it publishes on.
 *
 * amqplib is used directly and not through a manager that queues while disconnected: a command must
 * be refused at once when the broker is unavailable, not kept in memory. States: connected (the
 * channels are there), blocked (the broker asked to stop: memory or disk alarm), away (no channels;
 * each try to connect goes to the next node of the cluster), closed.
 */

const HEARTBEAT_S = 5;
/** How long a node may take to answer, milliseconds. */
const CONNECT_TIMEOUT_MS = 5000;
/** Pause before the next try to connect, milliseconds. */
const CONNECT_PAUSE_MS = 250;
/** Tries at the start for each node. */
const START_TRIES = 3;
/** Pause before a channel that the broker closed is opened again, milliseconds. */
const REOPEN_PAUSE_MS = 500;
/** Shortest time between two replacements of the channel to publish on, milliseconds. */
const REPLACE_PAUSE_MS = 1000;

export interface ConnectionOptions {
  /** The nodes of the broker. */
  readonly urls: readonly string[];
  /** Name of this API process, unique among those that run. */
  readonly instance: string;
  readonly logger: Logger;
  /** Makes a new connection ready, and returns the channels that it opened for use later. */
  readonly prepare: (model: ChannelModel) => Promise<readonly Channel[]>;
  /** Called with a channel to publish on, whenever there is a new one. */
  readonly onOpen: (channel: ConfirmChannel) => void;
  /** Called when the channels are lost. */
  readonly onLost: () => void;
}

/** All that were opened together: when the broker closes one, all are opened again. */
interface Channels {
  readonly others: readonly Channel[];
  publishing: ConfirmChannel;
  /** When that was replaced last, milliseconds of `performance.now()`. */
  replacedAt: number;
}

export class BrokerConnection {
  private model: ChannelModel | null = null;
  private channels: Channels | null = null;
  private blocked = false;
  private closed = false;
  private tries = 0;
  private readonly urls: readonly string[];

  constructor(private readonly options: ConnectionOptions) {
    this.urls = fromAnyNode(options.urls);
  }

  /**
   * Connects. Later it reconnects by itself.
   * @throws StartError when the broker cannot be reached.
   */
  async open(): Promise<void> {
    const { urls } = this.options;
    try {
      await this.connectWithin(START_TRIES * urls.length);
    } catch (error) {
      throw new StartError(
        `Cannot use RabbitMQ at ${withoutSecrets(urls)} (RABBITMQ_URL): ${(error as Error).message}`,
      );
    }
  }

  /** Why nothing can be published now; null when it can. */
  get fault(): 'unavailable' | 'blocked' | null {
    if (!this.channels) return 'unavailable';
    return this.blocked ? 'blocked' : null;
  }

  /**
   * Opens a channel for another purpose.
   * @throws NotAccepted while the broker is unavailable.
   */
  openChannel(): Promise<Channel> {
    return this.model
      ? this.model.createChannel()
      : Promise.reject(new NotAccepted('the message broker is unavailable'));
  }

  /**
   * Publishes on another channel from now on, for one that refuses may remember a lost node as the
   * queue's leader (`docs/decisions/1-quorum-queues-single-active-consumer.md`). Does nothing when
   * the channel was replaced within the last second.
   */
  replaceChannel(): void {
    const { model, channels } = this;
    const now = performance.now();
    if (!model || !channels || now - channels.replacedAt < REPLACE_PAUSE_MS) return;
    channels.replacedAt = now;
    this.openAnother(model, channels).catch((error: unknown) => {
      this.options.logger.warn({ err: error }, 'channel to the message broker not replaced');
    });
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
        this.options.logger.debug({ err: error }, 'message broker unavailable');
      }
      await pause(CONNECT_PAUSE_MS);
    }
  }

  private async connect(): Promise<void> {
    const { logger } = this.options;
    const model = await this.newModel();
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
      void closeQuietly(model);
      throw error;
    }
    logger.info('message broker connected');
  }

  private newModel(): Promise<ChannelModel> {
    const url = this.urls[this.tries % this.urls.length] ?? '';
    this.tries += 1;
    return connect(withHeartbeat(url), {
      // Nagle's algorithm would hold small frames back for tens of milliseconds.
      noDelay: true,
      timeout: CONNECT_TIMEOUT_MS,
      clientProperties: { connection_name: `lendline-api ${this.options.instance}` },
    });
  }

  private async openChannels(model: ChannelModel): Promise<void> {
    const { prepare, onOpen } = this.options;
    const others = await prepare(model);
    const publishing = await model.createConfirmChannel();
    if (this.model !== model || this.closed) throw new Error('the connection was ended meanwhile');
    const channels = { others, publishing, replacedAt: -Infinity };
    for (const one of [...others, publishing]) this.watch(one, model, channels);
    this.channels = channels;
    onOpen(publishing);
  }

  /** The former channel stays for as long as a confirm may take. */
  private async openAnother(model: ChannelModel, channels: Channels): Promise<void> {
    const channel = await model.createConfirmChannel();
    if (this.channels !== channels) {
      void closeQuietly(channel);
      return;
    }
    const former = channels.publishing;
    channels.publishing = channel;
    this.watch(channel, model, channels);
    this.options.onOpen(channel);
    this.options.logger.debug('channel to the message broker replaced');
    setTimeout(() => {
      void closeQuietly(former);
    }, CONFIRM_TIMEOUT_MS).unref();
  }

  private watch(channel: Channel, model: ChannelModel, channels: Channels): void {
    channel.on('error', (error: unknown) => {
      this.options.logger.error({ err: error }, 'channel to the message broker failed');
    });
    // Before amqplib's own listener, so that nothing is published on it any more.
    channel.prependOnceListener('close', () => {
      if (channels.others.includes(channel) || channels.publishing === channel)
        this.channelClosed(model, channels);
    });
  }

  /** The broker may close a channel alone. */
  private channelClosed(model: ChannelModel, channels: Channels): void {
    if (this.model !== model || (this.channels && this.channels !== channels)) return;
    this.lose();
    setTimeout(() => {
      if (this.model !== model || this.channels) return;
      // One of them is closed already.
      for (const channel of [...channels.others, channels.publishing]) void closeQuietly(channel);
      this.openChannels(model).catch((error: unknown) => {
        this.options.logger.error({ err: error }, 'channels to the message broker not opened');
        this.channelClosed(model, channels);
      });
    }, REOPEN_PAUSE_MS).unref();
  }

  private lose(): void {
    this.channels = null;
    this.options.onLost();
  }
}

function withHeartbeat(url: string): string {
  const parsed = new URL(url);
  if (!parsed.searchParams.has('heartbeat'))
    parsed.searchParams.set('heartbeat', String(HEARTBEAT_S));
  return parsed.toString();
}
