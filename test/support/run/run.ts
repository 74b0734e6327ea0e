import { spawnSync } from 'node:child_process';
import { canInstall, findProgram } from '../servers/private/programs';
import { CHROMIUM } from '../clients/browser';
import { missingServers } from '../servers/servers';

/**
 * Runs the tests in one of these ways; other arguments are Jest's.
 *
 * - `daily`: all tests but the faults and the rules on servers, with few samples of what is random
 * - `embedded`: what needs no servers
 * - `rest`: what `daily` leaves out
 * - `faults`: the faults, with `--long` in their long forms
 *
 * What cannot be tried on this machine is said in one line, and the run ends with an exit code of
 * its own.
 */

const SERVERLESS = ['unit', 'simulation', 'embedded'] as const;

/**
 * Test files at a time that often wait for servers and programs: two keep half a machine busy. Four
 * keep twenty processes waiting for two cores, and then some wait for seconds.
 */
const WAITING_WORKERS = 3;

const WAYS: Readonly<
  Record<string, { readonly projects: readonly string[]; readonly few?: true; workers: number }>
> = {
  daily: {
    projects: ['unit', 'simulation', 'integration', 'embedded', 'servers'],
    few: true,
    workers: WAITING_WORKERS,
  },
  embedded: { projects: SERVERLESS, few: true, workers: WAITING_WORKERS },
  rest: { projects: ['simulation', 'random', 'tools', 'rules-on-servers', 'faults'], workers: 2 },
  faults: { projects: ['faults'], workers: 2 },
};
/** Seeds of the simulation. */
const SEEDS = { few: 200, all: 10_000 };

/** All that was tried passed, but something could not be tried. */
const INCOMPLETE = 3;

function jest(args: readonly string[], env: NodeJS.ProcessEnv): number {
  return (
    spawnSync(process.execPath, [require.resolve('jest/bin/jest'), ...args], {
      env,
      stdio: 'inherit',
    }).status ?? 1
  );
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
  // Jest takes the first of several.
  const workers = args.some((arg) => /^(--maxWorkers|--runInBand|-w|-i)\b/.test(arg))
    ? []
    : [`--maxWorkers=${chosen.workers}`];
  const without = gaps.pages ? ['--testPathIgnorePatterns', '/test/pages/', '/node_modules/'] : [];
  // Last, for this option takes whatever follows it for the name of another project.
  const status = jest(
    [
      ...workers,
      ...args,
      ...without,
      ...(args.includes('--selectProjects') ? [] : ['--selectProjects', ...projects]),
    ],
    env,
  );
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
