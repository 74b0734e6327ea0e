import { join } from 'node:path';
import type { Sequelize } from 'sequelize-typescript';
import { connectDatabase } from '../../shared/database/connect';
import { migrate } from '../../shared/database/migrate';
import { Child, ROOT } from '../support/service/child';
import { freshDatabase, freshRedisDatabase, freshVirtualHost } from '../support/servers/fresh';
import { freePorts } from '../support/servers/ports';
import { startEmbedded } from '../support/service/processes';
import { startRedis } from '../support/servers/private/redis';
import { waitUntil } from '../support/wait';
import { temporaryFolder } from '../support/run/cleanup';
import { addHistory, fillLibrary } from './library';
import { installProcedures } from './rivals/procedure';
import { postgresLibrary } from './rivals/postgres-library';
import { EQUAL_RIVALS, RIVAL_NAMES, type RivalKind } from './rivals/rival';

/** What is measured, each on a library of its own. */

export interface Subject {
  readonly name: string;
  readonly url: string;
  /** Null for one that keeps nothing. */
  readonly database: Sequelize | null;
  /** Whether an idempotency key that is sent again gets the answer of the first time. */
  readonly keepsKeys?: boolean;
}

export interface LendlineSubject extends Subject {
  readonly database: Sequelize;
  readonly programs: readonly Child[];
}

const START_MS = 60_000;
/** Connections of the rivals' pools: more or fewer were slower. */
const RIVAL_POOL = 16;
const BENCH_POOL = 2;

async function startTypeScript(
  name: string,
  file: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  // The heap is kept while they are quiet, as that of our programs is.
  const args = [
    '--require',
    join(ROOT, 'dist/shared/heap.js'),
    '--require',
    join(ROOT, 'test/support/run/register.js'),
    join(ROOT, 'test/bench', file),
  ];
  const child = new Child({
    name,
    command: process.execPath,
    args,
    env: { NODE_ENV: 'production', ...env },
  });
  return child.line('listens', START_MS, (line) => /"url":"([^"]+)"/.exec(line)?.[1]);
}

export async function bareExpress(): Promise<Subject> {
  return {
    name: 'bare Express',
    url: await startTypeScript('bare Express', 'bare-express.ts', {}),
    database: null,
  };
}

const libraryAt = (url: string): Sequelize => connectDatabase({ url, poolMax: BENCH_POOL });

/** A library on MySQL whose tables give the ids of borrows, which Lendline takes in blocks. */
async function mysqlLibrary(): Promise<{ url: string; database: Sequelize }> {
  const url = await freshDatabase();
  const database = libraryAt(url);
  await migrate(database);
  await database.query('ALTER TABLE book_user MODIFY id BIGINT NOT NULL AUTO_INCREMENT');
  await fillLibrary(database);
  await installProcedures(database);
  return { url, database };
}

const isOnPostgres = (kind: RivalKind): boolean => kind === 'postgres' || kind === 'postgresEqual';
const isQueue = (kind: RivalKind): boolean => kind === 'bullmq' || kind === 'groupmq';
const keepsKeys = (kind: RivalKind): boolean => EQUAL_RIVALS.includes(kind);

/** A rival and its library. */
export async function rival(kind: RivalKind, secret: string): Promise<Subject> {
  const { url, database } = await (isOnPostgres(kind) ? postgresLibrary() : mysqlLibrary());
  const name = RIVAL_NAMES[kind];
  const env = {
    DATABASE_URL: url,
    JWT_SECRET: secret,
    RIVAL_KIND: kind,
    RIVAL_POOL: String(RIVAL_POOL),
    ...(isQueue(kind) && { REDIS_URL: (await startRedis()).url }),
  };
  if (isQueue(kind))
    await startTypeScript(`${name}, worker`, 'rivals/main.ts', { ...env, RIVAL_ROLE: 'worker' });
  return {
    name,
    url: await startTypeScript(name, 'rivals/main.ts', env),
    database,
    keepsKeys: keepsKeys(kind),
  };
}

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
  const start = (program: string, file: string) =>
    programs.push(
      new Child({
        name: program,
        command: process.execPath,
        args: [join(checkout, 'dist', file)],
        env: all,
        folder: checkout,
      }),
    );
  for (let count = 0; count < workers; count += 1) start('worker', 'workers/main.js');
  start('API', 'api/main.js');
  const url = `http://127.0.0.1:${port}`;
  await waitUntil('the API is ready', START_MS, () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok || undefined,
      () => undefined,
    ),
  );
  return { name, url, database, programs, keepsKeys: true };
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
