import { setTimeout as pause } from 'node:timers/promises';
import type { Outage } from '../faults/outage';

/** How long calls are counted at a time, and how often, milliseconds. */
const WINDOW_MS = 5000;
const WINDOWS = 6;
/** How long both systems run before they are compared, milliseconds: what runs anew is slower. */
const WARM_MS = 60_000;

/**
 * Returns what the calls answered by one system are of those answered by the other, in each of some
 * windows.
 */
async function ratios(touched: Outage, bystander: Outage): Promise<number[]> {
  const found: number[] = [];
  for (let window = 0; window < WINDOWS; window += 1) {
    const before = [touched.answered, bystander.answered] as const;
    await pause(WINDOW_MS);
    found.push((touched.answered - before[0]) / Math.max(1, bystander.answered - before[1]));
  }
  process.stdout.write(
    `calls answered per call of the bystander: ${found.map((ratio) => ratio.toFixed(2)).join(' ')}\n`,
  );
  return found.sort((a, b) => a - b);
}

/**
 * Whether a system is as fast after an outage as it was before. It is measured against a bystander,
 * another system with as many clients at the same time on the same machine: whatever else that does
 * falls upon both. And what counts after the outage is the best window, for noise comes and goes,
 * while a system that does not recover has none that is good.
 */
export class Recovery {
  private constructor(
    private readonly touched: Outage,
    private readonly bystander: Outage,
    private readonly before: number,
  ) {}

  static async begin(touched: Outage, bystander: Outage): Promise<Recovery> {
    // Both have been running for as long, as far as a compiler of hot code can tell.
    await pause(WARM_MS);
    const found = await ratios(touched, bystander);
    return new Recovery(touched, bystander, found[Math.floor(found.length / 2)] ?? 0);
  }

  /** Returns the best throughput within the next 30 seconds, as a part of what it was before. */
  async best(): Promise<number> {
    return ((await ratios(this.touched, this.bystander)).at(-1) ?? 0) / this.before;
  }
}
