import { BlockList, isIP } from 'node:net';
import Joi from 'joi';

/**
 * What an API lets in, by the address that it listens at. On loopback it is open, for trying and
 * developing. Beyond loopback, everything open must be set explicitly.
 */

/** Limits of requests in a minute; 0 = no limit. */
export interface RateLimits {
  /** GET by a user. */
  readonly reads: number;
  /** Other methods by a user. */
  readonly writes: number;
  /** Sign-in and sign-up from an address. */
  readonly signIns: number;
  /** Everything else from an address, without a valid token. */
  readonly anonymous: number;
}

/**
 * The limits beyond loopback by default. A page polls about 100 times a minute, and an office may
 * share an address.
 */
const RATE_LIMITS_DEFAULT: RateLimits = { reads: 1200, writes: 300, signIns: 30, anonymous: 600 };
const NO_RATE_LIMITS: RateLimits = { reads: 0, writes: 0, signIns: 0, anonymous: 0 };
export const METRICS_PORT_DEFAULT = 9463;

const perMinute = (what: string) =>
  Joi.number()
    .integer()
    .min(0)
    .max(1_000_000)
    .unit('requests per minute')
    .description(`Most ${what}; 0 = no limit.`);

const ownLimit = (what: string, beyondLoopback: number) =>
  perMinute(what).meta({
    fallback: `RATE_LIMIT_PER_MINUTE; without it 0 on loopback, ${beyondLoopback} beyond`,
  });

/** Returns the rule for the address that serves metrics. */
export const metricsHost = () => Joi.string().hostname().default('127.0.0.1');

export const exposureVariables = {
  API_HOST: Joi.string()
    .hostname()
    .default('127.0.0.1')
    .description(
      'Address on which the API listens. Beyond loopback, other defaults apply: docs/security.md.',
    ),
  TRUSTED_PROXIES: Joi.number()
    .integer()
    .min(0)
    .max(10)
    .default(0)
    .unit('proxies')
    .description(
      'Proxies in front of the API whose X-Forwarded-For is believed. With 0 all clients of a ' +
        'proxy count as one address, and share its limits.',
    ),
  REQUIRE_AUTH_FOR_POSTS: Joi.boolean()
    .description('Whether creating a post needs a token. false: anybody can post.')
    .meta({ fallback: 'false on loopback, true beyond' }),
  RATE_LIMIT_PER_MINUTE: perMinute(
    'requests of one client, for each kind below without its own limit',
  ),
  RATE_LIMIT_READS_PER_MINUTE: ownLimit('reads of one user', RATE_LIMITS_DEFAULT.reads),
  RATE_LIMIT_WRITES_PER_MINUTE: ownLimit('writes of one user', RATE_LIMITS_DEFAULT.writes),
  RATE_LIMIT_SIGN_INS_PER_MINUTE: ownLimit(
    'sign-ins and sign-ups from one address',
    RATE_LIMITS_DEFAULT.signIns,
  ),
  RATE_LIMIT_ANONYMOUS_PER_MINUTE: ownLimit(
    'requests without a valid token from one address',
    RATE_LIMITS_DEFAULT.anonymous,
  ),
  METRICS_HOST: metricsHost().description('Address on which METRICS_PORT listens.'),
  METRICS_PORT: Joi.number()
    .port()
    .allow(0)
    .description(
      'Port of its own for the /metrics of an API. 0 = none: on loopback /metrics is then at ' +
        'API_PORT, beyond loopback it is off.',
    )
    .meta({ fallback: `0 on loopback, ${METRICS_PORT_DEFAULT} beyond` }),
  JWT_JWKS_URL: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .description(
      'Address of the JSON Web Key Set of an identity provider. Its tokens are then accepted ' +
        'instead of tokens issued here. Beyond loopback it must be https, and JWT_ISSUER and ' +
        'JWT_AUDIENCE are required.',
    ),
  JWT_PUBLIC_KEY: Joi.string().description(
    'Public key of an identity provider (PEM; \\n may stand for line ends), instead of ' +
      'JWT_JWKS_URL.',
  ),
  JWT_ISSUER: Joi.string().description('Issuer (iss) that tokens must have.'),
  JWT_AUDIENCE: Joi.string()
    .description('Audience (aud) that tokens must have.')
    .meta({ fallback: 'lendline, for tokens issued here that have an audience' }),
};

export interface ExposureConfig {
  readonly API_HOST: string;
  readonly TRUSTED_PROXIES: number;
  readonly REQUIRE_AUTH_FOR_POSTS?: boolean;
  readonly RATE_LIMIT_PER_MINUTE?: number;
  readonly RATE_LIMIT_READS_PER_MINUTE?: number;
  readonly RATE_LIMIT_WRITES_PER_MINUTE?: number;
  readonly RATE_LIMIT_SIGN_INS_PER_MINUTE?: number;
  readonly RATE_LIMIT_ANONYMOUS_PER_MINUTE?: number;
  readonly METRICS_HOST: string;
  readonly METRICS_PORT?: number;
  readonly JWT_JWKS_URL?: string;
  readonly JWT_PUBLIC_KEY?: string;
  readonly JWT_ISSUER?: string;
  readonly JWT_AUDIENCE?: string;
}

export interface Exposure {
  readonly beyondLoopback: boolean;
  readonly tokenForPosts: boolean;
  readonly rateLimits: RateLimits;
  /** Where `/metrics` is: with everything else, at its own address, or nowhere. */
  readonly metrics: 'with-api' | 'off' | { readonly host: string; readonly port: number };
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Returns whether a host is this machine. A name other than localhost may lead anywhere. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '');
  const family = isIP(address);
  return family === 0
    ? address.toLowerCase() === 'localhost'
    : LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Returns what is let in: the settings, and defaults that fit the address. */
export function exposureOf(config: ExposureConfig): Exposure {
  const beyondLoopback = !isLoopback(config.API_HOST);
  const limits = beyondLoopback ? RATE_LIMITS_DEFAULT : NO_RATE_LIMITS;
  const limit = (own: number | undefined, kind: keyof RateLimits) =>
    own ?? config.RATE_LIMIT_PER_MINUTE ?? limits[kind];
  const port = config.METRICS_PORT ?? (beyondLoopback ? METRICS_PORT_DEFAULT : 0);
  const shared = beyondLoopback ? 'off' : 'with-api';
  return {
    beyondLoopback,
    tokenForPosts: config.REQUIRE_AUTH_FOR_POSTS ?? beyondLoopback,
    rateLimits: {
      reads: limit(config.RATE_LIMIT_READS_PER_MINUTE, 'reads'),
      writes: limit(config.RATE_LIMIT_WRITES_PER_MINUTE, 'writes'),
      signIns: limit(config.RATE_LIMIT_SIGN_INS_PER_MINUTE, 'signIns'),
      anonymous: limit(config.RATE_LIMIT_ANONYMOUS_PER_MINUTE, 'anonymous'),
    },
    metrics: port === 0 ? shared : { host: config.METRICS_HOST, port },
  };
}

/**
 * Returns what an identity provider lacks to be trusted by an API beyond loopback. Null when it
 * lacks nothing, or there is none.
 */
export function faultOfProvider({
  JWT_JWKS_URL,
  JWT_PUBLIC_KEY,
  JWT_ISSUER,
  JWT_AUDIENCE,
}: ExposureConfig): string | null {
  if ((JWT_JWKS_URL ?? JWT_PUBLIC_KEY) === undefined) return null;
  const missing = [!JWT_ISSUER && 'JWT_ISSUER', !JWT_AUDIENCE && 'JWT_AUDIENCE'].filter(Boolean);
  if (missing.length > 0)
    return `an identity provider needs ${missing.join(' and ')}: otherwise its tokens for other programs would be accepted`;
  if (JWT_JWKS_URL === undefined) return null;
  const { protocol, hostname } = new URL(JWT_JWKS_URL);
  return protocol === 'https:' || isLoopback(hostname)
    ? null
    : 'JWT_JWKS_URL must be https: otherwise somebody on the network could replace the keys';
}
