import Joi from 'joi';
import { faultOfMysqlUrl } from './database/tls';

/** The environment is read once, at start, by a schema; a bad value stops the start and every culprit is named. */

/** A start that cannot go on, told in sentences for the person who started it. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Most partitions of a service. */
export const PARTITIONS_MAX = 256;

const url = (scheme: string | string[]) => Joi.string().uri({ scheme });

/** URLs separated by commas, as a list; a comma inside of one is written %2C. */
const urls = (scheme: string[]) =>
  Joi.string().custom((text: string, helpers) => {
    const list = text.split(',').map((one) => one.trim());
    return list.some((one) => url(scheme).validate(one).error) ? helpers.error('string.uriCustomScheme', { scheme: scheme.join('|') }) : list;
  });

export const mysqlUrl = () =>
  url('mysql')
    .custom((text: string, helpers) => {
      const fault = faultOfMysqlUrl(text);
      return fault === null ? text : helpers.error('mysql.url', { fault });
    })
    .messages({ 'mysql.url': '{{#label}} {{#fault}}' });

/** Servers, and what every process must agree on. */
export const serverVariables = {
  MYSQL_URL: mysqlUrl().default('mysql://root@127.0.0.1:3306/lendline'),
  /** One node, or the nodes of a cluster by comma: who loses one goes on to the next. */
  RABBITMQ_URL: urls(['amqp', 'amqps']).default(['amqp://guest:guest@127.0.0.1:5672']),
  REDIS_URL: url(['redis', 'rediss']).default('redis://127.0.0.1:6379'),
};

export const commonVariables = {
  /** Partitions per service at first start, later the number that is expected; without it the stored number counts. */
  COMMAND_PARTITIONS: Joi.number().integer().min(1).max(PARTITIONS_MAX),
  /** Where OpenTelemetry traces are sent, as OTLP over HTTP; none are made without it. */
  OTEL_EXPORTER_OTLP_ENDPOINT: Joi.string().uri({ scheme: ['http', 'https'] }),
  LOG_LEVEL: Joi.string().valid('fatal', 'error', 'warn', 'info', 'debug', 'silent').default('info'),
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
 * Reads the variables that the schema names; others are none of our business. An empty value counts as absent.
 * @throws StartError with a line for each bad variable. A value is never shown, for it may hold a password.
 */
export function readEnvironment<Config>(schema: Joi.ObjectSchema<Config>, environment: NodeJS.ProcessEnv): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = schema.validate(given, { abortEarly: false, stripUnknown: true, errors: { wrap: { label: false } } });
  if (result.error) throw new StartError(`Bad configuration: ${result.error.details.map(({ message }) => message).join('; ')}`);
  return result.value;
}
