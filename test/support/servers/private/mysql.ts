import { randomBytes } from 'node:crypto';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { askMysql } from '../ask-mysql';
import { run } from '../../service/child';
import { temporaryFolder } from '../../run/cleanup';
import { freePorts } from '../ports';
import { asRoot, findProgram } from './programs';
import { LOOPBACK, type Place } from './place';
import { START_MS, startPrivate, type PrivateServer } from './private-server';

/**
 * Every commit is on the disk before it is answered, as in production: tests that kill a server
 * rely on it.
 */
const DURABLE = [
  '--innodb-flush-log-at-trx-commit=1',
  '--sync-binlog=1',
  '--server-id=1',
  '--binlog-format=ROW',
];

export const mysqlInstalled = (): boolean => findProgram('mariadbd', 'mysqld') !== null;

export interface MysqlOptions {
  /** Its memory for tables, in MySQL's notation of sizes. */
  readonly memory?: string;
  /**
   * More of its options. A function is called before each start, with the program and its other
   * options.
   */
  readonly options?: readonly string[] | MoreOptions;
  /** The folder of its files; by default a new one. */
  readonly folder?: string;
  /** A server that has ended, and of whose files and accounts it gets a copy. */
  readonly copyOf?: { readonly url: string; readonly folder: string };
  readonly place?: Place;
}

export type MoreOptions = (program: string, args: readonly string[]) => Promise<readonly string[]>;

/** MariaDB when it is installed, else MySQL. */
export async function startMysql({
  memory = '256M',
  options = [],
  folder: given,
  copyOf,
  place = LOOPBACK,
}: MysqlOptions = {}): Promise<PrivateServer> {
  const program = findProgram('mariadbd', 'mysqld');
  if (!program) throw new Error('neither mariadbd nor mysqld is installed');
  const folder = given ?? (await temporaryFolder('mysql'));
  const data = join(folder, 'data');
  const common = [
    '--no-defaults',
    ...asRoot('--user=root'),
    `--datadir=${data}`,
    // A server that starts removes what it takes for left-overs there, also those of others.
    `--tmpdir=${await temporaryFolder('mysql-tmp')}`,
  ];
  const [port = 0] = await freePorts(1);
  const url = new URL(`mysql://${await place.reach(port)}/`);
  if (copyOf) {
    const { username, password } = new URL(copyOf.url);
    Object.assign(url, { username, password });
    await cp(join(copyOf.folder, 'data'), data, { recursive: true });
  } else {
    Object.assign(url, { username: 'test', password: randomBytes(12).toString('hex') });
    await mkdir(data);
    await makeDataFolder(program, common);
  }
  const args = [
    ...common,
    `--socket=${join(folder, 'socket')}`,
    `--pid-file=${join(folder, 'pid')}`,
    `--bind-address=${place.address}`,
    `--port=${port}`,
    '--skip-name-resolve',
    ...(copyOf ? [] : [`--init-file=${await accountFile(folder, url.password)}`]),
    `--log-bin=${join(data, 'binlog')}`,
    ...DURABLE,
    '--character-set-server=utf8mb4',
    `--innodb-buffer-pool-size=${memory}`,
    '--max-connections=500',
  ];
  const more = typeof options === 'function' ? options : () => Promise.resolve(options);
  const { through } = place;
  return startPrivate(
    url.href,
    async () => ({
      name: 'mysql',
      command: program,
      args: [...args, ...(await more(program, args))],
      through,
    }),
    async () => {
      // A node that has not joined its cluster yet takes connections, and refuses to read tables.
      await askMysql(url.href, 'SELECT COUNT(*) FROM mysql.user', { connectTimeout: 2000 });
      return true;
    },
  );
}

/**
 * Writes a file that makes an account of the tests: the root account of a new installation is bound
 * to the socket or to a host name.
 */
async function accountFile(folder: string, password: string): Promise<string> {
  const file = join(folder, 'init.sql');
  await writeFile(
    file,
    `CREATE USER IF NOT EXISTS 'test'@'%' IDENTIFIED BY '${password}';\nGRANT ALL PRIVILEGES ON *.* TO 'test'@'%' WITH GRANT OPTION;\n`,
  );
  return file;
}

async function makeDataFolder(program: string, common: readonly string[]): Promise<void> {
  const version = await run({ name: program, command: program, args: ['--version'] }, START_MS);
  if (!version.includes('MariaDB')) {
    await run(
      { name: 'mysqld --initialize', command: program, args: [...common, '--initialize-insecure'] },
      START_MS,
    );
    return;
  }
  const installer = findProgram('mariadb-install-db', 'mysql_install_db');
  if (!installer) throw new Error('mariadbd is installed, but mariadb-install-db is not');
  const args = [
    ...common,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    '--skip-name-resolve',
  ];
  await run({ name: 'mariadb-install-db', command: installer, args }, START_MS);
}
