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
 * What is promised for the borrowers; where the machine is busy with other things, times what they
 * need in a calm.
 */
const P99_MS = 1000;
const P99_TIMES = 4;
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
   * What 99 % of their calls have taken at most since they were at work, milliseconds. Ends them
   * after another calm.
   */
  async endInTime(withinMs = P99_MS): Promise<number> {
    const { storm } = this.prepared;
    const attackedMs = p99(this.prepared, this.attackedFrom);
    const second = storm.calls.length;
    await pause(CALM_MS);
    const calmMs = Math.max(this.calmMs, p99(this.prepared, second));
    await storm.stop();
    expect(attackedMs).toBeLessThan(Math.max(withinMs, P99_TIMES * calmMs));
    return attackedMs;
  }
}

/** What 99 % of the calls after the first `from` took at most, milliseconds. */
function p99({ storm }: PreparedStorm, from: number): number {
  const times = storm.calls
    .slice(from)
    .map(({ tookMs }) => tookMs)
    .sort((a, b) => a - b);
  return Math.round(times[Math.floor(times.length * 0.99)] ?? Infinity);
}
