import Joi from 'joi';
import { readEnvironment } from '../../../shared/config';
import {
  exposureOf,
  exposureVariables,
  isLoopback,
  type ExposureConfig,
} from '../../../shared/exposure';
import { readWorkerConfig } from '../../../workers/config';
import { examineExposure } from '../../../workers/ops/doctor/exposure';

/** What is open to others, and what the doctor says of it. */

const configOf = (env: NodeJS.ProcessEnv) =>
  readEnvironment(Joi.object<ExposureConfig>(exposureVariables), env);
const examined = (env: NodeJS.ProcessEnv) => examineExposure(configOf(env), readWorkerConfig(env));
const found = (env: NodeJS.ProcessEnv) =>
  examined(env)
    .filter(({ state }) => state !== 'ok')
    .map((finding) => finding.found);
const BEYOND = { API_HOST: '192.0.2.1', TRUSTED_PROXIES: '1' };
const PROVIDER = {
  JWT_JWKS_URL: 'https://id.example/keys',
  JWT_ISSUER: 'https://id.example',
  JWT_AUDIENCE: 'lendline',
};

it.each(['127.0.0.1', '127.255.0.9', '::1', '[::1]', 'localhost', 'LOCALHOST'])(
  'takes %s for loopback',
  (host) => {
    expect(isLoopback(host)).toBe(true);
  },
);

it.each(['0.0.0.0', '::', '128.0.0.1', 'localhost.example', 'api', '::ffff:192.0.2.1'])(
  'does not take %s for loopback',
  (host) => {
    expect(isLoopback(host)).toBe(false);
  },
);

it('lets RATE_LIMIT_PER_MINUTE count for each kind that has no limit of its own', () => {
  const env = {
    RATE_LIMIT_PER_MINUTE: '50',
    RATE_LIMIT_WRITES_PER_MINUTE: '7',
    RATE_LIMIT_ANONYMOUS_PER_MINUTE: '0',
  };
  for (const where of [{}, BEYOND]) {
    expect(exposureOf(configOf({ ...where, ...env })).rateLimits).toEqual({
      reads: 50,
      writes: 7,
      signIns: 50,
      anonymous: 0,
    });
  }
});

it('serves metrics on loopback with the API unless METRICS_PORT names a port', () => {
  expect(exposureOf(configOf({})).metrics).toBe('with-api');
  expect(exposureOf(configOf({ METRICS_PORT: '9000' })).metrics).toEqual({
    host: '127.0.0.1',
    port: 9000,
  });
  expect(exposureOf(configOf({ ...BEYOND, METRICS_PORT: '0' })).metrics).toBe('off');
});

describe('the doctor', () => {
  it('finds nothing open with the defaults, on loopback and beyond', () => {
    for (const env of [{}, BEYOND, { ...BEYOND, ...PROVIDER }])
      expect(examined(env)).toMatchObject([{ about: 'exposure', state: 'ok' }]);
  });

  it.each<[string, NodeJS.ProcessEnv, RegExp]>([
    ['posts without a token', { REQUIRE_AUTH_FOR_POSTS: 'false' }, /post without a token/],
    [
      'a kind of requests without a limit',
      { RATE_LIMIT_SIGN_INS_PER_MINUTE: '0' },
      /sign-ins and sign-ups have no rate limit/,
    ],
    [
      'metrics beyond loopback',
      { METRICS_HOST: '0.0.0.0' },
      /metrics of the API can be read at 0\.0\.0\.0/,
    ],
    [
      'metrics of workers beyond loopback',
      { WORKER_METRICS_HOST: '::', WORKER_METRICS_PORT: '9464' },
      /metrics of workers can be read at ::/,
    ],
    ['no proxy', { TRUSTED_PROXIES: '0' }, /trusts no proxy/],
    ['signatures that are ignored', { COMMAND_SIGNATURES: 'ignored' }, /without a valid signature/],
    ['a provider without audience', { ...PROVIDER, JWT_AUDIENCE: '' }, /JWT_AUDIENCE/],
    ['keys without TLS', { ...PROVIDER, JWT_JWKS_URL: 'http://id.example/keys' }, /must be https/],
  ])('names beyond loopback %s', (_what, env, sentence) => {
    expect(found({ ...BEYOND, ...env })).toEqual([expect.stringMatching(sentence)]);
  });

  it('names every kind of requests where all limits are off', () => {
    expect(found({ ...BEYOND, RATE_LIMIT_PER_MINUTE: '0' })).toHaveLength(4);
  });

  it('takes for a fault only what an API does not start with', () => {
    const env = { ...PROVIDER, JWT_ISSUER: '' };
    expect(examined({ ...BEYOND, ...env })).toMatchObject([{ state: 'fault' }]);
    expect(examined(env)).toMatchObject([{ state: 'warning' }]);
  });

  it('says nothing on loopback of what only this machine reaches', () => {
    expect(
      found({ REQUIRE_AUTH_FOR_POSTS: 'false', RATE_LIMIT_PER_MINUTE: '0', TRUSTED_PROXIES: '0' }),
    ).toEqual([]);
  });
});
