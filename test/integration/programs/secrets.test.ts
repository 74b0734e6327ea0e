import { randomUUID } from 'node:crypto';
import { ADMIN, startServers, type Program, type System } from '../../support/service/processes';
import { startProxy, type Proxy } from '../../support/faults/proxy';
import { waitUntil } from '../../support/wait';

/**
 * What the programs log of passwords, tokens and keys, at the level that tells most and while
 * things go wrong: nothing.
 */

const WAIT_MS = 60_000;

let system: System;
let toMysql: Proxy;
let toRabbitmq: Proxy;
let url: string;
const secrets = new Map<string, string>();

/** A value that appears nowhere by chance. */
function secret(what: string): string {
  const value = `${what.replaceAll(' ', '-')}-${randomUUID()}`;
  secrets.set(what, value);
  return value;
}

const post = (path: string, body: object | string, headers: Record<string, string> = {}) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

beforeAll(async () => {
  system = await startServers({
    apis: 0,
    workers: 0,
    env: { LOG_LEVEL: 'debug', ADMIN_PASSWORD: secret('password of the administrator') },
  });
  secrets.set('secret of the tokens', system.env.JWT_SECRET ?? '');
  secrets.set('password of the database', new URL(system.env.MYSQL_URL ?? '').password);
  toMysql = await startProxy(system.env.MYSQL_URL ?? '', 3306);
  toRabbitmq = await startProxy(system.env.RABBITMQ_URL ?? '', 5672);
  await system.addWorker({ MYSQL_URL: toMysql.url, RABBITMQ_URL: toRabbitmq.url });
  ({ url } = await system.addApi({ MYSQL_URL: toMysql.url, RABBITMQ_URL: toRabbitmq.url }));
});

afterAll(() => system.stop());

const programs = (): readonly Program[] => [...system.apis, ...system.workers];

it('logs no password, token or key', async () => {
  const username = `ada-${randomUUID()}`;
  const password = secret('password of a user');
  const signedUp = await post('/api/auth/signup', { username, password });
  expect(signedUp.status).toBe(201);
  const { accessToken } = (await signedUp.json()) as { accessToken: string };
  secrets.set('token', accessToken);
  const authorization = { Authorization: `Bearer ${accessToken}` };
  await post('/api/auth/login', { username, password: secret('wrong password') });
  await post('/api/auth/login', {
    username: ADMIN.username,
    password: secrets.get('password of the administrator') ?? '',
  });
  await post(
    '/api/auth/login',
    `{"username":"${username}","password":"${secret('password in broken JSON')}"`,
  );
  await post('/api/auth/login', { username, secretAnswer: secret('unknown field') });
  await fetch(`${url}/api/holds?access_token=${secret('token in a query')}`, {
    headers: authorization,
  });
  await fetch(`${url}/api/holds`, {
    headers: { Authorization: `Bearer ${secret('bad token')}`, Cookie: secret('cookie') },
  });
  await post(
    '/api/borrows',
    { bookInfoId: 4711 },
    { ...authorization, 'Idempotency-Key': secret('idempotency key') },
  );
  // A statement that carries a password's hash loses its connection, and then servers are
  // unavailable.
  const lost = toMysql.loseAnswer('INTO `user`');
  const second = post(
    '/api/auth/signup',
    { username: `eve-${randomUUID()}`, password: secret('password in a batch that failed') },
    { Prefer: 'respond-async' },
  );
  const breakConnection = await lost;
  breakConnection();
  await second;
  await waitUntil(
    'the batch failed',
    WAIT_MS,
    () => system.workers[0]?.child.output.includes('batch failed') || undefined,
  );
  toMysql.cut();
  toRabbitmq.cut();
  await post('/api/auth/signup', {
    username: `zoe-${randomUUID()}`,
    password: secret('password while servers are unavailable'),
  });
  await post('/api/auth/login', { username, password });
  const output = programs()
    .map(({ child }) => child.output)
    .join('\n');
  expect([output.includes('message broker lost'), output.includes('scrypt$')]).toEqual([
    true,
    false,
  ]);
  expect(
    [...secrets]
      .filter(([, value]) => value !== '' && output.includes(value))
      .map(([what]) => what),
  ).toEqual([]);
}, 180_000);
