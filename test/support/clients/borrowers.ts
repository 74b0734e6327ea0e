import { setTimeout as pause } from 'node:timers/promises';
import { prepareStorm, type PreparedStorm } from '../check/storm-check';
import { waitUntil } from '../wait';

/** Borrowers whose answers are timed while a test attacks what serves them. */

export const BORROWERS = 64;
/**
 * A borrower looks at an answer for so long; 64 that never pause take all of a small machine
 * themselves.
 */
const LOOK_MS = 500;
/**
 * How long calls may take, milliseconds; where the machine is busy with other things, times what
 * 99 % take at most in a calm.
 */
const WITHIN_MS = 1000;
const CALM_TIMES = 4;
/** How long each call may take, milliseconds. */
const EACH_WITHIN_MS = 15_000;
const CALM_MS = 3000;
const BUSY_MS = 120_000;

export class Borrowers {
  private constructor(
    readonly prepared: PreparedStorm,
    private readonly calmMs: number,
    private readonly attackedFrom: number,
  ) {}

  /** Resolves when they have borrowed for a while without a fault. */
  static async atWork(url: string, secret: string): Promise<Borrowers> {
    const prepared = await prepareStorm(url, secret, () => [url], {
      clients: BORROWERS,
      pauseMs: LOOK_MS,
    });
    const { storm } = prepared;
    storm.start();
    await waitUntil('the borrowers are at work', BUSY_MS, () => storm.answered > 4 * BORROWERS);
    const first = storm.calls.length;
    await pause(CALM_MS);
    return new Borrowers(prepared, p99(prepared, first), storm.calls.length);
  }

  /**
   * Ends them after another calm. Returns what 99 % of their calls have taken at most since they
   * were at work, milliseconds.
   *
   * Checks the slowest call of each second, in at least half of the seconds. What else a machine
   * does may take its processors for a second or two, which is more than 1 % of the calls.
   */
  async endInTime(withinMs = WITHIN_MS): Promise<number> {
    const { storm } = this.prepared;
    const attackedMs = p99(this.prepared, this.attackedFrom);
    const slowest = slowestOfSeconds(this.prepared, this.attackedFrom);
    const second = storm.calls.length;
    await pause(CALM_MS);
    const calmMs = Math.max(this.calmMs, p99(this.prepared, second));
    await storm.stop();
    const usual = slowest[Math.floor(slowest.length / 2)];
    expect(usual).toBeLessThan(Math.max(withinMs, CALM_TIMES * calmMs));
    expect(slowest.at(-1)).toBeLessThan(EACH_WITHIN_MS);
    return attackedMs;
  }
}

/** What the slowest call of each second after the first `from` took, in ascending order. */
function slowestOfSeconds({ storm }: PreparedStorm, from: number): number[] {
  const slowest = new Map<number, number>();
  for (const { startedAt, tookMs } of storm.calls.slice(from)) {
    const second = Math.floor(startedAt / 1000);
    slowest.set(second, Math.max(slowest.get(second) ?? 0, tookMs));
  }
  return [...slowest.values()].sort((a, b) => a - b);
}

/** What 99 % of the calls after the first `from` took at most, milliseconds. */
function p99({ storm }: PreparedStorm, from: number): number {
  const times = storm.calls
    .slice(from)
    .map(({ tookMs }) => tookMs)
    .sort((a, b) => a - b);
  return Math.round(times[Math.floor(times.length * 0.99)] ?? Infinity);
}
