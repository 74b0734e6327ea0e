import type { Sequelize } from 'sequelize-typescript';
import { migrate } from '../../../shared/database/migrate';
import { freshDatabase } from '../../support/servers/fresh';
import { freePorts } from '../../support/servers/ports';
import { startRedis } from '../../support/servers/private/redis';
import { ofPostgres } from '../durability';
import { fillLibrary } from '../library';
import { restartable, startTypeScript } from '../program';
import { libraryAt, type Subject } from '../subjects';
import { pgBossEnvironment } from './pg-boss';
import { postgresLibrary } from './postgres-library';
import { installProcedures } from './procedure';
import { startRestate } from './restate-server';
import { EQUAL_RIVALS, QUEUE_RIVALS, RIVAL_NAMES, type RivalKind } from './rival';

/** Starts the programs of a rival, on a library of its own. */

/** Connections of the rivals' pools: more or fewer were slower. */
const POOL = 16;

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

const ON_POSTGRES: readonly RivalKind[] = ['postgres', 'postgresEqual', 'pgboss', 'dbos'];
const ON_REDIS: readonly RivalKind[] = ['bullmq', 'groupmq'];

/** What a queue needs beside the database: its settings, and what is done once its worker runs. */
interface Queue {
  readonly env: Readonly<Record<string, string>>;
  readonly onWorker?: () => Promise<void>;
  readonly durability: string;
}

async function queueOf(kind: RivalKind, database: Sequelize): Promise<Queue> {
  if (ON_REDIS.includes(kind))
    return {
      env: { REDIS_URL: (await startRedis()).url },
      durability: 'Redis: appendfsync=always.',
    };
  if (kind === 'restate') {
    const restate = await startRestate();
    const [port = 0] = await freePorts(1);
    return {
      env: { RESTATE_URL: restate.url, RESTATE_PORT: String(port), RESTATE_LOGGING: 'WARN' },
      onWorker: () => restate.register(port),
      durability: restate.durability,
    };
  }
  const env = kind === 'pgboss' ? await pgBossEnvironment() : {};
  return { env, durability: await ofPostgres(database) };
}

/** @param hasKeys whether the worker of a queue gives each job an idempotency key. */
export async function rival(kind: RivalKind, secret: string, hasKeys = true): Promise<Subject> {
  const isOnPostgres = ON_POSTGRES.includes(kind);
  const { url, database } = await (isOnPostgres ? postgresLibrary() : mysqlLibrary());
  const name = RIVAL_NAMES[kind];
  const isQueue = QUEUE_RIVALS.some((one) => one === kind);
  const queue = isQueue ? await queueOf(kind, database) : undefined;
  const durability = queue?.durability ?? (isOnPostgres ? await ofPostgres(database) : undefined);
  const env = {
    DATABASE_URL: url,
    JWT_SECRET: secret,
    RIVAL_KIND: kind,
    RIVAL_POOL: String(POOL),
    RIVAL_KEYS: hasKeys ? 'all' : 'none',
    ...queue?.env,
  };
  const startWorker = async () => {
    const own = { ...env, RIVAL_ROLE: 'worker' };
    const { child } = await startTypeScript(`${name}, worker`, 'rivals/main.ts', own);
    return child;
  };
  const worker = queue && (await restartable(startWorker));
  await queue?.onWorker?.();
  return {
    name,
    url: (await startTypeScript(name, 'rivals/main.ts', env)).url,
    database,
    keepsKeys: EQUAL_RIVALS.includes(kind),
    ...(durability && { durability }),
    ...(worker && { worker }),
  };
}
