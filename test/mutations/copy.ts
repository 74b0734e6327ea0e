import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cp, realpath, symlink } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Child, ownEnvironment, ROOT } from '../support/service/child';
import { temporaryFolder } from '../support/run/cleanup';
import { provideServers } from '../support/servers/servers';
import { mutated, type Mutation } from './mutation';

/** What is not copied, or linked instead. */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', 'node_modules', 'dist', 'data', 'coverage']);
/** Seeds of the simulation: a guard that is missing shows within the first few hundred. */
const SIMULATION_SEEDS = '500';
/** How long one run of tests, or one build, may take, milliseconds. */
const DEADLINE_MS = 600_000;

interface Ran {
  readonly status: string;
  readonly fullName: string;
}

/** What tests came to: the names of those that ran. */
export interface Result {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  readonly output: string;
}

type Tests = Pick<Mutation, 'tests' | 'only' | 'built'>;

/** The project of Jest to which a test file belongs. */
function projectOf(path: string): string {
  const [, folder = ''] = path.split('/');
  return { contract: 'embedded' }[folder] ?? folder;
}

/** A copy of the tree in a temporary folder, whose tests use the servers of this run. */
export class Copy {
  private constructor(
    private readonly folder: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  static async make(): Promise<Copy> {
    const { mysqlUrl, rabbitmqUrl, rabbitmqManagementUrl, redisUrl } = await provideServers();
    const folder = await temporaryFolder('mutations');
    await cp(ROOT, folder, {
      recursive: true,
      filter: (path) => !LEFT_OUT.has(relative(ROOT, path).split(sep)[0] ?? ''),
    });
    await symlink(await realpath(join(ROOT, 'node_modules')), join(folder, 'node_modules'));
    allowUnused(join(folder, 'tsconfig.build.json'));
    const servers = {
      MYSQL_URL: mysqlUrl,
      RABBITMQ_URL: rabbitmqUrl,
      RABBITMQ_MANAGEMENT_URL: rabbitmqManagementUrl,
      REDIS_URL: redisUrl,
    };
    return new Copy(folder, { ...ownEnvironment(), ...servers, SIMULATION_SEEDS });
  }

  /** Runs tests on the program as it is in the copy. */
  async test({ tests, only, built }: Tests): Promise<Result> {
    const build = built && (await this.run('npm', ['run', '-s', 'build']));
    if (build && build.code !== 0) return { passed: [], failed: [], output: build.output };
    const file = join(this.folder, 'result.json');
    rmSync(file, { force: true });
    const names =
      only === undefined ? [] : ['-t', only.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)];
    const { output } = await this.run(process.execPath, [
      'node_modules/jest/bin/jest.js',
      '--selectProjects',
      projectOf(tests),
      ...names,
      '--json',
      '--outputFile',
      file,
      '--',
      tests,
    ]);
    const ran = ranIn(file);
    const having = (wanted: string) =>
      ran.filter(({ status }) => status === wanted).map(({ fullName }) => fullName);
    return { passed: having('passed'), failed: having('failed'), output };
  }

  /** Runs the tests of a mutation on the mutated program. */
  async testMutated(mutation: Mutation): Promise<Result> {
    const { path, before, after } = mutated(this.folder, mutation);
    writeFileSync(path, after);
    try {
      return await this.test(mutation);
    } finally {
      writeFileSync(path, before);
    }
  }

  private async run(
    command: string,
    args: readonly string[],
  ): Promise<{ readonly code: number | null; readonly output: string }> {
    const child = new Child({ name: command, command, args, env: this.env, folder: this.folder });
    const late = setTimeout(() => void child.kill(), DEADLINE_MS);
    const { code } = await child.exited;
    clearTimeout(late);
    return { code, output: child.output };
  }
}

/** Without its guard a file may declare what nothing uses, which is an error elsewhere. */
function allowUnused(file: string): void {
  const { compilerOptions, ...config } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly compilerOptions: object;
  };
  const allowed = { ...compilerOptions, noUnusedLocals: false, noUnusedParameters: false };
  writeFileSync(file, JSON.stringify({ ...config, compilerOptions: allowed }));
}

/** None when Jest has not come so far as to write them. */
function ranIn(file: string): Ran[] {
  try {
    const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as {
      readonly testResults: readonly { readonly assertionResults: readonly Ran[] }[];
    };
    return testResults.flatMap(({ assertionResults }) => assertionResults);
  } catch {
    return [];
  }
}
