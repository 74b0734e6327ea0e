import Joi from 'joi';
import {
  commonVariables,
  mysqlUrl,
  readEnvironment,
  serverVariables,
  type CommonConfig,
  type ServerConfig,
} from '../shared/config';
import { exposureVariables, type ExposureConfig } from '../shared/exposure';
import { identityFields } from '../shared/identity/commands';
import { webhookVariables, type WebhookConfig } from '../shared/webhooks/fields';
import type { TokenConfig } from './http/security/token-rules';
import { TOKEN_LIFETIME_DEFAULT_S } from './identity/tokens';
import { coverHosts } from './pages/cover-hosts';

/** Name of the first administrator where only a password is given. */
export const ADMIN_USERNAME_DEFAULT = 'admin';

/** What the API reads from the environment, in both ways of running. */
export const apiVariables = {
  ...exposureVariables,
  API_PORT: Joi.number()
    .integer()
    .min(0)
    .max(65_535)
    .default(3000)
    .description(
      'Port of the API; 0 picks a free one and prints it. Under Docker Compose it is the port on ' +
        "this machine's loopback.",
    ),
  API_WAIT_MS: Joi.number()
    .integer()
    .min(0)
    .max(30_000)
    .default(10_000)
    .unit('milliseconds')
    .description(
      'How long a write waits for its final answer. Then it answers 202 with the address of the result.',
    ),
  JWT_SECRET: Joi.string()
    .min(32)
    .description(
      'Signs and verifies access tokens (HS256): openssl rand -hex 32. The same for all APIs.',
    )
    .meta({
      fallback: 'none: start:api needs it, or an identity provider',
      embedded: 'made at the first start and kept in DATA_DIR',
    }),
  ACCESS_TOKEN_SECONDS: Joi.number()
    .integer()
    .min(60)
    .max(30 * 86_400)
    .default(TOKEN_LIFETIME_DEFAULT_S)
    .unit('seconds')
    .description('Lifetime of a token issued here.'),
  ADMIN_USERNAME: Joi.string()
    .max(255)
    .description('Name of the first administrator.')
    .meta({ fallback: ADMIN_USERNAME_DEFAULT }),
  ADMIN_PASSWORD: identityFields.password
    .unit('8 to 128 characters')
    .description(
      'Password of the first administrator, which must meet the rules for new passwords. The account is created if there is none of that name.',
    )
    .meta({ embedded: 'made at the first start and printed once' }),
  ISBN_STRICT: Joi.boolean()
    .default(false)
    .description(
      'Whether an ISBN with a wrong check digit is refused. false: only its form counts.',
    ),
  CORS_ORIGINS: Joi.string()
    .default('')
    .description(
      'Origins whose pages may call the API from a browser, by comma; * for all, empty for none.',
    ),
  VIDEO_ORIGINS: Joi.string()
    .pattern(/^https?:\/\/[\w.-]+(?::\d+)?(?:,https?:\/\/[\w.-]+(?::\d+)?)*$/)
    .allow('')
    .default('')
    .description(
      "Origins whose videos the readers' page plays, by comma: https://videos.example. Others open " +
        'in a window of their own.',
    ),
  COVER_HOSTS: coverHosts().description(
    "Hosts from which the readers' page loads pictures of covers, by comma: covers.example or " +
      '*.covers.example. These hosts learn who looks at which title. Other covers are drawn.',
  ),
  SIGNUPS_PER_ADDRESS: Joi.number()
    .integer()
    .min(0)
    .max(100_000)
    .default(100)
    .unit('signups in ten minutes')
    .description('Most signups of one address; 0 = no limit.'),
  SIGNUPS_IN_ALL: Joi.number()
    .integer()
    .min(0)
    .max(1_000_000)
    .default(1000)
    .unit('signups in ten minutes')
    .description('Most signups of all addresses; 0 = no limit.'),
  API_CONNECTIONS_MAX: Joi.number()
    .integer()
    .min(100)
    .max(100_000)
    .default(10_000)
    .unit('connections')
    .description('Most connections of clients to one API process. More are closed at once.'),
  API_CONNECTIONS_PER_ADDRESS: Joi.number()
    .integer()
    .min(0)
    .max(100_000)
    .default(1000)
    .unit('connections')
    .description(
      'Most connections of one address; 0 = no limit. Loopback has no limit. With TRUSTED_PROXIES ' +
        'above 0, no address has one.',
    ),
  API_BYTES_MAX: Joi.number()
    .integer()
    .min(2_097_152)
    .max(1_073_741_824)
    .default(16_777_216)
    .unit('bytes')
    .description(
      'Most bytes of the bodies of requests that one API process has not answered yet. Bodies of ' +
        'at most 4 KiB are not counted. More is refused with 503 and Retry-After.',
    ),
  QUEUE_BYTES_MAX: Joi.number()
    .integer()
    .min(2_097_152)
    .max(1_073_741_824)
    .default(8_388_608)
    .unit('bytes')
    .description(
      'Most bytes of commands that one API process has under way in one partition, and eight ' +
        'times that in all. Commands of at most 4 KiB are not counted.',
    ),
  ...webhookVariables,
  API_MYSQL_CONNECTIONS: Joi.number()
    .integer()
    .min(1)
    .max(200)
    .default(10)
    .unit('connections')
    .description('Most connections of one API process to MySQL.'),
};

export interface ApiConfig extends ExposureConfig, WebhookConfig {
  readonly API_PORT: number;
  readonly API_WAIT_MS: number;
  readonly JWT_SECRET?: string;
  readonly ACCESS_TOKEN_SECONDS: number;
  readonly ADMIN_USERNAME?: string;
  readonly ADMIN_PASSWORD?: string;
  readonly ISBN_STRICT: boolean;
  readonly CORS_ORIGINS: string;
  readonly VIDEO_ORIGINS: string;
  readonly COVER_HOSTS: readonly string[];
  readonly SIGNUPS_PER_ADDRESS: number;
  readonly SIGNUPS_IN_ALL: number;
  readonly API_CONNECTIONS_MAX: number;
  readonly API_CONNECTIONS_PER_ADDRESS: number;
  readonly API_BYTES_MAX: number;
  readonly QUEUE_BYTES_MAX: number;
  readonly API_MYSQL_CONNECTIONS: number;
}

export type ApiServerConfig = ApiConfig &
  ServerConfig &
  CommonConfig & { readonly MYSQL_REPLICA_URL?: string };

/** What an API process on servers reads. */
export const apiServerVariables = {
  ...serverVariables,
  MYSQL_REPLICA_URL: mysqlUrl().description(
    'A replica of MYSQL_URL, in the same form. Only data that may be some seconds old is read there, ' +
      'and only while the replica is not further behind.',
  ),
  ...commonVariables,
  ...apiVariables,
};

/** @throws StartError that names every bad variable. */
export function readApiConfig(environment: NodeJS.ProcessEnv): ApiServerConfig {
  return readEnvironment(Joi.object<ApiServerConfig>(apiServerVariables), environment);
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
