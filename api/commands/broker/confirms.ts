import { AcceptanceUnknown } from '../../../shared/messaging/transport';
import { publishConfirm } from '../../metrics';

/**
 * The publishes of one channel that the broker has not confirmed yet. One whose confirm is late
 * keeps its place, though nobody waits for it any more: the broker may have stopped reading, and
 * what is sent to it then stays in memory.
 */

/** How long a confirm may take, milliseconds; then whether the command is stored is unknown. */
export const CONFIRM_TIMEOUT_MS = 5000;

interface Publish {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
  /** Milliseconds of `performance.now()`. */
  readonly at: number;
}

export class Confirms {
  /** By a number of our own and not by command id: the same command may be under way twice. */
  private readonly open = new Map<string, Publish>();
  private published = 0;

  get size(): number {
    return this.open.size;
  }

  /** Takes a place. `confirmed` settles with the publish, or rejects when its confirm is late. */
  add(): { readonly publishId: string; readonly confirmed: Promise<void> } {
    const publishId = String((this.published += 1));
    const confirmed = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new AcceptanceUnknown(`not confirmed within ${CONFIRM_TIMEOUT_MS} ms`));
      }, CONFIRM_TIMEOUT_MS);
      this.open.set(publishId, { resolve, reject, timer, at: performance.now() });
    });
    return { publishId, confirmed };
  }

  /** Ends a publish: confirmed without an error, else failed with it. */
  settle(publishId: string, error: Error | null): void {
    const publish = this.open.get(publishId);
    if (!publish) return;
    this.open.delete(publishId);
    clearTimeout(publish.timer);
    if (error) {
      publish.reject(error);
      return;
    }
    publishConfirm.observe((performance.now() - publish.at) / 1000);
    publish.resolve();
  }

  /** The channel is gone: whatever was not confirmed may or may not be stored. */
  lose(): void {
    for (const publishId of [...this.open.keys()])
      this.settle(
        publishId,
        new AcceptanceUnknown('the message broker was lost before it confirmed'),
      );
  }
}
