import amqp from 'amqplib';
import { createConnection } from 'mysql2/promise';
import { dockerAnswers, startCompose, type ComposeService } from './compose';
import type { Servers } from './fresh';
import { findManagement } from './management';
import { mysqlInstalled, startMysql } from './private/mysql';
import { canInstall, install } from './private/programs';
import { rabbitmqInstalled, startRabbitmq } from './private/rabbitmq';
import { redisInstalled, startRedis } from './private/redis';
import { withRedis } from './redis';

/**
 * Real servers for a test run, found in this order, each server by itself:
 *  1. at MYSQL_URL, RABBITMQ_URL, REDIS_URL, where one is set
 *  2. started from installed programs, on free ports of loopback with data of their own
 *  3. the same after installing Debian's packages, where we are root on Debian or Ubuntu
 *  4. started with Docker Compose, where an engine answers
 * Tests are never skipped for want of a server: the run fails with a sentence that says what to do.
 */
type Found = Partial<Servers>;

const KINDS: readonly ComposeService[] = ['mysql', 'rabbitmq', 'redis'];
const INSTALLED = { mysql: mysqlInstalled, rabbitmq: rabbitmqInstalled, redis: redisInstalled };
const PACKAGES = { mysql: 'mariadb-server', rabbitmq: 'rabbitmq-server', redis: 'redis-server' };
const GIVEN = { mysql: givenMysql, rabbitmq: givenRabbitmq, redis: givenRedis };
const START: Record<ComposeService, () => Promise<Found>> = {
  mysql: async () => ({ mysqlUrl: (await startMysql()).url }),
  rabbitmq: async () => {
    const { url, managementUrl } = await startRabbitmq();
    return { rabbitmqUrl: url, rabbitmqManagementUrl: managementUrl };
  },
  redis: async () => ({ redisUrl: (await startRedis()).url }),
};

/** How long a configured server may take to answer, milliseconds. */
const REACH_MS = 5000;

export async function provideServers(): Promise<Servers> {
  const found = await Promise.all(
    KINDS.map(async (kind) => ({ kind, given: await GIVEN[kind]() })),
  );
  const missing = found.filter(({ given }) => given === null).map(({ kind }) => kind);
  const started = await startMissing(missing);
  return Object.assign({}, ...found.map(({ given }) => given ?? {}), started) as Servers;
}

/** The names of the servers that `provideServers` could not provide on this machine. */
export async function missingServers(): Promise<string[]> {
  const absent = KINDS.filter(
    (kind) => !process.env[`${kind.toUpperCase()}_URL`] && !INSTALLED[kind](),
  );
  if (absent.length === 0 || canInstall() || (await dockerAnswers())) return [];
  return absent.map((kind) => PACKAGES[kind]);
}

async function startMissing(kinds: readonly ComposeService[]): Promise<Found> {
  const absent = () => kinds.filter((kind) => !INSTALLED[kind]());
  if (absent().length > 0 && canInstall()) await install(absent().map((kind) => PACKAGES[kind]));
  const composed = absent();
  if (composed.length > 0 && !(await dockerAnswers())) {
    throw new Error(
      `The tests need ${composed.join(', ')}: install ${composed.map((kind) => PACKAGES[kind]).join(' ')}, or start Docker with its compose plugin, ` +
        `or set ${composed.map((kind) => `${kind.toUpperCase()}_URL`).join(', ')}.`,
    );
  }
  const own = kinds.filter((kind) => !composed.includes(kind));
  // Settled and not raced: what has started must be known before the run is given up, or nobody
  // would stop it.
  const results = await Promise.allSettled([
    ...own.map((kind) => START[kind]()),
    composedServers(composed),
  ]);
  const failure = results.find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
  return Object.assign(
    {},
    ...results.map((result) => (result.status === 'fulfilled' ? result.value : {})),
  ) as Found;
}

async function composedServers(services: readonly ComposeService[]): Promise<Found> {
  if (services.length === 0) return {};
  const compose = await startCompose(services);
  const found: Record<ComposeService, () => Promise<Found>> = {
    mysql: async () => ({
      mysqlUrl: `mysql://root:${compose.password}@${await compose.address('mysql', 3306)}/`,
    }),
    rabbitmq: async () => ({
      rabbitmqUrl: `amqp://admin:${compose.password}@${await compose.address('rabbitmq', 5672)}`,
      rabbitmqManagementUrl: `http://admin:${compose.password}@${await compose.address('rabbitmq', 15672)}`,
    }),
    redis: async () => ({
      redisUrl: `redis://:${compose.password}@${await compose.address('redis', 6379)}`,
    }),
  };
  return Object.assign(
    {},
    ...(await Promise.all(services.map((service) => found[service]()))),
  ) as Found;
}

async function givenMysql(): Promise<Found | null> {
  const url = process.env.MYSQL_URL;
  if (!url) return null;
  const server = new URL(url);
  server.pathname = '/';
  await reach('MYSQL_URL', server, async () => {
    await (await createConnection({ uri: server.href, connectTimeout: REACH_MS })).end();
  });
  return { mysqlUrl: server.href };
}

/**
 * Each system under test needs a virtual host of its own, or it would take another one's commands;
 * those are made through the management API. A broker whose API is not found cannot be used, and a
 * private one takes its place.
 */
async function givenRabbitmq(): Promise<Found | null> {
  const url = process.env.RABBITMQ_URL;
  if (!url) return null;
  await reach('RABBITMQ_URL', new URL(url), async () => {
    await (await amqp.connect(url, { timeout: REACH_MS })).close();
  });
  const management = await findManagement(url);
  if (management) return { rabbitmqUrl: url, rabbitmqManagementUrl: management };
  process.stderr.write(
    'RABBITMQ_URL answers, but no management API that makes virtual hosts was found; set RABBITMQ_MANAGEMENT_URL to use that broker. A private one is started.\n',
  );
  return null;
}

async function givenRedis(): Promise<Found | null> {
  const url = process.env.REDIS_URL;
  if (!url) return null;
  const server = new URL(url);
  server.pathname = '';
  await reach('REDIS_URL', server, () => withRedis(server.href, (client) => client.ping()));
  return { redisUrl: server.href };
}

async function reach(
  variable: string,
  { hostname, port }: URL,
  connect: () => Promise<unknown>,
): Promise<void> {
  await connect().catch((error: unknown) => {
    const reason =
      error instanceof Error
        ? error.message || (error as NodeJS.ErrnoException).code
        : String(error);
    throw new Error(
      `${variable} is set, but the server at ${hostname}${port ? `:${port}` : ''} cannot be used: ${reason ?? 'no answer'}.`,
    );
  });
}
