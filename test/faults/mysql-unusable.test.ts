import { askMysql } from '../support/servers/ask-mysql';
import { makeMysqlAccounts } from '../../workers/ops/accounts/mysql';
import { held } from '../support/run/held';
import { plainPost, sendPosts, type Sent } from '../support/clients/large-posts';
import { Outage } from '../support/faults/outage';
import { runOps } from '../support/service/ops-program';
import { freePorts } from '../support/servers/ports';
import { startMysql } from '../support/servers/private/mysql';
import type { PrivateServer } from '../support/servers/private/private-server';
import { startServers, type Environment, type System } from '../support/service/processes';
import { smallDisk, type SmallDisk } from '../support/servers/small-disk';
import { waitUntil } from '../support/wait';

/** MySQL is reached and answers, but cannot be used: nothing of that is any command's fault. */

/** How long it stays so, milliseconds. */
const WRONG_MS = 5000;
const NOTICED_MS = 60_000;
/** How often a supervisor looks whether MySQL runs, milliseconds. */
const SUPERVISED_MS = 500;
const DISK_MB = 400;
/** Large ones, with which also a disk that is full is noticed at once. */
const POSTS = 8;
/** Small, for the disk is; MariaDB and MySQL have different names for it. */
const REDO_LOG = ['--loose-innodb-log-file-size=32M', '--loose-innodb-redo-log-capacity=32M'];
const PREFIX = 'lendline';
const PASSWORD = 'password-of-the-tests';

interface Wrong {
  readonly name: string;
  readonly begin: () => Promise<unknown>;
  readonly end: () => Promise<unknown>;
  /** What readiness says of it. */
  readonly reason: RegExp;
}

describe('MySQL cannot be used under load', () => {
  let disk: SmallDisk;
  let system: System;
  let server: PrivateServer;
  let healthUrls: readonly string[];
  let readOnly: string;
  let supervisor: NodeJS.Timeout;

  beforeAll(async () => {
    disk = await smallDisk(DISK_MB);
    server = await startMysql({ folder: disk.folder, memory: '64M', options: REDO_LOG });
    const own = (username: string, password: string) =>
      Object.assign(new URL(server.url), { pathname: '/lendline', username, password }).href;
    const accounts = { migratePassword: PASSWORD, workerPassword: PASSWORD, apiPassword: PASSWORD };
    await makeMysqlAccounts(server.url, { database: 'lendline', prefix: PREFIX, ...accounts });
    system = await startServers({
      apis: 0,
      workers: 0,
      env: { MYSQL_URL: Object.assign(new URL(server.url), { pathname: '/lendline' }).href },
    });
    const ports = await freePorts(2);
    for (const port of ports)
      await system.addWorker({
        MYSQL_URL: own(`${PREFIX}_worker`, PASSWORD),
        WORKER_METRICS_PORT: String(port),
      });
    for (let api = 0; api < 2; api += 1)
      await system.addApi({ MYSQL_URL: own(`${PREFIX}_api`, PASSWORD) });
    healthUrls = ports.map((port) => `http://127.0.0.1:${port}`);
    const [row] = await query('SELECT VERSION() AS version');
    readOnly = String(row?.version).includes('MariaDB') ? 'read_only' : 'super_read_only';
  }, 180_000);

  afterAll(() => {
    clearInterval(supervisor);
  });

  const query = (sql: string) => askMysql(server.url, sql);

  /**
   * MariaDB ends itself when it cannot roll back for want of space, perhaps only some seconds after
   * there is space again; a supervisor starts it again.
   */
  async function freeDisk(): Promise<void> {
    await disk.free();
    let starting = false;
    supervisor = setInterval(() => {
      if (starting || server.child().running) return;
      starting = true;
      const started = server.start().catch(() => undefined);
      void started.finally(() => {
        starting = false;
      });
    }, SUPERVISED_MS);
  }

  /** A right on a whole schema is looked up when a connection begins. */
  async function endConnections(): Promise<void> {
    const rows = await query(
      `SELECT id AS id FROM information_schema.processlist WHERE user LIKE '${PREFIX}%'`,
    );
    for (const { id } of rows) await query(`KILL ${String(id)}`).catch(() => undefined);
  }

  const wrongs = (): readonly Wrong[] => [
    {
      name: 'a table is renamed',
      begin: () => query('RENAME TABLE lendline.book_user TO lendline.book_user_away'),
      end: () => query('RENAME TABLE lendline.book_user_away TO lendline.book_user'),
      reason: /book_user/,
    },
    {
      name: 'a right is revoked',
      begin: async () => {
        await query(`REVOKE UPDATE ON lendline.* FROM '${PREFIX}_worker'@'%'`);
        await endConnections();
      },
      end: async () => {
        await query(`GRANT UPDATE ON lendline.* TO '${PREFIX}_worker'@'%'`);
        await endConnections();
      },
      reason: /denied/,
    },
    {
      name: `${readOnly} is on`,
      begin: () => query(`SET GLOBAL ${readOnly} = 1`),
      end: () => query('SET GLOBAL read_only = 0'),
      reason: /read.only/,
    },
    { name: 'its disk is full', begin: () => disk.fill(), end: freeDisk, reason: /./ },
  ];

  const readiness = async (url: string) => (await fetch(`${url}/readyz`)).text();
  const stalled = async (url: string) =>
    /^lendline_commands_stalled 1$/m.test(await (await fetch(`${url}/metrics`)).text());

  async function expectReported({ name, reason }: Wrong, env: Environment): Promise<void> {
    await waitUntil(
      `a worker says that it is stalled, and why, when ${name}`,
      NOTICED_MS,
      async () => {
        const told: string[] = [];
        for (const url of healthUrls) {
          const text = await readiness(url);
          told.push(text);
          if (/^not ready: /.test(text) && reason.test(text) && (await stalled(url))) return true;
        }
        throw new Error(`${told.join('; ')}; MySQL runs: ${String(server.child().running)}`);
      },
    );
    // A worker that cannot write its heartbeat is missed only when that is some seconds old.
    await waitUntil('the doctor finds a fault', NOTICED_MS, async () => {
      const { code, output } = await runOps(env, 'doctor');
      return code === 1 && /^fault +(commands|tables|writes|workers|MySQL) /m.test(output);
    });
  }

  it('dead-letters no command, loses none, says why commands wait, and recovers without help', async () => {
    const outage = await Outage.begin(system);
    const pauses: string[] = [];
    const posts: Promise<Sent>[] = [];
    for (const wrong of wrongs()) {
      const { name, begin, end } = wrong;
      await begin();
      // Without a key an API asks MySQL nothing, so that workers have commands also when it refuses
      // the storm's.
      posts.push(sendPosts(system.apis[0]?.url ?? '', POSTS, plainPost, POSTS));
      const until = Date.now() + WRONG_MS;
      await expectReported(wrong, system.env);
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, until - Date.now())));
      await end();
      const endedAt = Date.now();
      await outage.moreCalls(`after ${name}`);
      await waitUntil('workers are ready again', NOTICED_MS, async () =>
        (await Promise.all(healthUrls.map(readiness))).every((text) => text === 'ready\n'),
      );
      pauses.push(`${name} (${((Date.now() - endedAt) / 1000).toFixed(1)} s)`);
    }
    for (const sent of await Promise.all(posts))
      expect(sent).toEqual({ taken: POSTS, violations: [] });
    await outage.expectNoHarm();
    await held(
      23,
      system.env,
      `for ${WRONG_MS / 1000} s or longer each, under load: ${pauses.join(', ')}`,
      'no dead letter, nothing promised lost, readiness, metric and doctor said why, clients were answered again after the times in brackets',
    );
  }, 600_000);
});
