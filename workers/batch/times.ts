import { batchSteps } from '../metrics';

/**
 * The steps of a batch: `read` (ids, begin, fence, known outcomes, state), `decide`, `commit`
 * (write and commit), `reply` (caches invalidated, outcomes sent).
 */
export type Step = 'read' | 'decide' | 'commit' | 'reply';

/** When a batch began and when each of its steps ended, in milliseconds by `performance.now()`. */
export class BatchTimes {
  readonly begun = performance.now();
  private last = this.begun;
  private readonly ends: Partial<Record<Step, number>> = {};

  /** The step has ended now, and what came since the one before it is the time it took. */
  ended(step: Step): void {
    const now = performance.now();
    batchSteps.observe({ step }, (now - this.last) / 1000);
    this.ends[step] = now;
    this.last = now;
  }

  /** When a step ended; the present for one that has not. */
  endOf(step: Step): number {
    return this.ends[step] ?? performance.now();
  }
}
