/** When a failed delivery is tried again. */

export interface Schedule {
  /** Pause after the first failure, milliseconds. Each further pause is four times as long. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** How long a delivery is retried in all, milliseconds. Then the webhook is disabled. */
  readonly totalMs: number;
}

const HOUR_MS = 3600 * 1000;

export const SCHEDULE: Schedule = { firstMs: 5000, maxMs: 8 * HOUR_MS, totalMs: 72 * HOUR_MS };

/** Returns the pause after this many failures, milliseconds. */
export const pauseMs = (failures: number, { firstMs, maxMs }: Schedule): number =>
  Math.min(maxMs, firstMs * 4 ** (failures - 1));
