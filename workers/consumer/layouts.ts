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
 * Follows the number of partitions: which ones this worker serves and publishes to. A worker that
 * notices a change late does no harm: its messages come back, and its batches do not pass the
 * fence.
 */

/**
 * How often it checks, milliseconds. During a change it checks more often, because commands wait
 * for its end.
 */
const LOOK_MS = 1000;
const LOOK_CHANGING_MS = 100;

export interface LayoutsOptions {
  readonly layouts: readonly KeptLayout[];
  /** Serves another layout than before. Calls do not overlap. */
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

  /** Returns the layout to publish in. */
  get published(): Layout {
    return publishedLayout(this.layouts);
  }

  /** Returns the layout to carry out. */
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
