import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { setTimeout as pause } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { Editor } from '../../support/clients/editor';
import { OpsShell } from '../../support/service/ops-shell';
import { freePorts } from '../../support/servers/ports';
import { makeCertificate, type Certificate } from '../../support/servers/private/certificate';
import { startMysql } from '../../support/servers/private/mysql';
import { startRabbitmq } from '../../support/servers/private/rabbitmq';
import { startRedis } from '../../support/servers/private/redis';
import { startServers, type System } from '../../support/service/processes';
import { startProxy, type Proxy } from '../../support/faults/proxy';
import { expectStartError } from '../../support/service/start-errors';

/**
 * Servers that are reached over TLS alone, with a certificate that nobody knows but the programs
 * that are told of it.
 */

/**
 * Longer than a worker lets MySQL be silent, milliseconds: connections that are in use stay beyond
 * it.
 */
const IN_USE_MS = 13_000;
/** A fraction of that, milliseconds. */
const BETWEEN_MS = 400;
const NOTICED_MS = 60_000;

/** An account whose every connection must be encrypted. */
const USER = { name: 'encrypted', password: 'over the wire' };

/** What both ends must agree to, or OpenSSL refuses it by itself. */
const OLD_TLS = {
  minVersion: 'TLSv1',
  maxVersion: 'TLSv1.1',
  ciphers: 'DEFAULT@SECLEVEL=0',
} as const;

let system: System;
let keyPair: Certificate;
let env: Record<string, string>;
/** A shell that is told of the certificate. */
let shell: OpsShell;
let toMysql: Proxy;
let editor: Editor;

beforeAll(async () => {
  keyPair = await makeCertificate();
  const { key, certificate } = keyPair;
  const [redisPort = 0, amqpPort = 0] = await freePorts(2);
  const [mysql] = await Promise.all([
    startMysql({ options: [`--ssl-cert=${certificate}`, `--ssl-key=${key}`] }),
    startRedis([
      '--tls-port',
      String(redisPort),
      '--tls-cert-file',
      certificate,
      '--tls-key-file',
      key,
      '--tls-ca-cert-file',
      certificate,
      '--tls-auth-clients',
      'no',
    ]),
    startRabbitmq([
      `listeners.ssl.1 = 127.0.0.1:${amqpPort}`,
      `ssl_options.certfile = ${certificate}`,
      `ssl_options.keyfile = ${key}`,
      `ssl_options.cacertfile = ${certificate}`,
    ]),
  ]);
  const administrator = await createConnection(mysql.url);
  await administrator.query(
    `CREATE USER '${USER.name}'@'%' IDENTIFIED BY '${USER.password}' REQUIRE SSL`,
  );
  await administrator.query(`GRANT ALL PRIVILEGES ON lendline.* TO '${USER.name}'@'%'`);
  await administrator.end();
  toMysql = await startProxy(mysql.url, 3306);
  const mysqlUrl = (url: string) =>
    `mysql://${USER.name}:${encodeURIComponent(USER.password)}@localhost:${new URL(url).port}/lendline?ssl-mode=VERIFY_IDENTITY`;
  env = {
    MYSQL_URL: mysqlUrl(mysql.url),
    RABBITMQ_URL: `amqps://guest:guest@localhost:${amqpPort}`,
    REDIS_URL: `rediss://localhost:${redisPort}`,
    NODE_EXTRA_CA_CERTS: certificate,
  };
  shell = new OpsShell(env);
  system = await startServers({ apis: 0, workers: 0 });
  expect(await shell.run('migrate')).toMatchObject({ code: 0 });
  await system.addWorker({ ...env, MYSQL_URL: mysqlUrl(toMysql.url) });
  const api = await system.addApi(env);
  editor = new Editor(api.url, system.env.JWT_SECRET ?? '');
}, 240_000);

afterAll(() => system.stop());

it('carries commands out, and keeps the connections that are in use', async () => {
  const [title = 0] = await editor.register(1);
  const end = performance.now() + IN_USE_MS;
  let version = 1;
  for (; performance.now() < end; version += 1) {
    expect(
      (await editor.written('PATCH', `/api/book-infos/${title}`, { title: `Title ${version}` }))
        .status,
    ).toBe(200);
    await pause(BETWEEN_MS);
  }
  expect(version).toBeGreaterThan(10);
  expect(system.workers[0]?.child.output.includes('batch failed')).toBe(false);
}, 120_000);

it('gives up a connection to MySQL that falls silent', async () => {
  const worker = system.workers[0]?.child;
  const [title = 0] = await editor.register(1);
  const failed = worker?.nextLine('MySQL did not answer', NOTICED_MS);
  toMysql.stall();
  const renaming = await editor.rename(title);
  await failed;
  toMysql.open();
  expect(await editor.versions([renaming])).toEqual([2]);
}, 120_000);

it.each(['api/main.js', 'workers/main.js'])(
  '%s is refused a start by servers that nobody vouches for, or that are others than they should be',
  async (program) => {
    // Node reads the certificate at its start, of which the shell that others use was not told.
    await expectStartError(program, { ...system.env, ...env }, /certificate.*/);
    for (const name of ['MYSQL_URL', 'RABBITMQ_URL', 'REDIS_URL']) {
      // The certificate is one of localhost, and not of its address.
      await expectStartError(
        program,
        {
          ...system.env,
          MYSQL_URL: env.MYSQL_URL ?? '',
          [name]: (env[name] ?? '').replace('localhost', '127.0.0.1'),
        },
        new RegExp(`${name}.*(?:altnames|name its host|within a timeout)`),
        shell,
      );
    }
  },
  240_000,
);

it.each(['api/main.js', 'workers/main.js'])(
  '%s is refused a start by a broker or a cache that speaks no newer TLS than 1.1',
  async (program) => {
    const [key, cert] = await Promise.all(
      [keyPair.key, keyPair.certificate].map((file) => readFile(file)),
    );
    const old = createServer({ ...OLD_TLS, key, cert }).listen(0, '127.0.0.1');
    await once(old, 'listening');
    const { port } = old.address() as AddressInfo;
    const willing = connect({ ...OLD_TLS, port, ca: cert, servername: 'localhost' });
    await once(willing, 'secureConnect');
    expect(willing.getProtocol()).toBe('TLSv1.1');
    willing.destroy();
    for (const name of ['RABBITMQ_URL', 'REDIS_URL']) {
      const url = new URL(env[name] ?? '');
      url.port = String(port);
      await expectStartError(
        program,
        { ...system.env, ...env, [name]: url.href },
        new RegExp(`${name}.*(?:protocol|version)`, 'i'),
        shell,
      );
    }
    old.close();
  },
  120_000,
);

it.each([
  ['ssl-mode=PREFERRED', 'ssl-mode'],
  ['sslmode=VERIFY_IDENTITY', 'no other parameter'],
])('an address of MySQL with %s is refused', async (parameter, said) => {
  await expectStartError(
    'workers/main.js',
    { ...system.env, MYSQL_URL: `${system.env.MYSQL_URL}?${parameter}` },
    new RegExp(`MYSQL_URL.*${said}`),
  );
});
