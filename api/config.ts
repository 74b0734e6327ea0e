import Joi from 'joi';
import { commonVariables, mysqlUrl, readEnvironment, serverVariables, type CommonConfig, type ServerConfig } from '../shared/config';
import { identityFields } from '../shared/identity/commands';
import type { TokenConfig } from './http/token-rules';
import { TOKEN_LIFETIME_DEFAULT_S } from './identity/tokens';

/** Name of the first administrator where only a password is given. */
export const ADMIN_USERNAME_DEFAULT = 'admin';

/** What the API reads from the environment, in both ways of running. */
export const apiVariables = {
  API_HOST: Joi.string().hostname().default('127.0.0.1'),
  /** 0 picks a free port and prints it. */
  API_PORT: Joi.number().integer().min(0).max(65_535).default(3000),
  /** How long a write waits for its answer before 202, milliseconds, 0 to 30,000. */
  API_WAIT_MS: Joi.number().integer().min(0).max(30_000).default(10_000),
  /** HS256 secret, at least 32 characters. */
  JWT_SECRET: Joi.string().min(32),
  JWT_JWKS_URL: Joi.string().uri({ scheme: ['http', 'https'] }),
  JWT_PUBLIC_KEY: Joi.string(),
  JWT_ISSUER: Joi.string(),
  JWT_AUDIENCE: Joi.string(),
  /** Life of a token issued here, seconds, 1 minute to 30 days. */
  ACCESS_TOKEN_SECONDS: Joi.number()
    .integer()
    .min(60)
    .max(30 * 86_400)
    .default(TOKEN_LIFETIME_DEFAULT_S),
  ADMIN_USERNAME: Joi.string().max(255),
  /** Held to the rules of every new password. */
  ADMIN_PASSWORD: identityFields.password,
  /** Whether an ISBN with a wrong check digit is refused. */
  ISBN_STRICT: Joi.boolean().default(false),
  /** Whether posts are taken from signed-in clients only. */
  REQUIRE_AUTH_FOR_POSTS: Joi.boolean().default(false),
  /** Origins whose pages may call the API from a browser, by comma; `*` for all, empty for none. */
  CORS_ORIGINS: Joi.string().default(''),
  /** Most requests of a user, or of an address without a token, in a minute, up to a million; 0 = no limit. */
  RATE_LIMIT_PER_MINUTE: Joi.number().integer().min(0).max(1_000_000).default(0),
  /** Most signups of one address in ten minutes, up to 100,000; 0 = no limit. */
  SIGNUPS_PER_ADDRESS: Joi.number().integer().min(0).max(100_000).default(100),
  /** Most signups of all addresses in ten minutes, up to a million; 0 = no limit. */
  SIGNUPS_IN_ALL: Joi.number().integer().min(0).max(1_000_000).default(1000),
  /** Proxies in front of the API whose X-Forwarded-For is believed, 0 to 10. */
  TRUSTED_PROXIES: Joi.number().integer().min(0).max(10).default(0),
  /** Most connections of clients to an API process, 100 to 100,000. */
  API_CONNECTIONS_MAX: Joi.number().integer().min(100).max(100_000).default(10_000),
  /**
   * Most connections of one address, loopback aside, up to 100,000; 0 = no limit. Not applied behind proxies, which are few
   * addresses with many connections.
   */
  API_CONNECTIONS_PER_ADDRESS: Joi.number().integer().min(0).max(100_000).default(1000),
  /** Most bytes of the bodies of requests that are not answered yet, 2 MiB to 1 GiB; bodies of at most 4 KiB are not counted. */
  API_BYTES_MAX: Joi.number().integer().min(2_097_152).max(1_073_741_824).default(16_777_216),
  /**
   * Most bytes of commands that an API process has under way in one partition, 2 MiB to 1 GiB, and eight times that in all; commands of at
   * most 4 KiB are not counted.
   */
  QUEUE_BYTES_MAX: Joi.number().integer().min(2_097_152).max(1_073_741_824).default(8_388_608),
  /** Most connections of an API process to MySQL, 1 to 200. */
  API_MYSQL_CONNECTIONS: Joi.number().integer().min(1).max(200).default(10),
};

export interface ApiConfig {
  readonly API_HOST: string;
  readonly API_PORT: number;
  readonly API_WAIT_MS: number;
  readonly JWT_SECRET?: string;
  readonly JWT_JWKS_URL?: string;
  readonly JWT_PUBLIC_KEY?: string;
  readonly JWT_ISSUER?: string;
  readonly JWT_AUDIENCE?: string;
  readonly ACCESS_TOKEN_SECONDS: number;
  readonly ADMIN_USERNAME?: string;
  readonly ADMIN_PASSWORD?: string;
  readonly ISBN_STRICT: boolean;
  readonly REQUIRE_AUTH_FOR_POSTS: boolean;
  readonly CORS_ORIGINS: string;
  readonly RATE_LIMIT_PER_MINUTE: number;
  readonly SIGNUPS_PER_ADDRESS: number;
  readonly SIGNUPS_IN_ALL: number;
  readonly TRUSTED_PROXIES: number;
  readonly API_CONNECTIONS_MAX: number;
  readonly API_CONNECTIONS_PER_ADDRESS: number;
  readonly API_BYTES_MAX: number;
  readonly QUEUE_BYTES_MAX: number;
  readonly API_MYSQL_CONNECTIONS: number;
}

export type ApiServerConfig = ApiConfig & ServerConfig & CommonConfig & { readonly MYSQL_REPLICA_URL?: string };

const replicaVariables = {
  /** A replica of the database, for reads that may be some seconds old. */
  MYSQL_REPLICA_URL: mysqlUrl(),
};

/** @throws StartError that names every bad variable. */
export function readApiConfig(environment: NodeJS.ProcessEnv): ApiServerConfig {
  return readEnvironment(Joi.object<ApiServerConfig>({ ...serverVariables, ...replicaVariables, ...commonVariables, ...apiVariables }), environment);
}

export function tokenConfigOf(config: ApiConfig): TokenConfig {
  const { JWT_SECRET, JWT_PUBLIC_KEY, JWT_JWKS_URL, JWT_ISSUER, JWT_AUDIENCE } = config;
  return {
    ...(JWT_SECRET && { secret: JWT_SECRET }),
    ...(JWT_PUBLIC_KEY && { publicKey: JWT_PUBLIC_KEY }),
    ...(JWT_JWKS_URL && { jwksUrl: JWT_JWKS_URL }),
    ...(JWT_ISSUER && { issuer: JWT_ISSUER }),
    ...(JWT_AUDIENCE && { audience: JWT_AUDIENCE }),
  };
}
