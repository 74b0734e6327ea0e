import { createServer, type AddressInfo } from 'node:net';
import { onCleanUp } from '../../support/run/cleanup';
import { freshDatabase } from '../../support/servers/fresh';
import { freePorts } from '../../support/servers/ports';
import { startInVain, startServers, type System } from '../../support/service/processes';
import { signsIn } from '../../support/clients/sign-in';
import { expectStartError } from '../../support/service/start-errors';
import { waitUntil } from '../../support/wait';

/**
 * Starts of API and worker processes that cannot go on: one sentence names the culprit, and the
 * exit code is 1.
 */

const API = 'api/main.js';
const WORKER = 'workers/main.js';
const PROGRAMS = [API, WORKER];

let system: System;
let takenPort: string;
let closedPort: number;
beforeAll(async () => {
  system = await startServers({
    apis: 0,
    workers: 0,
    env: { ADMIN_USERNAME: '', ADMIN_PASSWORD: 'a good pass phrase' },
  });
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  onCleanUp(() => new Promise((resolve) => server.close(resolve)));
  takenPort = String((server.address() as AddressInfo).port);
  [closedPort = 0] = await freePorts(1);
});

describe.each(PROGRAMS)('%s is refused a start', (program) => {
  it.each([
    ['MYSQL_URL', (port: number) => `mysql://root:s3cret@127.0.0.1:${port}/lendline`],
    ['RABBITMQ_URL', (port: number) => `amqp://guest:s3cret@127.0.0.1:${port}`],
    [
      'RABBITMQ_URL',
      (port: number) =>
        `amqp://guest:s3cret@127.0.0.1:${port},amqp://guest:s3cret@localhost:${port}`,
    ],
    ['REDIS_URL', (port: number) => `redis://:s3cret@127.0.0.1:${port}`],
  ])('when nothing answers at %s, whose password is not shown', async (variable, url) => {
    await expectStartError(
      program,
      { ...system.env, [variable]: url(closedPort) },
      new RegExp(
        `^(?!.*s3cret).*127\\.0\\.0\\.1:${closedPort}.*\\(${variable}\\).*(?:ECONNREFUSED|refused)`,
      ),
    );
  });

  it('when the database does not exist', async () => {
    const url = new URL(system.env.MYSQL_URL!);
    url.pathname = '/there_is_no_such_database';
    await expectStartError(program, { ...system.env, MYSQL_URL: url.href }, /MYSQL_URL/);
  });

  it('when the database has not been migrated', async () => {
    await expectStartError(
      program,
      { ...system.env, MYSQL_URL: await freshDatabase() },
      /out of date.*migrate/,
    );
  });

  it('with bad values, all of which are named', async () => {
    const bad = { REDIS_URL: '127.0.0.1:6379', COMMAND_PARTITIONS: '257' };
    await expectStartError(
      program,
      { ...system.env, ...bad },
      /COMMAND_PARTITIONS.*REDIS_URL|REDIS_URL.*COMMAND_PARTITIONS/,
      // As a process of its own, whose exit code is the real one.
      { startInVain },
    );
  });
});

describe('an API is refused a start', () => {
  it('when nothing answers at MYSQL_REPLICA_URL, whose password is not shown', async () => {
    const MYSQL_REPLICA_URL = `mysql://root:s3cret@127.0.0.1:${closedPort}/lendline`;
    await expectStartError(
      API,
      { ...system.env, MYSQL_REPLICA_URL },
      new RegExp(`^(?!.*s3cret).*127\\.0\\.0\\.1:${closedPort}.*\\(MYSQL_REPLICA_URL\\)`),
    );
  });

  it('without a key that tokens can be verified with', async () => {
    await expectStartError(
      API,
      { ...system.env, JWT_SECRET: '' },
      /Set JWT_SECRET or, .* JWT_JWKS_URL or JWT_PUBLIC_KEY\./,
    );
  });

  it('at a port that is taken', async () => {
    await expectStartError(
      API,
      { ...system.env, API_PORT: takenPort },
      new RegExp(`\\b${takenPort}\\b.*API_PORT`),
    );
  });
});

describe('a worker is refused a start', () => {
  it('when the port of its health checks is taken', async () => {
    await expectStartError(
      WORKER,
      { ...system.env, WORKER_METRICS_PORT: takenPort },
      new RegExp(`\\b${takenPort}\\b.*WORKER_METRICS_PORT`),
    );
  });
});

it('an API with ADMIN_PASSWORD alone names the first administrator admin', async () => {
  const [{ url }] = await Promise.all([system.addApi(), system.addWorker()]);
  await waitUntil('the administrator signs in', 30_000, () =>
    signsIn(url, 'admin', 'a good pass phrase'),
  );
});
