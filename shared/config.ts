import Joi from 'joi';
import { faultOfGuidedUrl, guidedBy } from './cache/guided-url';
import { serversOf } from './database/servers';
import { faultOfMysqlUrl } from './database/tls';

/**
 * Reads the environment once, at start, with a schema. Bad values stop the start, and the error
 * names each of them.
 */

/** An error that stops the start. Its message is for the person who started the program. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Most partitions of a service. */
export const PARTITIONS_MAX = 256;

const url = (scheme: string | string[]) => Joi.string().uri({ scheme });

/** Reads URLs separated by commas as a list. A comma within a URL is written %2C. */
const urls = (scheme: string[]) =>
  Joi.string().custom((text: string, helpers) => {
    const list = text.split(',').map((one) => one.trim());
    return list.some((one) => url(scheme).validate(one).error)
      ? helpers.error('string.uriCustomScheme', { scheme: scheme.join('|') })
      : list;
  });

const mysqlServer = url('mysql')
  .custom((text: string, helpers) => {
    const fault = faultOfMysqlUrl(text);
    return fault === null ? text : helpers.error('mysql.url', { fault });
  })
  .messages({ 'mysql.url': '{{#label}} {{#fault}}' });

/** Returns the rule for a URL that names one server. */
export const mysqlUrl = () => mysqlServer;

/** Returns the rule for a URL that may name several servers, by their hosts. */
export const mysqlUrls = () =>
  Joi.string()
    .custom((text: string, helpers) => {
      const servers = serversOf(text);
      if (new Set(servers).size < servers.length) return helpers.error('mysql.twice');
      const fault = servers
        .map((server) => mysqlServer.validate(server).error?.details[0])
        .find((detail) => detail !== undefined);
      if (fault) return helpers.error(fault.type, fault.context);
      return servers.length > 1 && servers.some((server) => !new URL(server).hostname)
        ? helpers.error('mysql.hosts')
        : text;
    })
    .messages({
      'mysql.url': '{{#label}} {{#fault}}',
      'mysql.hosts': '{{#label}} must name the host of each server',
      'mysql.twice': '{{#label}} must name each server once',
    });

const redisUrl = () =>
  Joi.string()
    .custom((text: string, helpers) => {
      if (guidedBy(text) === null) {
        const detail = url(['redis', 'rediss']).validate(text).error?.details[0];
        return detail ? helpers.error(detail.type, detail.context) : text;
      }
      const fault = faultOfGuidedUrl(text);
      return fault === null ? text : helpers.error('redis.guided', { fault });
    })
    .messages({ 'redis.guided': '{{#label}} {{#fault}}' });

/** Servers, and what every process must agree on. */
export const serverVariables = {
  MYSQL_URL: mysqlUrls()
    .default('mysql://root@127.0.0.1:3306/lendline')
    .description(
      'MySQL 8.4 or later, or MariaDB 10.11 or later: mysql://user:password@host:port/database. ' +
        'Over TLS: ?ssl-mode=VERIFY_IDENTITY. Several servers by comma ' +
        '(host1:port,host2:port): the writable one is found and followed.',
    ),
  RABBITMQ_URL: urls(['amqp', 'amqps'])
    .default(['amqp://guest:guest@127.0.0.1:5672'])
    .description(
      'RabbitMQ 3.10 or later: amqp://user:password@host:port/vhost, or amqps: over TLS. The ' +
        'nodes of a cluster by comma (a comma in a password is %2C): a process that loses one moves ' +
        'to the next.',
    ),
  REDIS_URL: redisUrl()
    .default('redis://127.0.0.1:6379')
    .description(
      'Redis 7 or later, or Valkey: redis://user:password@host:port/db, or rediss: over TLS. With ' +
        'Sentinel: redis+sentinel://user:password@host1:26379,host2:26379/name/db. As a cluster: ' +
        'redis+cluster://user:password@host1:6379,host2:6379.',
    ),
};

export const commonVariables = {
  COMMAND_PARTITIONS: Joi.number()
    .integer()
    .min(1)
    .max(PARTITIONS_MAX)
    .unit('partitions')
    .description(
      'Partitions of each service: how many commands of different things can be worked on side by ' +
        'side. The first start stores the number, and "ops partitions resize" changes it. Later it ' +
        'is the number expected: a process that finds another one does not start.',
    )
    .meta({ fallback: '16 at the first start, then the stored number' }),
  OTEL_EXPORTER_OTLP_ENDPOINT: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .description(
      'Where OpenTelemetry traces are sent, as OTLP over HTTP. Without it there are no traces. ' +
        'The other variables of OpenTelemetry work as well.',
    ),
  LOG_LEVEL: Joi.string()
    .valid('fatal', 'error', 'warn', 'info', 'debug', 'silent')
    .default('info')
    .description('What is logged; each level includes those before it.')
    .meta({ embedded: 'warn' }),
};

export interface ServerConfig {
  readonly MYSQL_URL: string;
  readonly RABBITMQ_URL: readonly string[];
  readonly REDIS_URL: string;
}

export interface CommonConfig {
  readonly COMMAND_PARTITIONS?: number;
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  readonly LOG_LEVEL: string;
}

/**
 * Reads the variables that the schema names and ignores all others. An empty value counts as
 * absent.
 * @throws StartError with a line for each bad variable. It never contains a value, which may hold a
 * password.
 */
export function readEnvironment<Config>(
  schema: Joi.ObjectSchema<Config>,
  environment: NodeJS.ProcessEnv,
): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = schema.validate(given, {
    abortEarly: false,
    stripUnknown: true,
    errors: { wrap: { label: false } },
  });
  if (result.error)
    throw new StartError(
      `Bad configuration: ${result.error.details.map(({ message }) => message).join('; ')}`,
    );
  return result.value;
}
