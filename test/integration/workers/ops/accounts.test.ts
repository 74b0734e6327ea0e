import amqp from 'amqplib';
import { askMysql } from '../../../support/servers/ask-mysql';
import { migratedDatabase } from '../../../support/servers/database';
import { freshVirtualHost } from '../../../support/servers/fresh';
import { makeAccounts, type Accounts } from '../../../support/service/accounts';
import { OpsShell } from '../../../support/service/ops-shell';
import { startMysql } from '../../../support/servers/private/mysql';
import { startRabbitmq } from '../../../support/servers/private/rabbitmq';
import { startServers } from '../../../support/service/processes';
import { Clients } from '../../../support/clients/clients';

/**
 * The accounts of `deploy/`. Every other test on servers runs with them, so what is missing fails
 * there.
 */

const PASSWORD = 'a-password-of-24-letters';

describe('an account', () => {
  let accounts: Accounts;
  beforeAll(async () => {
    accounts = await makeAccounts({
      MYSQL_URL: await migratedDatabase('mysql'),
      RABBITMQ_URL: await freshVirtualHost(),
    });
  });

  const onBroker = async (url: string, work: (channel: amqp.Channel) => Promise<unknown>) => {
    const connection = await amqp.connect(url);
    connection.on('error', () => undefined);
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    try {
      await work(channel);
    } finally {
      await connection.close().catch(() => undefined);
    }
  };

  it.each(['api', 'worker'] as const)('of the %s changes no table', async (role) => {
    const denied = { code: 'ER_TABLEACCESS_DENIED_ERROR' };
    await expect(
      askMysql(accounts[role].MYSQL_URL, 'CREATE TABLE extra (id INT)'),
    ).rejects.toMatchObject(denied);
    await expect(askMysql(accounts[role].MYSQL_URL, 'DROP TABLE book_info')).rejects.toMatchObject(
      denied,
    );
    await expect(
      askMysql(accounts[role].MYSQL_URL, 'ALTER TABLE book_info ADD extra INT'),
    ).rejects.toMatchObject(denied);
  });

  it('of the API writes nothing that the services keep', async () => {
    for (const table of [
      'user',
      'book_info',
      'book',
      'book_user',
      'posts',
      'courses',
      'command_outcome',
      'outbox',
      'audit',
    ]) {
      const deletion = askMysql(accounts.api.MYSQL_URL, `DELETE FROM \`${table}\``);
      await expect(deletion).rejects.toMatchObject({ code: 'ER_TABLEACCESS_DENIED_ERROR' });
    }
    const change = askMysql(accounts.api.MYSQL_URL, "UPDATE audit SET action = ''");
    await expect(change).rejects.toMatchObject({ code: 'ER_TABLEACCESS_DENIED_ERROR' });
    await expect(
      askMysql(accounts.api.MYSQL_URL, 'UPDATE setting SET value = 1'),
    ).rejects.toMatchObject({ code: 'ER_TABLEACCESS_DENIED_ERROR' });
  });

  it('of the API publishes no events and takes no dead letters', async () => {
    await onBroker(accounts.worker.RABBITMQ_URL, async (channel) => {
      await channel.assertExchange('domain-events', 'topic', { durable: true });
      await channel.assertQueue('lending.commands.dead', {
        durable: true,
        arguments: { 'x-queue-type': 'quorum' },
      });
    });
    const refused = { code: 403 };
    const consume = onBroker(accounts.api.RABBITMQ_URL, (channel) =>
      channel.consume('lending.commands.dead', () => undefined),
    );
    await expect(consume).rejects.toMatchObject(refused);
    const publish = onBroker(
      accounts.api.RABBITMQ_URL,
      (channel) =>
        new Promise((_, reject) => {
          channel.once('error', reject);
          channel.publish('domain-events', 'lending.borrow.created', Buffer.from('{}'));
        }),
    );
    await expect(publish).rejects.toMatchObject(refused);
  });

  it.each(['api', 'worker'] as const)(
    'of the %s makes no queue of another application',
    async (role) => {
      const declare = onBroker(accounts[role].RABBITMQ_URL, (channel) =>
        channel.assertQueue('somebody-elses'),
      );
      await expect(declare).rejects.toMatchObject({ code: 403 });
    },
  );

  it('of the worker reads no replies', async () => {
    const declare = onBroker(accounts.worker.RABBITMQ_URL, (channel) =>
      channel.assertQueue('replies.some-api'),
    );
    await expect(declare).rejects.toMatchObject({ code: 403 });
  });
});

describe('ops accounts', () => {
  const shell = new OpsShell();

  it('names every variable that is missing', async () => {
    const mysql = await shell.runIn({}, 'accounts', 'mysql');
    expect([mysql.code, mysql.output]).toEqual([
      1,
      expect.stringMatching(
        /MYSQL_URL.*MYSQL_MIGRATE_PASSWORD.*MYSQL_WORKER_PASSWORD.*MYSQL_API_PASSWORD/,
      ),
    ]);
    const rabbitmq = await shell.runIn({}, 'accounts', 'rabbitmq');
    expect([rabbitmq.code, rabbitmq.output]).toEqual([
      1,
      expect.stringMatching(/RABBITMQ_MANAGEMENT_URL.*RABBITMQ_WORKER_PASSWORD/),
    ]);
  });

  it('refuses a password that would end its place in SQL', async () => {
    const password = "quoted' OR '1";
    const env = {
      MYSQL_URL: 'mysql://root@127.0.0.1:9/lendline',
      MYSQL_MIGRATE_PASSWORD: password,
      MYSQL_WORKER_PASSWORD: PASSWORD,
      MYSQL_API_PASSWORD: PASSWORD,
    };
    expect(await shell.runIn(env, 'accounts', 'mysql')).toMatchObject({
      code: 1,
      output: expect.stringContaining('migratePassword') as string,
    });
  });

  it('makes accounts that a new installation runs with, and can be run again', async () => {
    const [mysql, rabbitmq] = await Promise.all([startMysql(), startRabbitmq()]);
    const MYSQL_URL = Object.assign(new URL(mysql.url), { pathname: '/lendline' }).href;
    const passwords = {
      ...{
        MYSQL_MIGRATE_PASSWORD: PASSWORD,
        MYSQL_WORKER_PASSWORD: PASSWORD,
        MYSQL_API_PASSWORD: PASSWORD,
      },
      ...{
        RABBITMQ_WORKER_PASSWORD: PASSWORD,
        RABBITMQ_API_PASSWORD: PASSWORD,
        RABBITMQ_MONITOR_PASSWORD: PASSWORD,
      },
    };
    const admin = { ...passwords, MYSQL_URL, RABBITMQ_MANAGEMENT_URL: rabbitmq.managementUrl };
    for (let times = 0; times < 2; times += 1) {
      expect((await shell.runIn(admin, 'accounts', 'mysql')).code).toBe(0);
      expect((await shell.runIn(admin, 'accounts', 'rabbitmq')).code).toBe(0);
    }
    const as = (mysqlUser: string, rabbitmqUser: string) => ({
      MYSQL_URL: Object.assign(new URL(MYSQL_URL), { username: mysqlUser, password: PASSWORD })
        .href,
      RABBITMQ_URL: Object.assign(new URL(rabbitmq.url), {
        username: rabbitmqUser,
        password: PASSWORD,
      }).href,
    });
    expect((await shell.runIn(as('lendline_migrate', 'guest'), 'migrate')).code).toBe(0);
    // The first runs came before the table was there.
    await shell.runIn(admin, 'accounts', 'mysql');
    expect((await shell.runIn(admin, 'accounts', 'rabbitmq')).output).toContain(
      '"action":"ops.accounts.rabbitmq"',
    );
    const entries = await askMysql(
      MYSQL_URL,
      "SELECT action, details FROM audit WHERE action LIKE 'ops.accounts.%' ORDER BY id",
    );
    expect(entries).toMatchObject([
      { action: 'ops.accounts.mysql' },
      { action: 'ops.accounts.rabbitmq' },
    ]);
    expect(JSON.stringify(entries)).not.toContain(PASSWORD);
    const system = await startServers({
      apis: 0,
      workers: 0,
      env: { MYSQL_URL, RABBITMQ_URL: rabbitmq.url },
    });
    await system.addWorker(as('lendline_worker', 'lendline-worker'));
    const api = await system.addApi(as('lendline_api', 'lendline-api'));
    const clients = new Clients(api.url, system.env.JWT_SECRET ?? '');
    expect(await clients.ending(await clients.borrow(await clients.newTitle(1)))).toBe('succeeded');
  });
});
