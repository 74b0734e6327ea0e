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
  ['PostgreSQL', /(^|\/)postgres(\0|:)/],
  ['RabbitMQ', /beam\.smp/],
  ['Redis', /(redis|valkey)-server/],
  ['Restate', /restate-server/],
];

const BESIDE_A_RIVAL: readonly (readonly [subject: RegExp, servers: readonly string[]])[] = [
  [/^(PostgreSQL|pg-boss|DBOS)/, ['PostgreSQL']],
  [/MQ$/, ['MySQL', 'Redis']],
  [/^Restate/, ['MySQL', 'Restate']],
];

/** The programs that serve a subject. Those of others use processor time meanwhile as well. */
export function programsOf(subject: string): readonly string[] {
  if (subject === 'bare Express') return [subject];
  if (/^Lendline.* embedded/.test(subject)) return ['embedded'];
  if (subject.startsWith('Lendline')) return ['API', 'worker', 'MySQL', 'RabbitMQ', 'Redis'];
  const servers = BESIDE_A_RIVAL.find(([of]) => of.test(subject))?.[1] ?? ['MySQL'];
  return ['rival', ...servers];
}

/** Read before the bench exports the addresses of the servers that it starts. */
const SERVERS_GIVEN = process.env.MYSQL_URL !== undefined;

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It has ended meanwhile.
    return '';
  }
};

export type Seconds = ReadonlyMap<string, number>;

/** What /proc tells of a process after its name in brackets, which may hold spaces. */
const fieldsOf = (pid: string | number): string[] =>
  read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? [];

/** Seconds of processor time that one process has used so far, its own and the system's. */
export function secondsOf(pid: string | number): number {
  const fields = fieldsOf(pid);
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS;
}

/** Whether this process started the process, or one of its ancestors. */
function isOurs(pid: string): boolean {
  if (pid === String(process.pid)) return true;
  const parent = fieldsOf(pid)[1] ?? '0';
  return parent !== '0' && parent !== '1' && isOurs(parent);
}

/**
 * Seconds of processor time that each program has used so far, all its processes together. Servers
 * at given addresses are found by their names. Otherwise only what this process started counts, for
 * others may use the machine too.
 */
export function processorTime(): Seconds {
  const used = new Map<string, number>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const command = read(`/proc/${pid}/cmdline`);
    const program = PROGRAMS.find(([, word]) => word.test(command))?.[0];
    if (!program || !(SERVERS_GIVEN || isOurs(pid))) continue;
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
