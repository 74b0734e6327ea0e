import type { TypeSample } from './sample';

/** How long commands of each type took, over a sliding window in memory. */

/** Length of the window, milliseconds. */
const WINDOW_MS = 60_000;
/** Most commands of a type that are kept, the latest ones. */
const KEPT_MAX = 2000;

interface Ended {
  readonly at: number;
  readonly ms: number;
}

export class Latencies {
  private readonly byType = new Map<string, Ended[]>();

  /** Adds a command. `at`: milliseconds by a monotonic clock, later than all before. */
  add(type: string, ms: number, at: number): void {
    const ended = this.byType.get(type);
    if (ended) ended.push({ at, ms });
    else this.byType.set(type, [{ at, ms }]);
  }

  /**
   * Returns every type that had a command within the window, by name; `counts` are those that ended
   * in the last `seconds`.
   */
  sample(now: number, counts: ReadonlyMap<string, number>, seconds: number): TypeSample[] {
    for (const [type, ended] of this.byType) {
      const begin = ended.findIndex(({ at }) => at >= now - WINDOW_MS);
      if (begin < 0) this.byType.delete(type);
      else ended.splice(0, Math.max(begin, ended.length - KEPT_MAX));
    }
    return [...this.byType]
      .map(([type, ended]) => {
        const sorted = ended.map(({ ms }) => ms).sort((a, b) => a - b);
        return {
          type,
          perSecond: (counts.get(type) ?? 0) / seconds,
          p50Ms: percentile(sorted, 0.5),
          p99Ms: percentile(sorted, 0.99),
        };
      })
      .sort((a, b) => (a.type < b.type ? -1 : 1));
  }
}

function percentile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}
