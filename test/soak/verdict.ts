/** Whether what was read minute by minute is flat. */

/** One thing that is read each minute. */
export interface Measure {
  readonly name: string;
  /**
   * By how much it may grow between the first and the last minute that count: a part of its mean,
   * or so much when that is more.
   */
  readonly part: number;
  readonly least: number;
}

export interface Verdict {
  readonly name: string;
  readonly mean: number;
  /** Growth from the first to the last minute, along the straight line that fits best. */
  readonly growth: number;
  readonly allowed: number;
  readonly flat: boolean;
}

/** A value at a time in minutes. */
export type Point = readonly [minute: number, value: number];

/**
 * The slope of the straight line with the least squares, per minute; 0 of fewer than two points.
 */
export function slopeOf(points: readonly Point[]): number {
  const mean = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const [atX, atY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const spread = points.reduce((sum, [x]) => sum + (x - atX) ** 2, 0);
  return spread === 0 ? 0 : points.reduce((sum, [x, y]) => sum + (x - atX) * (y - atY), 0) / spread;
}

/** What falls is flat: only growth ends a program. */
export function verdictOn({ name, part, least }: Measure, points: readonly Point[]): Verdict {
  const minutes = points.map(([minute]) => minute);
  const length = minutes.length === 0 ? 0 : Math.max(...minutes) - Math.min(...minutes);
  const mean = points.reduce((sum, [, value]) => sum + value, 0) / Math.max(1, points.length);
  const growth = slopeOf(points) * length;
  const allowed = Math.max(least, part * mean);
  return { name, mean, growth, allowed, flat: points.length > 1 && growth <= allowed };
}
