import { join } from 'node:path';
import type { Sequelize } from 'sequelize-typescript';
import { connectDatabase } from '../../shared/database/connect';
import { migrate } from '../../shared/database/migrate';
import { Child, ROOT } from '../support/service/child';
import { freshDatabase, freshRedisDatabase, freshVirtualHost } from '../support/servers/fresh';
import { freePorts } from '../support/servers/ports';
import { startEmbedded } from '../support/service/processes';
import { waitUntil } from '../support/wait';
import { temporaryFolder } from '../support/run/cleanup';
import { addHistory, fillLibrary } from './library';
import { restartable, startTypeScript, type Restartable } from './program';

/** What is measured, each on a library of its own. */

export interface Subject {
  readonly name: string;
  readonly url: string;
  /** Null for one that keeps nothing. */
  readonly database: Sequelize | null;
  /** Whether an idempotency key that is sent again gets the answer of the first time. */
  readonly keepsKeys?: boolean;
  /** What its queue or database promises of what it has confirmed. */
  readonly durability?: string;
  /** Carries out what a queue holds. */
  readonly worker?: Restartable;
}

export interface LendlineSubject extends Subject {
  readonly database: Sequelize;
  readonly programs: readonly Child[];
}

const START_MS = 60_000;
const BENCH_POOL = 2;

export async function bareExpress(): Promise<Subject> {
  return {
    name: 'bare Express',
    url: (await startTypeScript('bare Express', 'bare-express.ts', {})).url,
    database: null,
  };
}

export const libraryAt = (url: string): Sequelize => connectDatabase({ url, poolMax: BENCH_POOL });

/**
 * An API process and workers, with `history` past borrows, of the build in `checkout`. Nothing is
 * logged for a request, as the rivals log nothing.
 */
export async function lendline(
  secret: string,
  {
    name = 'Lendline',
    workers = 1,
    history = 0,
    env = {},
    checkout = ROOT,
  }: {
    name?: string;
    workers?: number;
    history?: number;
    env?: Readonly<Record<string, string>>;
    checkout?: string;
  } = {},
): Promise<LendlineSubject> {
  const [mysqlUrl, rabbitmqUrl, redisUrl] = await Promise.all([
    freshDatabase(),
    freshVirtualHost(),
    freshRedisDatabase(),
  ]);
  const database = libraryAt(mysqlUrl);
  await migrate(database);
  await fillLibrary(database);
  if (history > 0) await addHistory(database, history);
  const [port = 0] = await freePorts(1);
  const all = {
    MYSQL_URL: mysqlUrl,
    RABBITMQ_URL: rabbitmqUrl,
    REDIS_URL: redisUrl,
    JWT_SECRET: secret,
    API_PORT: String(port),
    LOG_LEVEL: 'warn',
    NODE_ENV: 'production',
    ...env,
  };
  const programs: Child[] = [];
  const start = (program: string, file: string): Child => {
    const child = new Child({
      name: program,
      command: process.execPath,
      args: [join(checkout, 'dist', file)],
      env: all,
      folder: checkout,
    });
    programs.push(child);
    return child;
  };
  const startWorker = () => Promise.resolve(start('worker', 'workers/main.js'));
  const worker = await restartable(startWorker);
  for (let count = 1; count < workers; count += 1) await startWorker();
  start('API', 'api/main.js');
  const url = `http://127.0.0.1:${port}`;
  await waitUntil('the API is ready', START_MS, () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok || undefined,
      () => undefined,
    ),
  );
  return { name, url, database, programs, keepsKeys: true, worker };
}

export async function lendlineEmbedded(
  secret: string,
  { env = {} }: { env?: Readonly<Record<string, string>> } = {},
): Promise<LendlineSubject> {
  const dataDir = await temporaryFolder('bench');
  const file = join(dataDir, 'lendline.sqlite');
  const first = await startEmbedded({ dataDir, env: { JWT_SECRET: secret } });
  await first.stop();
  const database = libraryAt(file);
  await fillLibrary(database);
  const { url, child } = await startEmbedded({
    dataDir,
    env: { JWT_SECRET: secret, NODE_ENV: 'production', LOG_LEVEL: 'warn', ...env },
  });
  return { name: 'Lendline, embedded', url, database, programs: [child], keepsKeys: true };
}
