import { appendFile } from 'node:fs/promises';
import amqp from 'amqplib';
import type { Environment } from '../service/processes';
import { withRedis } from '../servers/redis';
import { onDatabase } from '../servers/rows';

/** What a client's types leave out: the broker introduces itself when a connection is made. */
interface Introduced {
  readonly connection: { readonly serverProperties: { readonly version: string } };
}

async function database(env: Environment): Promise<string> {
  const sql = `SELECT ${env['MYSQL_URL'] ? 'VERSION' : 'sqlite_version'}() AS version`;
  const version = await onDatabase(env, async (select) =>
    String((await select(sql))[0]?.['version']),
  );
  const [number = version] = version.split('-');
  if (!env['MYSQL_URL']) return `embedded, SQLite ${number}`;
  return `${version.includes('MariaDB') ? 'MariaDB' : 'MySQL'} ${number}`;
}

/** `url` may be a list, of the nodes of a cluster. */
async function broker(url: string): Promise<string> {
  const connection = await amqp.connect(url.split(',')[0] ?? '');
  const { version } = (connection as unknown as Introduced).connection.serverProperties;
  await connection.close();
  return `RabbitMQ ${version}`;
}

async function cache(url: string): Promise<string> {
  const info = await withRedis(url, (client) => client.info('server'));
  const said = (key: string) => new RegExp(`^${key}:(\\S+)`, 'm').exec(info)?.[1];
  const valkey = said('valkey_version');
  return valkey ? `Valkey ${valkey}` : `Redis ${said('redis_version') ?? '?'}`;
}

/** Returns the servers of a system as they call themselves. */
async function serversOf(env: Environment): Promise<string> {
  const { RABBITMQ_URL, REDIS_URL } = env;
  const names = await Promise.all([
    database(env),
    ...(RABBITMQ_URL ? [broker(RABBITMQ_URL)] : []),
    ...(REDIS_URL ? [cache(REDIS_URL)] : []),
  ]);
  return names.join(', ');
}

/**
 * The last statement of a fault test: writes down for the table at the end of the run (faults.js,
 * which numbers the faults) what was `tried`, with how often, and `what` held. `env` is that of the
 * system it was tried on, whose servers are up.
 */
export async function held(
  fault: number,
  env: Environment,
  tried: string,
  what: string,
): Promise<void> {
  const file = process.env.FAULTS_RECORDS;
  // One line in one write: tests that run at the same time do not mix.
  if (file)
    await appendFile(
      file,
      `${JSON.stringify({ fault, tried, servers: await serversOf(env), what })}\n`,
    );
}
