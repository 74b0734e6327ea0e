import Joi from 'joi';
import { mysqlUrls, readEnvironment } from '../../../shared/config';
import { connectDatabase } from '../../../shared/database/connect';
import { databaseIn, withoutDatabase } from '../../../shared/database/servers';
import { withoutSecrets } from '../../../shared/shown-url';
import { auditOnTheSide } from '../audited';
import { OpsError, type OpsCommand } from '../command';
import { filledIn } from './template';

/** Names and passwords of the programs' accounts on MySQL. */
export interface MysqlAccounts {
  readonly database: string;
  /** What the accounts' names begin with. */
  readonly prefix: string;
  readonly migratePassword: string;
  readonly workerPassword: string;
  readonly apiPassword: string;
}

/**
 * Creates the accounts. Existing ones get the present passwords and rights.
 * @param url of an administrator.
 */
export async function makeMysqlAccounts(url: string, accounts: MysqlAccounts): Promise<void> {
  const sql = filledIn('mysql/accounts.sql', { ...accounts });
  const admin = connectDatabase({ url: withoutDatabase(url), poolMax: 1, models: false });
  try {
    for (const statement of sql.replaceAll(/^--.*$/gm, '').split(';')) {
      if (statement.trim()) await admin.query(statement);
    }
  } finally {
    await admin.close();
  }
}

const password = (whose: string) =>
  Joi.string()
    .min(12)
    .max(128)
    .required()
    .description(
      `Password with which ${whose} signs in to MySQL. It becomes part of a URL: use letters and ` +
        'digits.',
    );
/** What `accounts mysql` reads. */
export const mysqlAccountVariables = {
  MYSQL_URL: mysqlUrls().required(),
  MYSQL_MIGRATE_PASSWORD: password('migrate'),
  MYSQL_WORKER_PASSWORD: password('a worker'),
  MYSQL_API_PASSWORD: password('an API'),
};
type Variables = Readonly<Record<keyof typeof mysqlAccountVariables, string>>;

export const accountsMysql: OpsCommand = {
  summary: 'Create the accounts of migrate, workers and APIs on MySQL',
  options: { json: { help: 'print the accounts and their database as JSON' } },
  notes: `MYSQL_URL names an administrator and the database. The passwords come from MYSQL_MIGRATE_PASSWORD,
MYSQL_WORKER_PASSWORD and MYSQL_API_PASSWORD. Run it again to set new passwords and rights. The
rights: deploy/mysql/accounts.sql. The audit records it, once migrate has created its table.`,
  async run(given) {
    const settings = readEnvironment(Joi.object<Variables>(mysqlAccountVariables), process.env);
    const database = databaseIn(settings.MYSQL_URL);
    if (!database) throw new OpsError('MYSQL_URL names no database: it must end in /<database>.');
    await makeMysqlAccounts(settings.MYSQL_URL, {
      database,
      prefix: 'lendline',
      migratePassword: settings.MYSQL_MIGRATE_PASSWORD,
      workerPassword: settings.MYSQL_WORKER_PASSWORD,
      apiPassword: settings.MYSQL_API_PASSWORD,
    });
    const accounts = ['lendline_migrate', 'lendline_worker', 'lendline_api'];
    await auditOnTheSide(
      { kind: 'servers', databaseUrl: settings.MYSQL_URL },
      { action: 'ops.accounts.mysql', facts: { accounts, database } },
    );
    const text = `lendline_migrate, lendline_worker and lendline_api may use ${database} at ${withoutSecrets(settings.MYSQL_URL)}.`;
    const json = JSON.stringify({ accounts, database });
    process.stdout.write(`${given.flag('json') ? json : text}\n`);
    return 0;
  },
};
