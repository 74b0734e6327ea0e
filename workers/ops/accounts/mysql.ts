import Joi from 'joi';
import { mysqlUrl, readEnvironment } from '../../../shared/config';
import { connectDatabase } from '../../../shared/database/connect';
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
 * Makes the accounts, or gives those that are there the passwords and rights of now.
 * @param url of an administrator.
 */
export async function makeMysqlAccounts(url: string, accounts: MysqlAccounts): Promise<void> {
  const sql = filledIn('mysql/accounts.sql', { ...accounts });
  const server = Object.assign(new URL(url), { pathname: '/' });
  const admin = connectDatabase({ url: server.href, poolMax: 1, models: false });
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
      `Password that ${whose} signs in to MySQL with. It becomes part of a URL: take letters and ` +
        'digits.',
    );
/** What `accounts mysql` reads. */
export const mysqlAccountVariables = {
  MYSQL_URL: mysqlUrl().required(),
  MYSQL_MIGRATE_PASSWORD: password('migrate'),
  MYSQL_WORKER_PASSWORD: password('a worker'),
  MYSQL_API_PASSWORD: password('an API'),
};
type Variables = Readonly<Record<keyof typeof mysqlAccountVariables, string>>;

export const accountsMysql: OpsCommand = {
  summary: 'Create the accounts of migrate, workers and APIs on MySQL',
  options: {},
  notes: `MYSQL_URL is an administrator's, and names the database. The passwords are those in
MYSQL_MIGRATE_PASSWORD, MYSQL_WORKER_PASSWORD and MYSQL_API_PASSWORD. Running it again sets
passwords and rights anew. The rights: deploy/mysql/accounts.sql. The audit tells of it, once
migrate has made its table.`,
  async run() {
    const given = readEnvironment(Joi.object<Variables>(mysqlAccountVariables), process.env);
    const database = decodeURIComponent(new URL(given.MYSQL_URL).pathname.slice(1));
    if (!database) throw new OpsError('MYSQL_URL names no database: it must end in /<database>.');
    await makeMysqlAccounts(given.MYSQL_URL, {
      database,
      prefix: 'lendline',
      migratePassword: given.MYSQL_MIGRATE_PASSWORD,
      workerPassword: given.MYSQL_WORKER_PASSWORD,
      apiPassword: given.MYSQL_API_PASSWORD,
    });
    const accounts = ['lendline_migrate', 'lendline_worker', 'lendline_api'];
    await auditOnTheSide(
      { kind: 'servers', databaseUrl: given.MYSQL_URL },
      { action: 'ops.accounts.mysql', facts: { accounts, database } },
    );
    process.stdout.write(
      `lendline_migrate, lendline_worker and lendline_api may use ${database} at ${withoutSecrets(given.MYSQL_URL)}.\n`,
    );
    return 0;
  },
};
