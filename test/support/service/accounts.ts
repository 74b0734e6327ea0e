import { randomBytes } from 'node:crypto';
import { askMysql } from '../servers/ask-mysql';
import { makeMysqlAccounts } from '../../../workers/ops/accounts/mysql';
import { makeRabbitmqAccounts } from '../../../workers/ops/accounts/rabbitmq';
import { onCleanUp } from '../run/cleanup';
import { exportedServers } from '../servers/fresh';
import { callManagement } from '../servers/management';

/** The servers of a system under test, as one of its programs reaches them. */
export interface Urls {
  readonly MYSQL_URL: string;
  readonly RABBITMQ_URL: string;
}

export interface Accounts {
  readonly migrate: Urls;
  readonly worker: Urls;
  readonly api: Urls;
  /** Grants the rights once more: a migration may have made tables. */
  readonly renew: () => Promise<void>;
}

const newPassword = () => randomBytes(12).toString('hex');

function withUser(url: string, username: string, password: string): string {
  return Object.assign(new URL(url), { username, password }).href;
}

/**
 * Returns the accounts of `deploy/` for a database and a virtual host: what an account may not do
 * fails the test that does it.
 */
export async function makeAccounts(urls: Urls): Promise<Accounts> {
  const prefix = `t${randomBytes(5).toString('hex')}`;
  const [migratePassword, workerPassword, apiPassword] = [
    newPassword(),
    newPassword(),
    newPassword(),
  ];
  const database = new URL(urls.MYSQL_URL).pathname.slice(1);
  const vhost = decodeURIComponent(new URL(urls.RABBITMQ_URL).pathname.slice(1));
  onCleanUp(() => removeAccounts(prefix));
  const renew = async () => {
    await makeMysqlAccounts(urls.MYSQL_URL, {
      database,
      prefix,
      migratePassword,
      workerPassword,
      apiPassword,
    });
  };
  await renew();
  const { rabbitmqManagementUrl } = exportedServers();
  await makeRabbitmqAccounts(rabbitmqManagementUrl, {
    vhost,
    prefix,
    workerPassword,
    apiPassword,
    monitorPassword: newPassword(),
  });
  const reached = (role: string, password: string): Urls => ({
    MYSQL_URL: withUser(urls.MYSQL_URL, `${prefix}_${role}`, password),
    RABBITMQ_URL: withUser(urls.RABBITMQ_URL, `${prefix}-${role}`, password),
  });
  return {
    migrate: reached('migrate', migratePassword),
    worker: reached('worker', workerPassword),
    api: reached('api', apiPassword),
    renew,
  };
}

async function removeAccounts(prefix: string): Promise<void> {
  const { mysqlUrl, rabbitmqManagementUrl } = exportedServers();
  const names = ['migrate', 'worker', 'api'].map((role) => `'${prefix}_${role}'@'%'`);
  await askMysql(mysqlUrl, `DROP USER IF EXISTS ${names.join(', ')}`);
  const users = ['api', 'worker', 'monitor'].map((role) => `${prefix}-${role}`);
  await callManagement(rabbitmqManagementUrl, 'POST', '/api/users/bulk-delete', { users });
}
