import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type * as Invariants from '../check/invariants';
import type * as Database from '../servers/database';
import type * as Fresh from '../servers/fresh';
import type * as Accounts from './accounts';
import { Child, ROOT, run, type Exit } from './child';
import { temporaryFolder } from '../run/cleanup';
import { LOOPBACK, reachedAt, type Place } from '../servers/private/place';
import { copySqlite, hasTemplate } from '../servers/templates';
import { follow } from '../run/logs';
import { timed } from '../run/times/kinds';
import { watch } from '../check/document/watched';

/**
 * Starts the built programs as an operator would and knows nothing of their insides. Whatever a
 * test leaves running is stopped after its file.
 */

/**
 * How long a program may take until it can work, and a migration until it is done, milliseconds.
 */
const READY_MS = 60_000;

export type Environment = Readonly<Record<string, string>>;

export interface Program {
  readonly child: Child;
  /** SIGTERM, then waits for the end. */
  stop(): Promise<Exit>;
  /** SIGKILL, then waits for the end. */
  kill(): Promise<Exit>;
}

export interface Embedded extends Program {
  readonly url: string;
  /** Can be given to another start once this one has ended. */
  readonly dataDir: string;
}

export interface Api extends Program {
  readonly url: string;
}

export interface System {
  /** The environment of every process, with an administrator's accounts. */
  readonly env: Environment;
  /** The same with the accounts of an API, and of a worker. */
  readonly apiEnv: Environment;
  readonly workerEnv: Environment;
  /** Grow with `addApi` and `addWorker`; what has ended stays in them. */
  readonly apis: readonly Api[];
  readonly workers: readonly Program[];
  /**
   * `root`: the folder of the project whose build runs, this one unless given. `place`: where it
   * runs, on this machine's loopback unless given.
   */
  addApi(env?: Environment, root?: string, place?: Place): Promise<Api>;
  addWorker(env?: Environment, root?: string, place?: Place): Promise<Program>;
  /** What `ops accounts mysql` does after a migration. */
  renewAccounts(): Promise<void>;
  stop(): Promise<void>;
}

/** Credentials that every system under test starts with. */
export const ADMIN = { username: 'admin', password: 'correct horse battery' } as const;

/**
 * For programs whose passwords cost what operators' do. Jest's configuration makes them cheaper, so
 * programs that are measured or pictured have this cost anyway.
 */
export const REAL_HASHES: Environment = { TEST_PROGRAM_OPTION: '' };

/** Returns Node's options for a program with this environment. */
const programOptions = ({
  TEST_PROGRAM_OPTION: option = process.env.TEST_PROGRAM_OPTION,
}: Environment): string[] => (option ? [option] : []);

export const newSecret = (): string => randomBytes(32).toString('hex');

const identity = (): Environment => ({
  API_HOST: '127.0.0.1',
  API_PORT: '0',
  JWT_SECRET: newSecret(),
  ADMIN_USERNAME: ADMIN.username,
  ADMIN_PASSWORD: ADMIN.password,
  // All tests come from one address.
  SIGNUPS_PER_ADDRESS: '0',
  SIGNUPS_IN_ALL: '0',
  LOG_LEVEL: 'info',
});

/**
 * Returns the whole service in one process. A new data folder has a copy of a migrated database
 * where the run has one; otherwise the program makes it.
 */
export async function startEmbedded({
  env = {},
  dataDir,
}: { env?: Environment; dataDir?: string } = {}): Promise<Embedded> {
  const folder = dataDir ?? (await temporaryFolder('data'));
  if (dataDir === undefined && hasTemplate('sqlite'))
    await copySqlite(join(folder, 'lendline.sqlite'));
  const child = startProgram('embedded', 'standalone.js', [], {
    ...identity(),
    DATA_DIR: folder,
    ...env,
  });
  const url = await reachedAt(
    LOOPBACK,
    await ready(
      child,
      'prints its address',
      (line) => /^Lendline listens at (\S+)/.exec(line)?.[1],
    ),
  );
  watch(url);
  return { ...program(child), url, dataDir: folder };
}

/* oxlint-disable typescript/no-require-imports -- an import would be loaded at once, too */
/**
 * What only servers need, loaded when it is: tests of the embedded default would spend half a
 * second on it.
 */
const forServers = () => ({
  ...(require('./accounts') as typeof Accounts),
  ...(require('../check/invariants') as typeof Invariants),
  ...(require('../servers/database') as typeof Database),
  ...(require('../servers/fresh') as typeof Fresh),
});
/* oxlint-enable typescript/no-require-imports */

/**
 * API and worker processes on a database, a virtual host and a Redis database of their own. The
 * database is a copy of a migrated one where the run has one; otherwise `migrate` makes it. `root`:
 * the folder of the project whose build migrates and runs.
 */
export async function startServers({
  apis = 1,
  workers = 1,
  env = {},
  root = ROOT,
}: {
  apis?: number;
  workers?: number;
  env?: Environment;
  root?: string;
} = {}): Promise<System> {
  const {
    freshDatabase,
    freshRedisDatabase,
    freshVirtualHost,
    makeAccounts,
    migratedDatabase,
    watchFence,
  } = forServers();
  const copied = hasTemplate('mysql') && env['MYSQL_URL'] === undefined && root === ROOT;
  const [mysqlUrl, rabbitmqUrl, redisUrl] = await Promise.all([
    copied ? migratedDatabase('mysql') : freshDatabase(),
    freshVirtualHost(),
    freshRedisDatabase(),
  ]);
  const all: Environment = {
    ...identity(),
    MYSQL_URL: mysqlUrl,
    RABBITMQ_URL: rabbitmqUrl,
    REDIS_URL: redisUrl,
    ...env,
  };
  const accounts = await makeAccounts({ MYSQL_URL: mysqlUrl, RABBITMQ_URL: rabbitmqUrl });
  // What a test says of the servers counts, for instance that a proxy stands before them.
  const as = (own: Accounts.Urls): Environment => ({ ...all, ...own, ...env });
  const [apiEnv, workerEnv] = [as(accounts.api), as(accounts.worker)];
  if (!copied) await migrate(as(accounts.migrate), root);
  await watchFence(all);
  const system = { apis: [] as Api[], workers: [] as Program[] };
  const started = { apis: 0, workers: 0 };
  const addApi = async (more: Environment = {}, from = root, place = LOOPBACK) => {
    const name = `api ${(started.apis += 1)}`;
    const child = startProgram(name, 'api/main.js', [], { ...apiEnv, ...more }, from, place);
    const url = await reachedAt(
      place,
      await ready(child, 'listens', (line) => logged(line, 'listening')?.url as string | undefined),
    );
    watch(url);
    return added(system.apis, { ...program(child), url });
  };
  const addWorker = async (more: Environment = {}, from = root, place = LOOPBACK) => {
    const name = `worker ${(started.workers += 1)}`;
    const child = startProgram(name, 'workers/main.js', [], { ...workerEnv, ...more }, from, place);
    await ready(child, 'is ready', (line) => logged(line, 'ready'));
    return added(system.workers, program(child));
  };
  const times = (count: number, start: () => Promise<unknown>) =>
    Array.from({ length: count }, start);
  await Promise.all([...times(workers, () => addWorker()), ...times(apis, () => addApi())]);
  const stop = async () => {
    // APIs first, so that the workers still answer what they hold.
    await Promise.all(system.apis.map((api) => api.stop()));
    await Promise.all(system.workers.map((worker) => worker.stop()));
  };
  return {
    env: all,
    apiEnv,
    workerEnv,
    ...system,
    addApi,
    addWorker,
    renewAccounts: accounts.renew,
    stop,
  };
}

async function migrate(env: Environment, folder: string): Promise<void> {
  const args = [built('workers/ops/main.js', folder), 'migrate'];
  await run({ name: 'migrate', command: process.execPath, args, env, folder }, READY_MS);
}

/**
 * Returns a start that is meant to fail: how the program ended by itself, and what it printed; null
 * for a code when it went on.
 */
export async function startInVain(
  file: string,
  env: Environment,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = startProgram(file, file, [], env);
  const late = setTimeout(() => void child.kill(), READY_MS);
  const { code } = await child.exited;
  clearTimeout(late);
  return { code, output: child.output };
}

function added<T>(list: T[], item: T): T {
  list.push(item);
  return item;
}

const ready = <T>(child: Child, what: string, pick: (line: string) => T | undefined): Promise<T> =>
  timed('programs', () => child.line(what, READY_MS, pick));

function startProgram(
  name: string,
  file: string,
  args: readonly string[],
  env: Environment,
  root = ROOT,
  { through }: Place = LOOPBACK,
): Child {
  const child = new Child({
    name,
    command: process.execPath,
    args: [...programOptions(env), built(file, root), ...args],
    env,
    folder: root,
    through,
  });
  follow(child);
  return child;
}

function built(file: string, root = ROOT): string {
  const path = join(root, 'dist', file);
  if (!existsSync(path))
    throw new Error(`dist/${file} is missing in ${root}: run \`npm run build\` first`);
  return path;
}

function program(child: Child): Program {
  return { child, stop: () => child.stop(), kill: () => child.kill() };
}

/** Returns the fields of a JSON log line with this message. */
function logged(line: string, message: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const fields = JSON.parse(line) as Record<string, unknown>;
    return fields.msg === message ? fields : undefined;
  } catch {
    return undefined;
  }
}
