import Joi from 'joi';
import { mysqlUrl, readEnvironment } from '../../../shared/config';
import { auditOnTheSide, logOperation } from '../audited';
import { OpsError, type OpsCommand } from '../command';
import { filledIn } from './template';

/** How long the management API may take to answer, milliseconds. */
const ANSWER_MS = 30_000;

/** Names and passwords of the programs' accounts on RabbitMQ. */
export interface RabbitmqAccounts {
  readonly vhost: string;
  /** What the accounts' names begin with. */
  readonly prefix: string;
  readonly workerPassword: string;
  readonly apiPassword: string;
  readonly monitorPassword: string;
}

/**
 * Creates the accounts. Existing ones get the present passwords and rights.
 * @param managementUrl of an administrator: `http://user:password@host:15672`.
 * @throws OpsError when the management API does not answer, or refuses.
 */
export async function makeRabbitmqAccounts(
  managementUrl: string,
  accounts: RabbitmqAccounts,
): Promise<void> {
  const { origin, username, password } = new URL(managementUrl);
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const answer = await fetch(`${origin}/api/definitions`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      'content-type': 'application/json',
      // The broker closes a connection that is idle, perhaps when it is used again.
      connection: 'close',
    },
    body: filledIn('rabbitmq/definitions.json', { ...accounts }),
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch((error: unknown) => {
    throw new OpsError(
      `The management API at ${origin} (RABBITMQ_MANAGEMENT_URL) does not answer: ${(error as Error).message}.`,
    );
  });
  if (!answer.ok)
    throw new OpsError(
      `The management API at ${origin} refused the accounts: ${answer.status} ${await answer.text()}`,
    );
}

const password = (whose: string) =>
  Joi.string()
    .min(12)
    .max(128)
    .required()
    .description(
      `Password with which ${whose} signs in to RabbitMQ. It becomes part of a URL: use letters and ` +
        'digits.',
    );
/** What `accounts rabbitmq` reads. */
export const rabbitmqAccountVariables = {
  RABBITMQ_MANAGEMENT_URL: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .required()
    .description(
      'Management API of the broker, as an administrator: http://user:password@host:15672.',
    ),
  RABBITMQ_VHOST: Joi.string().default('/').description('Virtual host that the accounts may use.'),
  MYSQL_URL: mysqlUrl(),
  RABBITMQ_WORKER_PASSWORD: password('a worker'),
  RABBITMQ_API_PASSWORD: password('an API'),
  RABBITMQ_MONITOR_PASSWORD: password('an operator (lendline-monitor, who may only watch)'),
};
type Variables = Readonly<
  Record<Exclude<keyof typeof rabbitmqAccountVariables, 'MYSQL_URL'>, string>
> & { readonly MYSQL_URL?: string };

export const accountsRabbitmq: OpsCommand = {
  summary: 'Create the accounts of workers, APIs and monitoring on RabbitMQ',
  options: { json: { help: 'print the accounts and their virtual host as JSON' } },
  notes: `RABBITMQ_MANAGEMENT_URL names an administrator. RABBITMQ_VHOST names the virtual host, / by default.
The passwords come from RABBITMQ_WORKER_PASSWORD, RABBITMQ_API_PASSWORD and RABBITMQ_MONITOR_PASSWORD.
Run it again to set new passwords and rights. The rights: deploy/rabbitmq/definitions.json. The
audit records it where MYSQL_URL is set.`,
  async run(given) {
    const settings = readEnvironment(Joi.object<Variables>(rabbitmqAccountVariables), process.env);
    await makeRabbitmqAccounts(settings.RABBITMQ_MANAGEMENT_URL, {
      vhost: settings.RABBITMQ_VHOST,
      prefix: 'lendline',
      workerPassword: settings.RABBITMQ_WORKER_PASSWORD,
      apiPassword: settings.RABBITMQ_API_PASSWORD,
      monitorPassword: settings.RABBITMQ_MONITOR_PASSWORD,
    });
    const accounts = ['lendline-worker', 'lendline-api', 'lendline-monitor'];
    const operation = {
      action: 'ops.accounts.rabbitmq',
      facts: { accounts, vhost: settings.RABBITMQ_VHOST },
    };
    if (settings.MYSQL_URL)
      await auditOnTheSide({ kind: 'servers', databaseUrl: settings.MYSQL_URL }, operation);
    else logOperation(operation);
    const text = `lendline-worker and lendline-api may use the virtual host ${settings.RABBITMQ_VHOST}; lendline-monitor may watch.`;
    const json = JSON.stringify({ accounts, vhost: settings.RABBITMQ_VHOST });
    process.stdout.write(`${given.flag('json') ? json : text}\n`);
    return 0;
  },
};
