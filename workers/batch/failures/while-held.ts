import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../../../shared/logger';
import type { Delivery } from '../../../shared/messaging/transport';
import { reasonOf, retryPauseMs } from './retry';
import type { Stall } from './stall';
import { commandIdsOf, epochsOf, isHeld } from '../ownership/deliveries';
import { stillHeld } from '../ownership/fence';

/** Work on deliveries, for as long as their partitions belong to this worker. */
export class WhileHeld {
  private stopped = false;

  constructor(private readonly deps: { readonly logger: Logger; readonly stall: Stall }) {}

  get isStopped(): boolean {
    return this.stopped;
  }

  /** Ends waiting for servers that are unavailable. */
  stop(): void {
    this.stopped = true;
  }

  /**
   * What `work` comes to with those deliveries that are held; null when it was stopped, or when
   * none is held any more.
   */
  async untilServersAnswer<Held extends Delivery, Result>(
    deliveries: readonly Held[],
    work: (held: readonly Held[]) => Promise<Result | null>,
  ): Promise<Result | null> {
    for (let tries = 0; !this.stopped; tries += 1) {
      const held = deliveries.filter(isHeld);
      if (held.length === 0) return null;
      try {
        const result = await work(held);
        if (result !== null) return result;
        await this.releaseForeign(held);
      } catch (error) {
        this.deps.logger.warn(
          { err: error, tries, commandIds: commandIdsOf(held) },
          'not stored yet',
        );
        this.deps.stall.failed(reasonOf(error));
        await pause(retryPauseMs(tries));
      }
    }
    return null;
  }

  /** Lets go of the partitions that another worker has taken over. */
  async releaseForeign(held: readonly Delivery[]): Promise<void> {
    const mine = await stillHeld(epochsOf(held)).catch(() => null);
    if (!mine) return;
    for (const { ownership } of held) if (!mine.has(ownership.name)) ownership.release();
  }
}
