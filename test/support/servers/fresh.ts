import { randomBytes } from 'node:crypto';
import { askMysql } from './ask-mysql';
import { onCleanUp } from '../run/cleanup';
import { callManagement } from './management';
import { withRedis, type RedisClient } from './redis';

/**
 * An empty database, virtual host or Redis database on the run's servers, for one test or one
 * system under test. Each is removed by `cleanUp`.
 */

/** The servers of a test run. */
export interface Servers {
  /** Without a database. */
  readonly mysqlUrl: string;
  /** Without a virtual host; those are made through the management API. */
  readonly rabbitmqUrl: string;
  readonly rabbitmqManagementUrl: string;
  /** Without a database number. */
  readonly redisUrl: string;
}

const VARIABLES = {
  mysqlUrl: 'TEST_MYSQL_URL',
  rabbitmqUrl: 'TEST_RABBITMQ_URL',
  rabbitmqManagementUrl: 'TEST_RABBITMQ_MANAGEMENT_URL',
  redisUrl: 'TEST_REDIS_URL',
} as const satisfies Record<keyof Servers, string>;

/**
 * After this time a Redis database that a test run has claimed is taken for abandoned,
 * milliseconds: longer than a run on a busy machine, which uses some from its start to its end.
 */
const CLAIM_MS = 6 * 3600 * 1000;
export const CLAIM_KEY = 'lendline:test:claim';

/** Hands the servers to Jest's workers, which inherit the environment. */
export function exportServers(servers: Servers): void {
  for (const [key, variable] of Object.entries(VARIABLES))
    process.env[variable] = servers[key as keyof Servers];
}

export function exportedServers(): Servers {
  const read = (key: keyof Servers): string => {
    const value = process.env[VARIABLES[key]];
    if (!value)
      throw new Error(
        `${VARIABLES[key]} is not set: this test belongs to a Jest project that starts servers`,
      );
    return value;
  };
  return {
    mysqlUrl: read('mysqlUrl'),
    rabbitmqUrl: read('rabbitmqUrl'),
    rabbitmqManagementUrl: read('rabbitmqManagementUrl'),
    redisUrl: read('redisUrl'),
  };
}

const uniqueName = () =>
  `lendline_test_${Date.now().toString(36)}_${randomBytes(4).toString('hex')}`;

/** An empty MySQL database; returns its URL. */
export async function freshDatabase(): Promise<string> {
  const url = new URL(exportedServers().mysqlUrl);
  const server = url.href;
  const name = uniqueName();
  const query = (sql: string) => askMysql(server, sql);
  await query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
  onCleanUp(() => query(`DROP DATABASE IF EXISTS ${name}`));
  url.pathname = `/${name}`;
  return url.href;
}

/** An empty virtual host; returns its AMQP URL. */
export async function freshVirtualHost(): Promise<string> {
  const { rabbitmqUrl, rabbitmqManagementUrl } = exportedServers();
  const name = uniqueName();
  await callManagement(rabbitmqManagementUrl, 'PUT', `/api/vhosts/${name}`);
  onCleanUp(() => callManagement(rabbitmqManagementUrl, 'DELETE', `/api/vhosts/${name}`));
  const url = new URL(rabbitmqUrl);
  const rights = { configure: '.*', write: '.*', read: '.*' };
  await callManagement(
    rabbitmqManagementUrl,
    'PUT',
    `/api/permissions/${name}/${url.username || 'guest'}`,
    rights,
  );
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * An empty Redis database; returns its URL. Only an empty one is ever taken, for the server may
 * hold somebody's data; a mark in it keeps other tests away.
 */
export async function freshRedisDatabase(): Promise<string> {
  const { redisUrl } = exportedServers();
  const database = await withRedis(redisUrl, claimDatabase);
  onCleanUp(() =>
    withRedis(redisUrl, async (client) => {
      await client.select(database);
      await client.flushDb();
    }),
  );
  return new URL(`/${database}`, redisUrl).href;
}

async function claimDatabase(client: RedisClient): Promise<number> {
  const databases = Number((await client.configGet('databases')).databases ?? 16);
  // Starting anywhere makes it unlikely that two tests try for the same one.
  const first = Math.floor(Math.random() * databases);
  for (let index = 0; index < databases; index += 1) {
    const database = (first + index) % databases;
    await client.select(database);
    const claim = await client.get(CLAIM_KEY);
    if (claim !== null && Date.now() - Number(claim) > CLAIM_MS) await client.flushDb();
    if (
      (await client.dbSize()) === 0 &&
      (await client.set(CLAIM_KEY, Date.now(), { condition: 'NX' })) === 'OK'
    )
      return database;
  }
  throw new Error('No empty database is left on the Redis server of the tests.');
}
