import { generateKeyPairSync } from 'node:crypto';
import supertest from 'supertest';
import { temporaryFolder } from '../../support/run/cleanup';
import { freePorts } from '../../support/servers/ports';
import { expectProblem } from '../../support/clients/problems';
import {
  newSecret,
  startEmbedded,
  startServers,
  type Environment,
} from '../../support/service/processes';
import { expectStartError } from '../../support/service/start-errors';
import { exportedSecret, target, targetAt, type Target } from '../../support/service/target';
import { forge } from './helpers';

/** What is open on loopback has to be opened beyond it. */

const BEYOND = { API_HOST: '0.0.0.0' };
const PUBLIC_KEY = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  .publicKey.export({ type: 'spki', format: 'pem' })
  .toString();

let secret: string;
/** An API of its own with each environment, in the way of running under test. */
let start: (env: Environment) => Promise<Target>;
let program: string;
let common: Environment = {};
let metricsPorts: number[];
let [onLoopback, beyond, opened]: (Target | undefined)[] = [];

const post = (at: Target | undefined, token?: string) => {
  const request = at!
    .api()
    .post('/posts')
    .send({ title: 'Move semantics', content: 'A text.', tags: [], userId: 7 });
  return token ? request.auth(token, { type: 'bearer' }) : request;
};
const policyOf = ({ headers }: { headers: Record<string, string> }) => headers['ratelimit-policy'];
const asAdmin = (at: Target | undefined, path: string) =>
  at!.api().get(path).auth(at!.admin, { type: 'bearer' });

beforeAll(async () => {
  secret = exportedSecret(newSecret);
  const { name } = await target();
  metricsPorts = await freePorts(2);
  if (name === 'embedded') {
    program = 'standalone.js';
    start = async (env) =>
      targetAt(name, [(await startEmbedded({ env: { JWT_SECRET: secret, ...env } })).url]);
  } else {
    program = 'api/main.js';
    const system = await startServers({ apis: 0, workers: 1, env: { JWT_SECRET: secret } });
    common = system.apiEnv;
    start = async (env) => targetAt(name, [(await system.addApi(env)).url]);
  }
  const [own = 0, all = 0] = metricsPorts;
  onLoopback = await start({ TRUSTED_PROXIES: '0' });
  beyond = await start({ ...BEYOND, METRICS_PORT: String(own) });
  opened = await start({
    ...BEYOND,
    METRICS_PORT: String(all),
    METRICS_HOST: '0.0.0.0',
    REQUIRE_AUTH_FOR_POSTS: 'false',
    RATE_LIMIT_PER_MINUTE: '0',
    RATE_LIMIT_SIGN_INS_PER_MINUTE: '5',
  });
}, 180_000);

describe('posts without a token', () => {
  it('are accepted on loopback', async () => {
    expect((await post(onLoopback)).status).toBe(201);
  });

  it('are refused beyond loopback', async () => {
    expectProblem(await post(beyond), 401, 'UNAUTHENTICATED');
    expect((await post(beyond, beyond!.admin)).status).toBe(201);
  });

  it('are taken beyond loopback where REQUIRE_AUTH_FOR_POSTS=false says so', async () => {
    expect((await post(opened)).status).toBe(201);
  });
});

describe('requests', () => {
  it('are not limited on loopback', async () => {
    expect(policyOf(await asAdmin(onLoopback, '/api/holds'))).toBeUndefined();
    expect(policyOf(await onLoopback!.api().get('/api/book-infos'))).toBeUndefined();
  });

  it('are limited beyond loopback, apart for reads, writes, sign-ins and anonymous callers', async () => {
    const signIn = beyond!
      .api()
      .post('/api/auth/login')
      .auth(beyond!.admin, { type: 'bearer' })
      .send({ username: 'nobody', password: 'no password' });
    const answers = [
      await asAdmin(beyond, '/api/holds'),
      await post(beyond, beyond!.admin),
      await signIn,
      await beyond!.api().get('/api/book-infos'),
    ];
    expect(answers.map(policyOf)).toEqual([
      expect.stringContaining('"reads"; q=1200; w=60'),
      expect.stringContaining('"writes"; q=300; w=60'),
      expect.stringContaining('"sign-ins"; q=30; w=60'),
      expect.stringContaining('"anonymous"; q=600; w=60'),
    ]);
  });

  it('are not limited where RATE_LIMIT_PER_MINUTE=0 says so, but for a kind with a limit of its own', async () => {
    expect(policyOf(await asAdmin(opened, '/api/holds'))).toBeUndefined();
    const signUp = (password: string) =>
      opened!.api().post('/api/auth/signup').send({ username: 'x', password });
    // They count also when they are refused, and with those at the other API where the two share
    // their counts.
    const statuses: number[] = [];
    for (let turn = 0; turn < 6; turn += 1) statuses.push((await signUp('short')).status);
    expect([...new Set(statuses)]).toEqual([400, 429]);
    expectProblem(await signUp('short'), 429, 'RATE_LIMITED', {
      'violated-policies': ['sign-ins'],
    });
    expect((await opened!.api().get('/api/book-infos')).status).toBe(200);
  });
});

describe('measurements', () => {
  const measured = async (url: string) =>
    (await supertest(url).get('/metrics')).text.includes('process_cpu_seconds_total');
  const documented = async (at: Target | undefined) =>
    Object.keys((await at!.api().get('/openapi.json')).body.paths).includes('/metrics');

  it('are served with the API on loopback', async () => {
    expect([await measured(onLoopback!.url), await documented(onLoopback)]).toEqual([true, true]);
  });

  it('are served beyond loopback at their own port, only on loopback', async () => {
    expectProblem(await beyond!.api().get('/metrics'), 404, 'ROUTE_NOT_FOUND');
    expect(await documented(beyond)).toBe(false);
    expect(await measured(`http://127.0.0.1:${metricsPorts[0]}`)).toBe(true);
    await expect(measured(`http://127.0.0.2:${metricsPorts[0]}`)).rejects.toThrow('ECONNREFUSED');
    for (const path of ['/livez', '/readyz'])
      expect((await beyond!.api().get(path)).status).toBe(200);
  });

  it('are served elsewhere where METRICS_HOST says so', async () => {
    expect(await measured(`http://127.0.0.2:${metricsPorts[1]}`)).toBe(true);
  });
});

describe('an identity provider', () => {
  const environment = (): Environment => ({
    ...common,
    API_PORT: '0',
    METRICS_PORT: '0',
    ADMIN_USERNAME: '',
    ADMIN_PASSWORD: '',
    ...BEYOND,
  });
  const names = { JWT_ISSUER: 'https://id.example', JWT_AUDIENCE: 'lendline' };

  it.each<[string, Environment, RegExp]>([
    ['without issuer and audience', { JWT_PUBLIC_KEY: PUBLIC_KEY }, /JWT_ISSUER and JWT_AUDIENCE/],
    [
      'without audience',
      { JWT_JWKS_URL: 'https://id.example/keys', JWT_ISSUER: 'x' },
      /JWT_AUDIENCE/,
    ],
    [
      'whose keys are fetched without TLS',
      { JWT_JWKS_URL: 'http://id.example/keys', ...names },
      /JWT_JWKS_URL must be https/,
    ],
  ])('%s stops a start beyond loopback', async (_what, env, sentence) => {
    await expectStartError(
      program,
      { ...environment(), DATA_DIR: await temporaryFolder('exposure'), ...env },
      sentence,
    );
  });

  it('on this machine may be asked without TLS', async () => {
    expect(
      (
        await (
          await start({
            ...BEYOND,
            METRICS_PORT: '0',
            JWT_JWKS_URL: 'http://127.0.0.1:9/keys',
            ...names,
          })
        )
          .api()
          .get('/livez')
      ).status,
    ).toBe(200);
  });
});

describe('a token of our own secret', () => {
  const claims = () => ({
    sub: String(onLoopback!.newUserId()),
    username: 'ada',
    role: 'user',
    isAdmin: false,
    exp: 4_000_000_000,
  });
  const read = (header: object, more: object = {}) =>
    onLoopback!
      .api()
      .get('/api/holds')
      .auth(forge({ alg: 'HS256', ...header }, { ...claims(), ...more }, secret), {
        type: 'bearer',
      });

  it('is accepted without audience and kind, and with those of this service', async () => {
    for (const answer of [
      await read({}),
      await read({ typ: 'JWT' }),
      await read({ typ: 'at+jwt' }, { aud: ['else', 'lendline'] }),
    ])
      expect(answer.status).toBe(200);
  });

  it('for another audience is 401 TOKEN_INVALID', async () => {
    for (const aud of ['else', ['else'], ''])
      expectProblem(await read({ typ: 'at+jwt' }, { aud }), 401, 'TOKEN_INVALID');
  });

  it('of another kind is 401 TOKEN_INVALID', async () => {
    for (const typ of ['id+jwt', 'logout+jwt', 7])
      expectProblem(await read({ typ }, { aud: 'lendline' }), 401, 'TOKEN_INVALID');
  });
});
