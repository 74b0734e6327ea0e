import { setTimeout as pause } from 'node:timers/promises';
import type { Channel } from 'amqplib';
import type { Logger } from '../../../shared/logger';
import { declareCurrentTopology } from '../../../shared/messaging/declare';
import type { Layout } from '../../../shared/messaging/topology';
import type { Services } from '../../../shared/service';

/** How long, and how often, the new layout is looked for when a command came back, milliseconds. */
const NEWER_LAYOUT_MS = 2000;
const NEWER_LAYOUT_PAUSE_MS = 50;

export interface LayoutOptions {
  readonly services: Pick<Services, 'names'>;
  /** Reads the layout that commands are published in. */
  readonly readLayout: () => Promise<Layout>;
  readonly logger: Logger;
}

/** The layout that an API publishes in, until it learns of a newer one. */
export class CurrentLayout {
  private newer: Promise<void> | null = null;

  constructor(
    private readonly options: LayoutOptions,
    /** The layout that was read last. */
    public value: Layout,
    private readonly openChannel: () => Promise<Channel>,
  ) {}

  /** Declares the queues, on a channel of its own: an error closes it. */
  async declare(channel: Channel): Promise<void> {
    const { services, logger, readLayout } = this.options;
    channel.on('error', (error: unknown) => {
      logger.error({ err: error }, 'queues not declared');
    });
    this.value = await declareCurrentTopology(channel, services.names, readLayout);
    await channel.close();
  }

  /**
   * Looks for a newer layout than the one whose queue is missing. Commands that come back together
   * share one look.
   */
  async hasNewer(than: Layout): Promise<boolean> {
    if (this.value !== than) return true;
    this.newer ??= this.findNewer(than).finally(() => {
      this.newer = null;
    });
    await this.newer;
    return this.value !== than;
  }

  private async findNewer(than: Layout): Promise<void> {
    const { logger, readLayout } = this.options;
    try {
      for (const deadline = performance.now() + NEWER_LAYOUT_MS; performance.now() < deadline;) {
        const layout = await readLayout();
        if (layout.generation !== than.generation) {
          logger.info(layout, 'partitions changed');
          this.value = layout;
          return;
        }
        await pause(NEWER_LAYOUT_PAUSE_MS);
      }
      logger.error('a partition queue is missing: the queues are declared again');
      await this.declare(await this.openChannel());
    } catch (error) {
      logger.error({ err: error }, 'no queue took a command');
    }
  }
}
