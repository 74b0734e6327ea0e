import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cp, realpath, symlink } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { cleanUp, temporaryFolder } from '../support/cleanup';
import { ROOT } from '../support/child';
import { provideServers } from '../support/servers';
import { mutated, type Mutation } from './mutation';
import { mutations } from './mutations';

/**
 * Takes out one guard after the other, in a copy of the tree, and looks whether a test notices. Arguments: parts of the names
 * of guards, none for all of them. The exit code is 1 when a guard's absence was not noticed.
 */

/** What is not copied, or linked instead. */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', 'node_modules', 'dist', 'data', 'coverage']);
/** Seeds of the simulation: a guard that is missing shows within the first few hundred. */
const SIMULATION_SEEDS = '500';
/** How long one run of tests, or one build, may take, milliseconds. */
const DEADLINE_MS = 600_000;

interface JestResult {
  readonly numPassedTests: number;
  readonly testResults: readonly { readonly message: string; readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[] }[];
}

interface Result {
  readonly passed: number;
  readonly failed: readonly string[];
  /** What the tests said, when not one of them could be run. */
  readonly trouble: string | null;
}

const say = (line: string) => process.stdout.write(`${line}\n`);

function execute(folder: string, command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<{ readonly right: boolean; readonly output: string }> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd: folder, env, timeout: DEADLINE_MS, killSignal: 'SIGKILL', maxBuffer: Infinity }, (error, stdout, stderr) => {
      resolve({ right: error === null, output: stdout + stderr });
    });
  });
}

/** The project of Jest to which a test file belongs. */
function projectOf(path: string): string {
  const [, folder = ''] = path.split('/');
  return { simulation: 'unit', contract: 'embedded' }[folder] ?? folder;
}

class Copy {
  private constructor(
    private readonly folder: string,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  static async make(): Promise<Copy> {
    const { mysqlUrl, rabbitmqUrl, rabbitmqManagementUrl, redisUrl } = await provideServers();
    const folder = await temporaryFolder('mutations');
    await cp(ROOT, folder, { recursive: true, filter: (path) => !LEFT_OUT.has(relative(ROOT, path).split(sep)[0] ?? '') });
    await symlink(await realpath(join(ROOT, 'node_modules')), join(folder, 'node_modules'));
    const servers = { MYSQL_URL: mysqlUrl, RABBITMQ_URL: rabbitmqUrl, RABBITMQ_MANAGEMENT_URL: rabbitmqManagementUrl, REDIS_URL: redisUrl };
    return new Copy(folder, { ...process.env, ...servers, SIMULATION_SEEDS });
  }

  /** Runs the tests of a mutation with the program as it is. */
  async test({ tests, only, built }: Mutation): Promise<Result> {
    const built_ = built ? await execute(this.folder, 'npm', ['run', '-s', 'build'], this.env) : { right: true, output: '' };
    if (!built_.right) return { passed: 0, failed: [], trouble: built_.output };
    const file = join(this.folder, 'result.json');
    rmSync(file, { force: true });
    const names = only === undefined ? [] : ['-t', only.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)];
    const args = ['node_modules/jest/bin/jest.js', '--selectProjects', projectOf(tests), ...names, '--json', '--outputFile', file, '--', tests];
    const { output } = await execute(this.folder, process.execPath, args, this.env);
    const result = this.resultIn(file);
    const ran = result?.testResults.flatMap(({ assertionResults }) => assertionResults) ?? [];
    const failed = ran.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
    const passed = result?.numPassedTests ?? 0;
    return { passed, failed, trouble: passed + failed.length > 0 ? null : output };
  }

  /** Runs the tests of a mutation with the program mutated. */
  async testMutated(mutation: Mutation): Promise<Result> {
    const { path, before, after } = mutated(this.folder, mutation);
    writeFileSync(path, after);
    try {
      return await this.test(mutation);
    } finally {
      writeFileSync(path, before);
    }
  }

  private resultIn(file: string): JestResult | null {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as JestResult;
    } catch {
      return null;
    }
  }
}

/** What is wrong with the tests themselves: they have to pass with every guard in its place. */
async function checkTests(copy: Copy, chosen: readonly Mutation[]): Promise<readonly string[]> {
  const wrong: string[] = [];
  const each = new Map(chosen.map((mutation) => [`${mutation.tests} ${mutation.only ?? ''}`, mutation]));
  for (const [name, mutation] of each) {
    const { failed, trouble } = await copy.test(mutation);
    if (failed.length > 0) wrong.push(`${name} fails with nothing taken out: ${failed.join(', ')}`);
    if (trouble !== null) wrong.push(`${name} could not be run: ${trouble}`);
  }
  return wrong;
}

async function main(words: readonly string[]): Promise<boolean> {
  const chosen = mutations.filter(({ guard }) => words.length === 0 || words.some((word) => guard.includes(word)));
  for (const mutation of chosen) mutated(ROOT, mutation);
  const copy = await Copy.make();
  const wrong = await checkTests(copy, chosen);
  for (const line of wrong) say(line);
  if (wrong.length > 0) return false;
  say(`The tests pass; ${chosen.length} guards are taken out.`);
  const survivors: string[] = [];
  for (const [index, mutation] of chosen.entries()) {
    const { failed: [first, ...others], trouble } = await copy.testMutated(mutation);
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    const verdict = first === undefined ? `SURVIVED ${trouble ?? ''}` : `noticed by "${first}"${more}`;
    if (first === undefined) survivors.push(mutation.guard);
    say(`${index + 1}. ${mutation.guard} (${mutation.file}): ${verdict}`);
  }
  say(survivors.length === 0 ? `All ${chosen.length} were noticed.` : `${survivors.length} of ${chosen.length} SURVIVED: ${survivors.join('; ')}`);
  return survivors.length === 0;
}

main(process.argv.slice(2))
  .then(
    (right) => {
      process.exitCode = right ? 0 : 1;
    },
    (error: unknown) => {
      say(String(error));
      process.exitCode = 1;
    },
  )
  .finally(cleanUp);
