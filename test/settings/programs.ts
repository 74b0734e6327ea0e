import Joi from 'joi';
import { apiServerVariables, apiVariables } from '../../api/config';
import { commonVariables, serverVariables } from '../../shared/config';
import { exposureVariables } from '../../shared/exposure';
import {
  batchVariables,
  embeddedVariables,
  mailVariables,
  retentionVariables,
  ruleVariables,
  workerVariables,
} from '../../workers/config';
import { mysqlAccountVariables } from '../../workers/ops/accounts/mysql';
import { rabbitmqAccountVariables } from '../../workers/ops/accounts/rabbitmq';
import { installationVariables } from '../../workers/ops/installation';

/** Which program reads which variables, and in which order people are told of them. */

type Variables = Readonly<Record<string, Joi.Schema>>;

const secret = (what: string) => Joi.string().required().description(what);

/** Of the servers that Docker Compose runs. */
const composeVariables = {
  MYSQL_ROOT_PASSWORD: secret(
    'Password of the administrator of the MySQL that Docker Compose runs. Use letters and digits.',
  ),
  RABBITMQ_ADMIN_PASSWORD: secret(
    'Password of the administrator of the RabbitMQ that Docker Compose runs. Use letters and digits.',
  ),
  REDIS_PASSWORD: secret('Password of the Redis that Docker Compose runs. Use letters and digits.'),
  CERTIFICATES_DIR: Joi.string()
    .default('./certificates')
    .description('Folder of ca.pem, server.pem and server-key.pem for deploy/compose.tls.yml.'),
};

/** What no schema reads. */
const nodeVariables = {
  NODE_EXTRA_CA_CERTS: Joi.string().description(
    'File of certificates (PEM) of authorities that Node does not know, for TLS to MySQL, RabbitMQ and Redis.',
  ),
};

const opsVariables = {
  ...installationVariables,
  ...workerVariables,
  ...mysqlAccountVariables,
  ...rabbitmqAccountVariables,
  LENDLINE_TOKEN: Joi.string().description(
    'Token that imports are made with; --token goes before it.',
  ),
  API_PORT: apiVariables.API_PORT,
};

const testVariables = {
  TEST_PROGRAMS: Joi.string().description(
    'Folder of server programs (mariadbd or mysqld; rabbitmq-server, rabbitmqctl and epmd; redis-server or valkey-server) that tests start before those that are installed.',
  ),
  RABBITMQ_MANAGEMENT_URL: rabbitmqAccountVariables.RABBITMQ_MANAGEMENT_URL,
  ...serverVariables,
};

/** The variables of each program, by its npm script. */
export const PROGRAMS: Readonly<Record<string, Variables>> = {
  start: {
    ...apiVariables,
    ...commonVariables,
    ...ruleVariables,
    ...batchVariables,
    ...retentionVariables,
    ...mailVariables,
    ...embeddedVariables,
  },
  'start:api': { ...apiServerVariables, ...nodeVariables },
  'start:worker': { ...workerVariables, ...nodeVariables },
  ops: { ...opsVariables, ...nodeVariables },
  test: testVariables,
  'docker compose': composeVariables,
};

const serverPrograms: Variables = {
  ...serverVariables,
  MYSQL_REPLICA_URL: apiServerVariables.MYSQL_REPLICA_URL,
  ...nodeVariables,
};

/**
 * Each variable is told of in the first of these that has it. Those that Docker Compose requires
 * come before all.
 */
export const SECTIONS: readonly (readonly [title: string, variables: Variables])[] = [
  ['What is let in, and from where', exposureVariables],
  ['Servers', serverPrograms],
  ['API', apiVariables],
  ['All programs', commonVariables],
  ['Embedded default', embeddedVariables],
  ['Rules', ruleVariables],
  ['Retention', retentionVariables],
  ['E-mail', mailVariables],
  ['Workers', workerVariables],
  ["Operator's commands", opsVariables],
  ['Tests', testVariables],
  ['Docker Compose', composeVariables],
];
