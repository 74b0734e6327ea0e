import { readdirSync, readFileSync } from 'node:fs';

/** Processor time of the programs that take part, read from Linux's /proc. */

/** Clock ticks in a second, in /proc. */
const TICKS = 100;

/** Words in the command line, or the name, of each program. */
const PROGRAMS: readonly (readonly [program: string, word: RegExp])[] = [
  ['API', /dist\/api\/main\.js/],
  ['worker', /dist\/workers\/main\.js/],
  ['embedded', /dist\/standalone\.js/],
  ['rival', /bench\/rivals\/main\.ts/],
  ['bare Express', /bench\/bare-express\.ts/],
  ['MySQL', /(^|\/)(mariadbd|mysqld)\0/],
  ['RabbitMQ', /beam\.smp/],
  ['Redis', /(redis|valkey)-server/],
];

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It has ended meanwhile.
    return '';
  }
};

export type Seconds = ReadonlyMap<string, number>;

/** Seconds of processor time that one process has used so far. */
export function secondsOf(pid: string | number): number {
  // The name in brackets may hold spaces; the user's and the system's ticks are the 12th and 13th
  // numbers after it.
  const fields = read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS;
}

/** Seconds of processor time that each program has used so far, all its processes together. */
export function processorTime(): Seconds {
  const used = new Map<string, number>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const command = read(`/proc/${pid}/cmdline`);
    const program = PROGRAMS.find(([, word]) => word.test(command))?.[0];
    if (!program) continue;
    used.set(program, (used.get(program) ?? 0) + secondsOf(pid));
  }
  return used;
}

/** What was used between two readings, in milliseconds for each of `count`, the most first. */
export function spent(
  before: Seconds,
  after: Seconds,
  count: number,
): [program: string, ms: number][] {
  const used = [...after].map(([program, seconds]): [string, number] => [
    program,
    (1000 * (seconds - (before.get(program) ?? 0))) / Math.max(1, count),
  ]);
  return used.filter(([, ms]) => ms >= 0.005).sort((a, b) => b[1] - a[1]);
}
