/** When a delivery that failed is tried again. */

export interface Schedule {
  /** Pause after the first failure, milliseconds; each further one is four times as long. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** How long it is tried in all, milliseconds; then the webhook is disabled. */
  readonly totalMs: number;
}

const HOUR_MS = 3600 * 1000;

export const SCHEDULE: Schedule = { firstMs: 5000, maxMs: 8 * HOUR_MS, totalMs: 72 * HOUR_MS };

/** Pause after so many failures, milliseconds. */
export const pauseMs = (failures: number, { firstMs, maxMs }: Schedule): number =>
  Math.min(maxMs, firstMs * 4 ** (failures - 1));
