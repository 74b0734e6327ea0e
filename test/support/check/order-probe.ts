import { setTimeout as pause } from 'node:timers/promises';
import type { Caller } from '../clients/caller';

/**
 * Pause between two commands of a probe, milliseconds: it is there to see the order, not to make
 * load.
 */
const PAUSE_MS = 20;

/**
 * One sender whose commands must take effect in the order in which it sent them. It renames a title
 * to "Order 1", "Order 2" and so on, each as soon as the one before is promised.
 */
export class OrderProbe {
  /** Commands that were promised. */
  promised = 0;
  private stopped = false;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly caller: Caller,
    private readonly bookInfoId: number,
    private readonly admin: string,
  ) {}

  start(): void {
    this.running = this.send();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  private async send(): Promise<void> {
    for (let place = 1; !this.stopped; place += 1) {
      const promise = await this.caller.promise(
        'PATCH',
        `/api/book-infos/${this.bookInfoId}`,
        this.admin,
        { title: `Order ${place}` },
      );
      if (promise.status === 202) this.promised += 1;
      else
        this.caller.violations.push(
          `order ${place} of title ${this.bookInfoId}: ${JSON.stringify(promise)}`,
        );
      await pause(PAUSE_MS);
    }
  }
}
