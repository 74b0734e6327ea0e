import { dirname, join } from 'node:path';
import { npmProgram } from '../../support/service/npm-program';
import { jobRival, type Job } from './jobs';
import { listening, statementOf } from './postgres-jobs';
import type { Rival } from './rival';

/**
 * Borrows by a job in PostgreSQL: the policy that carries out one job of a key after the other, in
 * the order in which they came, and the title as the key. The worker's transaction borrows by the
 * PostgreSQL function, completes the job and tells the caller. So no job has effect twice, and none
 * needs an idempotency key.
 */

const QUEUE = 'borrows';
const CONCURRENCY = 16;
/** Connections beside those of the jobs under way. */
const CONNECTIONS_MORE = 8;
/** The least that it allows, seconds. */
const POLL_S = 0.5;
const HEARTBEAT_S = 10;
const CHECK_S = 1;
/** A job that failed for good would block its title. */
const TRIES_MAX = 10;

interface Transaction {
  executeSql(text: string, values: readonly unknown[]): Promise<unknown>;
}

/** Names the module to the processes of a rival. */
const MODULE = 'PG_BOSS_MODULE';

/**
 * Fetches pg-boss, and returns what its processes need to find it. It is no dependency, because it
 * asks for a later Node.js than the project.
 */
export async function pgBossEnvironment(): Promise<Readonly<Record<string, string>>> {
  const program = await npmProgram('pg-boss', ['pg-boss@12.38.0']);
  return { [MODULE]: join(dirname(program), 'index.js') };
}

/** What is used of it. */
interface Boss {
  on(event: 'error', listener: (error: unknown) => void): void;
  start(): Promise<Boss>;
  createQueue(name: string, options: object): Promise<void>;
  send(name: string, data: Job, options: object): Promise<unknown>;
  work(
    name: string,
    options: object,
    handler: (jobs: readonly { readonly data: Job }[], transaction: Transaction) => Promise<void>,
  ): Promise<unknown>;
}

async function started(url: string, isWorker: boolean, connections: number): Promise<Boss> {
  const { PgBoss } = (await import(process.env[MODULE] ?? '')) as {
    readonly PgBoss: new (options: object) => Boss;
  };
  const boss = new PgBoss({
    connectionString: url,
    max: connections,
    schedule: false,
    supervise: isWorker,
    useListenNotify: isWorker,
    superviseIntervalSeconds: CHECK_S,
    monitorIntervalSeconds: CHECK_S,
    queueCacheIntervalSeconds: CHECK_S,
  });
  boss.on('error', (error) => process.stderr.write(`pg-boss: ${String(error)}\n`));
  return boss.start();
}

/** The rival of the API's process. */
export function pgBossRival(url: string, connections: number, read: Rival['read']): Rival {
  const starting = started(url, false, connections);
  return jobRival({
    put: async (job) => {
      const options = { id: job.id, singletonKey: String(job.bookInfoId) };
      return (await starting).send(QUEUE, job, options);
    },
    waiting: listening(url),
    read,
  });
}

/** Carries jobs out until the process ends. */
export async function workOnPgBoss(url: string): Promise<void> {
  const boss = await started(url, true, CONCURRENCY + CONNECTIONS_MORE);
  await boss.createQueue(QUEUE, {
    policy: 'key_strict_fifo',
    partition: true,
    notify: true,
    heartbeatSeconds: HEARTBEAT_S,
    retryLimit: TRIES_MAX,
  });
  const options = {
    transactional: true,
    localConcurrency: CONCURRENCY,
    pollingIntervalSeconds: POLL_S,
    notifyPollingIntervalSeconds: POLL_S,
    // A worker that has carried out a job looks for the next at once.
    burstWhenReadyExceeds: 1,
  };
  await boss.work(QUEUE, options, async (jobs, transaction) => {
    for (const { data } of jobs) {
      const { text, values } = statementOf(data, null);
      await transaction.executeSql(text, values);
    }
  });
}
