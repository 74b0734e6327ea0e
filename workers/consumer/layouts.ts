import { setTimeout as pause } from 'node:timers/promises';
import {
  publishedLayout,
  readLayouts,
  servedLayout,
  type KeptLayout,
} from '../../shared/database/layouts';
import type { Logger } from '../../shared/logger';
import type { Layout } from '../../shared/messaging/topology';

/**
 * Which partitions this worker serves and publishes to: looks for a change of their number. A
 * worker that learns of it late does no harm: what it publishes comes back, and what it carries out
 * does not pass the fence.
 */

/**
 * How often it is looked, milliseconds; and while a change is under way, for commands wait for its
 * end then.
 */
const LOOK_MS = 1000;
const LOOK_CHANGING_MS = 100;

export interface LayoutsOptions {
  readonly layouts: readonly KeptLayout[];
  /** Serves another layout than before; called one after the other. */
  readonly serve: (layout: Layout) => Promise<void>;
  readonly logger: Logger;
}

export class Layouts {
  private layouts: readonly KeptLayout[];
  private readonly stopping = new AbortController();
  private looking: Promise<void> = Promise.resolve();

  constructor(private readonly options: LayoutsOptions) {
    this.layouts = options.layouts;
  }

  /** The layout to publish in. */
  get published(): Layout {
    return publishedLayout(this.layouts);
  }

  /** The layout to carry out. */
  get served(): Layout {
    return servedLayout(this.layouts);
  }

  start(): void {
    this.looking = this.look();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.looking;
  }

  private async look(): Promise<void> {
    const { signal } = this.stopping;
    const rested = () =>
      pause(this.layouts.length > 1 ? LOOK_CHANGING_MS : LOOK_MS, true, { signal }).catch(
        () => false,
      );
    while (await rested()) await this.renew();
  }

  private async renew(): Promise<void> {
    const { logger, serve } = this.options;
    try {
      const before = this.served.generation;
      this.layouts = await readLayouts();
      if (this.served.generation === before) return;
      logger.info(this.served, 'partitions changed');
      await serve(this.served);
    } catch (error) {
      logger.warn({ err: error }, 'number of partitions not read');
    }
  }
}
