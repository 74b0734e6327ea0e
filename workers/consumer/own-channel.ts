import type { ConfirmChannel } from 'amqplib';
import { closeQuietly } from '../../shared/messaging/close-quietly';

/**
 * A channel to publish on, without the connection manager. After a reconnect, the manager would
 * send what waits before what was lost with the connection.
 * States: none (until it is needed, and after it ended), opening, open.
 */

/** Shortest time between two replacements, milliseconds. */
const REPLACE_PAUSE_MS = 1000;

export class OwnChannel {
  private channel: ConfirmChannel | null = null;
  private opening: Promise<ConfirmChannel> | null = null;
  private replacedAt = -Infinity;

  /** `open` rejects while the broker is unavailable. */
  constructor(private readonly open: () => Promise<ConfirmChannel>) {}

  /** Resolves with the channel that is open, or with a new one. Rejects as `open` does. */
  async get(): Promise<ConfirmChannel> {
    if (this.channel) return this.channel;
    this.opening ??= this.openOne().finally(() => (this.opening = null));
    return this.opening;
  }

  /** Closes the channel. What is published next goes out on another. */
  drop(channel: ConfirmChannel): void {
    this.forget(channel);
    void closeQuietly(channel);
  }

  /**
   * Publishes what comes next on another channel, and closes this one after `closeMs`. One that
   * refuses may remember a lost node as the queue's leader
   * (`docs/decisions/1-quorum-queues-single-active-consumer.md`). Does nothing within a second of
   * the last time.
   */
  replace(channel: ConfirmChannel, closeMs: number): void {
    const now = performance.now();
    if (this.channel !== channel || now - this.replacedAt < REPLACE_PAUSE_MS) return;
    this.replacedAt = now;
    this.forget(channel);
    setTimeout(() => {
      void closeQuietly(channel);
    }, closeMs).unref();
  }

  private async openOne(): Promise<ConfirmChannel> {
    const channel = await this.open();
    channel.once('close', () => {
      this.forget(channel);
    });
    this.channel = channel;
    return channel;
  }

  private forget(channel: ConfirmChannel): void {
    if (this.channel === channel) this.channel = null;
  }
}
