import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
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
  /** More of its options. */
  readonly options?: readonly string[];
  /** The folder of its files; by default a new one. */
  readonly folder?: string;
  readonly place?: Place;
}

/** MariaDB when it is installed, else MySQL. */
export async function startMysql({
  memory = '256M',
  options = [],
  folder: given,
  place = LOOPBACK,
}: MysqlOptions = {}): Promise<PrivateServer> {
  const program = findProgram('mariadbd', 'mysqld');
  if (!program) throw new Error('neither mariadbd nor mysqld is installed');
  const folder = given ?? (await temporaryFolder('mysql'));
  const data = join(folder, 'data');
  await mkdir(data);
  const common = [
    '--no-defaults',
    ...asRoot('--user=root'),
    `--datadir=${data}`,
    // A server that starts removes what it takes for left-overs there, also those of others.
    `--tmpdir=${await temporaryFolder('mysql-tmp')}`,
  ];
  await makeDataFolder(program, common);
  const [port = 0] = await freePorts(1);
  const password = randomBytes(12).toString('hex');
  // The root account of a new installation is bound to the socket or to a host name, so the tests
  // get an account of their own.
  const initFile = join(folder, 'init.sql');
  await writeFile(
    initFile,
    `CREATE USER IF NOT EXISTS 'test'@'%' IDENTIFIED BY '${password}';\nGRANT ALL PRIVILEGES ON *.* TO 'test'@'%' WITH GRANT OPTION;\n`,
  );
  const url = `mysql://test:${password}@${await place.reach(port)}/`;
  const args = [
    ...common,
    `--socket=${join(folder, 'socket')}`,
    `--pid-file=${join(folder, 'pid')}`,
    `--bind-address=${place.address}`,
    `--port=${port}`,
    '--skip-name-resolve',
    `--init-file=${initFile}`,
    `--log-bin=${join(data, 'binlog')}`,
    ...DURABLE,
    '--character-set-server=utf8mb4',
    `--innodb-buffer-pool-size=${memory}`,
    '--max-connections=500',
    ...options,
  ];
  const { through } = place;
  return startPrivate(url, { name: 'mysql', command: program, args, through }, async () => {
    const connection = await createConnection({ uri: url, connectTimeout: 2000 });
    await connection.end();
    return true;
  });
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
