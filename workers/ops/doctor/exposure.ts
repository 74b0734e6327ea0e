import {
  exposureOf,
  faultOfProvider,
  isLoopback,
  type ExposureConfig,
  type RateLimits,
} from '../../../shared/exposure';
import type { WorkerConfig } from '../../config';
import { fault, ok, warning, type Finding } from './finding';

/**
 * Examines what is open to others by the configuration. On loopback, only what others reach all the
 * same is a warning.
 */

type WorkerExposure = Pick<
  WorkerConfig,
  'WORKER_METRICS_HOST' | 'WORKER_METRICS_PORT' | 'COMMAND_SIGNATURES'
>;

export function examineExposure(api: ExposureConfig, worker: WorkerExposure): Finding[] {
  const { beyondLoopback, tokenForPosts, rateLimits } = exposureOf(api);
  const findings = [provider(api, beyondLoopback), ...metrics(api, worker), signatures(worker)];
  if (beyondLoopback) findings.push(posts(tokenForPosts), ...rates(rateLimits), proxies(api));
  const open = findings.filter((finding) => finding !== null);
  return open.length > 0
    ? open
    : [ok('exposure', `the API listens at ${api.API_HOST}, and nothing is open needlessly`)];
}

function posts(tokenForPosts: boolean): Finding | null {
  return tokenForPosts
    ? null
    : warning('exposure', 'anybody can post without a token', 'Set REQUIRE_AUTH_FOR_POSTS=true.');
}

const LIMITED: Readonly<Record<keyof RateLimits, readonly [what: string, variable: string]>> = {
  reads: ['reads of users', 'RATE_LIMIT_READS_PER_MINUTE'],
  writes: ['writes of users', 'RATE_LIMIT_WRITES_PER_MINUTE'],
  signIns: ['sign-ins and sign-ups', 'RATE_LIMIT_SIGN_INS_PER_MINUTE'],
  anonymous: ['requests without a token', 'RATE_LIMIT_ANONYMOUS_PER_MINUTE'],
};

function rates(limits: RateLimits): Finding[] {
  return (Object.keys(LIMITED) as (keyof RateLimits)[])
    .filter((kind) => limits[kind] === 0)
    .map((kind) =>
      warning(
        'exposure',
        `${LIMITED[kind][0]} have no rate limit`,
        `Set ${LIMITED[kind][1]} to more than 0.`,
      ),
    );
}

function proxies({ TRUSTED_PROXIES, API_HOST }: ExposureConfig): Finding | null {
  if (TRUSTED_PROXIES > 0) return null;
  return warning(
    'exposure',
    `the API listens at ${API_HOST} and trusts no proxy`,
    'Put a proxy with TLS in front of it, and set TRUSTED_PROXIES to the number of proxies.',
  );
}

function metrics(
  api: ExposureConfig,
  { WORKER_METRICS_HOST, WORKER_METRICS_PORT }: WorkerExposure,
): Finding[] {
  const { metrics: own } = exposureOf(api);
  const places = [
    ...(typeof own === 'string' ? [] : [['of the API', own.host, 'METRICS_HOST']]),
    ...(WORKER_METRICS_PORT === 0
      ? []
      : [['of workers', WORKER_METRICS_HOST, 'WORKER_METRICS_HOST']]),
  ];
  return places
    .filter(([, host = '']) => !isLoopback(host))
    .map(([whose = '', host = '', variable = '']) =>
      warning(
        'exposure',
        `metrics ${whose} can be read at ${host} without a token`,
        `Let only Prometheus reach them, or set ${variable}=127.0.0.1.`,
      ),
    );
}

function provider(api: ExposureConfig, beyondLoopback: boolean): Finding | null {
  const found = faultOfProvider(api);
  if (found === null) return null;
  const advice = 'Set JWT_ISSUER and JWT_AUDIENCE, and an https address for JWT_JWKS_URL.';
  return beyondLoopback
    ? fault('exposure', found, `${advice} The API does not start without them.`)
    : warning('exposure', found, advice);
}

function signatures({ COMMAND_SIGNATURES }: WorkerExposure): Finding | null {
  if (COMMAND_SIGNATURES === 'required') return null;
  return warning(
    'exposure',
    'commands without a valid signature are carried out',
    'Set COMMAND_SIGNATURES=required when the queues hold no unsigned commands.',
  );
}
