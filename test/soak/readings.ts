import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CLAIM_KEY, exportedServers } from '../support/servers/fresh';
import { callManagement } from '../support/servers/management';
import { withRedis } from '../support/servers/redis';
import { onDatabase } from '../support/servers/rows';
import { heapOf } from '../support/service/heap';
import type { Measure } from './verdict';

/** What is read each minute of a system under soak. */

/** A process of the system. */
export interface Process {
  readonly name: string;
  readonly pid: number;
}

export interface Soaked {
  readonly env: Readonly<Record<string, string>>;
  readonly processes: readonly Process[];
}

const isEmbedded = ({ MYSQL_URL }: Soaked['env']): boolean => MYSQL_URL === undefined;
const tablesOf = (env: Soaked['env']): string[] => (isEmbedded(env) ? [...TABLES, LOG] : TABLES);

/** Values by the name of their measure. */
export type Reading = Readonly<Record<string, number>>;

const MIB = 1024 * 1024;
/** Tables whose rows go again by themselves. */
const TABLES = [
  'command_outcome',
  'command_way',
  'idempotency_key',
  'outbox',
  'suspect_command',
  'outgoing_command',
  'worker_heartbeat',
  'dead_letter',
];
/** The embedded command log. */
const LOG = 'pending_command';

/** What may grow without end is only told: the history of borrows, and with it the database. */
const told = (name: string): Measure => ({ name, part: 0, least: Infinity });

export function measuresOf({ env, processes }: Soaked): Measure[] {
  const ofProcess = ({ name }: Process): Measure[] => [
    { name: `${name}: resident, MiB`, part: 0.1, least: 16 },
    { name: `${name}: heap after collecting, MiB`, part: 0.1, least: 6 },
    { name: `${name}: outside of the heap, MiB`, part: 0.1, least: 6 },
    { name: `${name}: file descriptors`, part: 0, least: 4 },
    { name: `${name}: threads`, part: 0, least: 1 },
    { name: `${name}: timers, sockets and the like`, part: 0, least: 12 },
  ];
  const rows = tablesOf(env).map((table) => ({ name: `rows of ${table}`, part: 0.1, least: 25 }));
  const stores = isEmbedded(env)
    ? [{ name: 'write-ahead log, MiB', part: 0.1, least: 4 }, told('database file, MiB')]
    : [
        { name: 'messages in all queues', part: 0, least: 20 },
        { name: 'queues', part: 0, least: 1 },
        { name: 'keys in Redis', part: 0.1, least: 50 },
        told('database, MiB'),
      ];
  return [
    ...processes.flatMap(ofProcess),
    ...rows,
    ...stores,
    told('rows of book_user'),
    told('rows of post'),
  ];
}

export async function read({ env, processes }: Soaked): Promise<Reading> {
  const parts = await Promise.all([
    ...processes.map((one) => ofProcess(one, env['TEST_HEAPS'] ?? '')),
    rowsOf(env),
    isEmbedded(env) ? filesOf(env) : serversOf(env),
  ]);
  return Object.assign({}, ...parts) as Reading;
}

async function ofProcess({ name, pid }: Process, folder: string): Promise<Reading> {
  const { heapUsed, external, resources } = await heapOf(name, pid, folder);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const line = (field: string) => Number(new RegExp(`^${field}:\\s*(\\d+)`, 'm').exec(status)?.[1]);
  return {
    [`${name}: resident, MiB`]: line('VmRSS') / 1024,
    [`${name}: heap after collecting, MiB`]: heapUsed / MIB,
    [`${name}: outside of the heap, MiB`]: external / MIB,
    [`${name}: file descriptors`]: readdirSync(`/proc/${pid}/fd`).length,
    [`${name}: threads`]: line('Threads'),
    [`${name}: timers, sockets and the like`]: resources,
  };
}

async function rowsOf(env: Soaked['env']): Promise<Reading> {
  return onDatabase(env, async (select) => {
    const found: Record<string, number> = {};
    for (const table of [...tablesOf(env), 'book_user', 'post'])
      found[`rows of ${table}`] = Number(
        (await select(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.['n'],
      );
    return found;
  });
}

function filesOf({ DATA_DIR = '' }: Soaked['env']): Promise<Reading> {
  const size = (file: string) =>
    statSync(join(DATA_DIR, file), { throwIfNoEntry: false })?.size ?? 0;
  return Promise.resolve({
    'write-ahead log, MiB': size('lendline.sqlite-wal') / MIB,
    'database file, MiB': size('lendline.sqlite') / MIB,
  });
}

async function serversOf(env: Soaked['env']): Promise<Reading> {
  const { MYSQL_URL = '', RABBITMQ_URL = '', REDIS_URL = '' } = env;
  const host = encodeURIComponent(new URL(RABBITMQ_URL).pathname.slice(1));
  const queues = (await callManagement(
    exportedServers().rabbitmqManagementUrl,
    'GET',
    `/api/queues/${host}`,
  )) as { messages?: number }[];
  const keys = await withRedis(REDIS_URL, async (client) => {
    // The database is ours for as long as this is renewed.
    await client.set(CLAIM_KEY, Date.now());
    return client.dbSize();
  });
  const [database] = await onDatabase({ MYSQL_URL }, (select) =>
    select(
      `SELECT SUM(data_length + index_length) AS n FROM information_schema.tables WHERE table_schema = '${new URL(MYSQL_URL).pathname.slice(1)}'`,
    ),
  );
  return {
    'messages in all queues': queues.reduce((sum, { messages = 0 }) => sum + messages, 0),
    queues: queues.length,
    'keys in Redis': keys,
    'database, MiB': Number(database?.['n']) / MIB,
  };
}
