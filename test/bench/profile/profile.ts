import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { ROOT, type Child } from '../../support/service/child';
import { waitUntil } from '../../support/wait';
import { onBothWays, type BothWays } from '../both-ways';
import { round } from '../rounds';
import { byPopularity, hotBook, type Work } from '../work';
import { budgetOf, type Profile } from './budget';

/**
 * `npm run bench -- profile`: a profile of API, worker and embedded process under load, as flame
 * graphs and as a table of what each part costs a command.
 */

const ROUNDS = 1;
const CLIENTS = 128;
/** Length of the load before a profile, and of that which is profiled, seconds. */
const WARM_S = 10;
const ROUND_S = 10;
/** How long a program may take to write its profile, milliseconds. */
const WRITE_MS = 30_000;
/** Parts that cost a command less than this stand in no table, microseconds. */
const SHOWN_MIN_US = 2;
const FOLDER = join(ROOT, 'bench-results/profiles');
/** Where the programs put them. */
const FRESH = join(FOLDER, 'fresh');
/** The viewer that draws the flame graphs, each in a page of its own. */
const VIEWER = 'cpupro@0.7.0';
const call = promisify(execFile);
const WORKS: Readonly<Record<string, Work>> = { hot: hotBook, popular: byPopularity };

function table(profile: Profile, commands: number): string {
  const steps = budgetOf(profile, commands).filter(({ within }) => within >= SHOWN_MIN_US);
  const used = steps.reduce((sum, { alone }) => sum + alone, 0);
  const shown = (us: number): string => us.toFixed(1);
  return [
    `| part | alone, µs of ${shown(used)} | with all it calls, µs |`,
    '|---|---|---|',
    ...steps.map(({ part, alone, within }) => `| ${part} | ${shown(alone)} | ${shown(within)} |`),
  ].join('\n');
}

const signal = (programs: readonly Child[]): void => {
  for (const program of programs) program.signal('SIGUSR2');
};

/** The profiles that the programs write, each under a name that tells what it is of. */
async function written(count: number, name: string): Promise<readonly string[]> {
  const files = await waitUntil('every program has written its profile', WRITE_MS, async () => {
    const found = (await readdir(FRESH)).filter((file) => file.endsWith('.cpuprofile'));
    return found.length === count ? found : undefined;
  });
  return Promise.all(
    files.map(async (file) => {
      const named = `${name}-${file}`;
      await rename(join(FRESH, file), join(FOLDER, named));
      return named;
    }),
  );
}

/** One load under a profile of each program. Resolves with the tables. */
async function measure({ name, subject, tokens }: BothWays, work: string): Promise<string> {
  const wanted = WORKS[work] ?? hotBook;
  await round(subject, { clients: CLIENTS, seconds: WARM_S }, wanted, tokens);
  signal(subject.programs);
  const { succeeded } = await round(
    subject,
    { clients: CLIENTS, seconds: ROUND_S },
    wanted,
    tokens,
  );
  signal(subject.programs);
  const parts = [`## ${name}, ${work}: ${succeeded} commands, ${CLIENTS} clients`];
  for (const file of await written(subject.programs.length, `${name}-${work}`)) {
    const profile = JSON.parse(await readFile(join(FOLDER, file), 'utf8')) as Profile;
    const page = file.replace('.cpuprofile', '.html');
    if (!process.env.NO_VIEWER)
      await call('npx', ['--yes', VIEWER, join(FOLDER, file), '-n', '-f', page, '-o', FOLDER]);
    parts.push(`### ${relative(ROOT, join(FOLDER, page))}`, table(profile, succeeded));
  }
  return `${parts.join('\n\n')}\n`;
}

export async function benchProfile(args: readonly string[]): Promise<void> {
  await mkdir(FRESH, { recursive: true });
  const hook = join(ROOT, 'test/bench/profile/hook.js');
  const env = { NODE_OPTIONS: `--require ${hook}`, PROFILE_FOLDER: FRESH };
  const measureAll = async (way: BothWays): Promise<string> => {
    const tables: string[] = [];
    for (const work of Object.keys(WORKS)) tables.push(await measure(way, work));
    return tables.join('\n');
  };
  const { lines } = await onBothWays(args, ROUNDS, measureAll, env);
  process.stdout.write(`${lines.join('\n')}\n`);
}
