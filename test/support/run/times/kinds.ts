import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/**
 * What a test file spends its time on. Whatever starts or waits says so with `timed`; the rest of a
 * file's time is loading, requests and computing. `npm run test:times` shows the sums.
 */

/** In the order in which they count where several go on together. */
const KINDS = ['servers', 'browser', 'programs', 'waiting'] as const;
export type Kind = (typeof KINDS)[number];

const underWay = new Map<Kind, number>();
const spentMs = new Map<Kind, number>();
let since = performance.now();

/** Adds the time since the last change to the first kind that is under way. */
function turn(kind: Kind, change: 1 | -1): void {
  const now = performance.now();
  const first = KINDS.find((one) => (underWay.get(one) ?? 0) > 0);
  if (first) spentMs.set(first, (spentMs.get(first) ?? 0) + now - since);
  since = now;
  underWay.set(kind, (underWay.get(kind) ?? 0) + change);
}

/** Counts the time until `work` has settled, of which overlapping work counts once. */
export async function timed<T>(kind: Kind, work: () => Promise<T>): Promise<T> {
  turn(kind, 1);
  try {
    return await work();
  } finally {
    turn(kind, -1);
  }
}

/** The file in which Linux reports the processor time of this process's ended children. */
const STAT = '/proc/self/stat';
const TICK_MS = 10;

/** Returns what this process and its programs have used of the processors so far, milliseconds. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1000;
  if (!existsSync(STAT)) return own;
  // The name of the program, in brackets, may have spaces.
  const fields = readFileSync(STAT, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return own + (Number(fields[13]) + Number(fields[14])) * TICK_MS;
}

const processorBefore = processorMs();

/** Hands the times of a test file to the reporter of the run. */
export function handOver(file: string): void {
  const to = process.env.TEST_TIMES;
  if (to)
    appendFileSync(
      to,
      `${JSON.stringify({
        file,
        target: (globalThis as { contractTarget?: string }).contractTarget ?? null,
        spentMs: Object.fromEntries(spentMs),
        processorMs: processorMs() - processorBefore,
      })}\n`,
    );
}
