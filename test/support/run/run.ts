import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { canInstall, findProgram } from '../servers/private/programs';
import { CHROMIUM } from '../clients/browser';
import { missingServers } from '../servers/servers';
import { lintBeside } from './lint';

/**
 * Runs the tests in one of these ways; other arguments are Jest's.
 *
 * - `daily`: all tests but the faults and the rules on servers, with few samples of what is random,
 *   and beside them `npm run lint`
 * - `embedded`: what needs no servers
 * - `rest`: what `daily` leaves out
 * - `faults`: the faults, with `--long` in their long forms
 *
 * What cannot be tried on this machine is said in one line, and the run ends with an exit code of
 * its own.
 */

const SERVERLESS = ['unit', 'simulation', 'embedded'] as const;

/**
 * Test files at a time that often wait for servers and programs: three leave two cores idle for a
 * tenth of a run.
 */
const WAITING_WORKERS = 4;

const WAYS: Readonly<
  Record<
    string,
    { readonly projects: readonly string[]; readonly few?: true; lint?: true; workers: number }
  >
> = {
  daily: {
    projects: ['unit', 'simulation', 'integration', 'embedded', 'servers'],
    few: true,
    lint: true,
    workers: WAITING_WORKERS,
  },
  embedded: { projects: SERVERLESS, few: true, workers: WAITING_WORKERS },
  rest: { projects: ['simulation', 'samples', 'tools', 'rules-on-servers', 'faults'], workers: 2 },
  faults: { projects: ['faults'], workers: 2 },
};
/** Seeds of the simulation. */
const SEEDS = { few: 200, all: 10_000 };

/** As shells say that somebody has interrupted a program. */
const INTERRUPTED = 130;
/** All that was tried passed, but something could not be tried. */
const INCOMPLETE = 3;

async function jest(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(process.execPath, [require.resolve('jest/bin/jest'), ...args], {
    env,
    stdio: 'inherit',
  });
  // Jest ends by itself then, after it has cleaned up, and nothing else is waited for.
  process.on('SIGINT', () => {
    child.once('close', () => process.exit(INTERRUPTED));
  });
  const [status] = (await once(child, 'close')) as [number | null];
  return status ?? 1;
}

/** What this machine keeps from being tried, one line each. */
interface Gaps {
  readonly servers: string | null;
  readonly pages: string | null;
}

/** `embedded` installs nothing. */
async function gapsOf(way: string): Promise<Gaps> {
  const serverless = way === 'embedded';
  const missing = serverless ? [] : await missingServers();
  const noBrowser = findProgram(...CHROMIUM) === null && (serverless || !canInstall());
  return {
    servers:
      missing.length === 0
        ? null
        : `The tests on servers were not run: ${missing.join(', ')} cannot be found, installed or started with Docker here. The unit tests and those on the embedded default were run. CONTRIBUTING.md says how to get the servers.`,
    pages: noBrowser
      ? 'The pages were not tried: Chromium is not installed. On Debian, apt-get install chromium-headless-shell brings it.'
      : null,
  };
}

interface Wanted {
  readonly workers: number;
  readonly projects: readonly string[];
  /** Jest's own, as they were given. */
  readonly args: readonly string[];
  readonly gaps: Gaps;
}

function jestArguments({ workers, projects, args, gaps }: Wanted): string[] {
  // Jest takes the first of several.
  const isGiven = args.some((arg) => /^(--maxWorkers|--runInBand|-w|-i)\b/.test(arg));
  return [
    ...(isGiven ? [] : [`--maxWorkers=${workers}`]),
    ...args,
    ...(gaps.pages ? ['--testPathIgnorePatterns', '/test/pages/', '/node_modules/'] : []),
    // Last, for this option takes whatever follows it for the name of another project.
    ...(args.includes('--selectProjects') ? [] : ['--selectProjects', ...projects]),
  ];
}

async function main([way = '', ...given]: readonly string[]): Promise<number> {
  const chosen = WAYS[way];
  if (!chosen)
    throw new Error(
      `Unknown way to run the tests: ${way}. Choose one of ${Object.keys(WAYS).join(', ')}.`,
    );
  const gaps = await gapsOf(way);
  const projects = gaps.servers
    ? [...SERVERLESS, ...chosen.projects.filter((project) => project === 'tools')]
    : chosen.projects;
  const args = given.filter((arg) => arg !== '--long');
  const env = {
    ...process.env,
    ...(chosen.few && { TEST_AMOUNT: 'few' }),
    SIMULATION_SEEDS: process.env.SIMULATION_SEEDS ?? String(SEEDS[chosen.few ? 'few' : 'all']),
    ...(args.length < given.length && { FAULTS_LONG: '1' }),
  };
  const tests = jest(jestArguments({ workers: chosen.workers, projects, args, gaps }), env);
  const [tested, linted] = await Promise.all([tests, chosen.lint ? lintBeside(tests) : 0]);
  const status = Math.max(tested, linted);
  const lines = [gaps.servers, gaps.pages].filter((line) => line !== null);
  for (const line of lines) process.stdout.write(`${line}\n`);
  return status === 0 && lines.length > 0 && way !== 'embedded' ? INCOMPLETE : status;
}

main(process.argv.slice(2)).then(
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  },
);
