import { randomBytes } from 'node:crypto';
import { askMysql } from '../ask-mysql';
import type { Row } from '../rows';
import { waitUntil } from '../../wait';
import { startMysql, type MysqlOptions } from './mysql';
import type { PrivateServer } from './private-server';

/** Two MariaDB servers, of which one follows the other; both start read-only. */

/** How long the follower may take to have everything, milliseconds. */
const CAUGHT_UP_MS = 60_000;
/** A commit is answered when the follower has received it. */
const SEMI_SYNC = [
  '--rpl-semi-sync-master-enabled=ON',
  '--rpl-semi-sync-master-wait-point=AFTER_SYNC',
  '--rpl-semi-sync-master-timeout=600000',
  // A new primary has no follower for a while.
  '--rpl-semi-sync-master-wait-no-slave=OFF',
  '--rpl-semi-sync-slave-enabled=ON',
];
/** The checks of the tests make triggers, with a user who is no administrator. */
export const TRIGGERS = '--log-bin-trust-function-creators=1';

const FOLLOWS = ['--log-slave-updates', '--read-only', TRIGGERS, ...SEMI_SYNC];

export interface Side {
  readonly server: PrivateServer;
  readonly query: (sql: string) => Promise<Row[]>;
}

export interface Pair {
  readonly sides: readonly [Side, Side];
  /** The URL of all servers, with a user who may not write to a server that is read-only. */
  readonly url: string;
  /** `follower` begins to follow `primary`. */
  follow(follower: Side, primary: Side): Promise<void>;
  /** Promotes the follower once it has applied everything that it received. */
  promote(follower: Side): Promise<void>;
}

export async function startSide(options: MysqlOptions): Promise<Side> {
  const server = await startMysql({ memory: '128M', ...options });
  return {
    server,
    query: (sql) => askMysql(server.url, sql, { connectTimeout: 5000 }),
  };
}

/** The first of the sides is the primary. */
export async function startPair(): Promise<Pair> {
  const [first, second] = await Promise.all([
    startSide({ options: ['--server-id=1', ...FOLLOWS] }),
    startSide({ options: ['--server-id=2', ...FOLLOWS] }),
  ]);
  const sides = [first, second] as const;
  for (const { query } of sides) await query('RESET MASTER');
  await follow(second, first);
  return { sides, url: await makeWritable(first, sides), follow, promote };
}

/**
 * Makes the first of the sides writable, and a database with its user.
 * @returns the URL of all sides with that user.
 */
export async function makeWritable(first: Side, all: readonly Side[]): Promise<string> {
  const password = randomBytes(12).toString('hex');
  for (const sql of [
    'SET GLOBAL read_only = 0',
    'CREATE DATABASE lendline CHARACTER SET utf8mb4',
    `CREATE USER lendline IDENTIFIED BY '${password}'`,
    'GRANT ALL ON lendline.* TO lendline',
  ])
    await first.query(sql);
  const hosts = all.map(({ server }) => new URL(server.url).host).join();
  return `mysql://lendline:${password}@${hosts}/lendline`;
}

async function follow(follower: Side, primary: Side): Promise<void> {
  const { hostname, port, username, password } = new URL(primary.server.url);
  await follower.query('SET GLOBAL read_only = 1');
  await follower.query(
    `CHANGE MASTER TO MASTER_HOST = '${hostname}', MASTER_PORT = ${port}, MASTER_USER = '${username}',
       MASTER_PASSWORD = '${password}', MASTER_CONNECT_RETRY = 1, MASTER_USE_GTID = current_pos`,
  );
  await follower.query('START SLAVE');
  await waitUntil('the follower receives', CAUGHT_UP_MS, async () => {
    const [status] = await follower.query('SHOW SLAVE STATUS');
    if (status?.['Last_IO_Error'] || status?.['Last_SQL_Error'])
      throw new Error(String(status['Last_IO_Error'] || status['Last_SQL_Error']));
    return status?.['Slave_IO_Running'] === 'Yes' && status['Slave_SQL_Running'] === 'Yes';
  });
  await waitUntil('the follower keeps up', CAUGHT_UP_MS, async () => {
    const [status] = await primary.query("SHOW STATUS LIKE 'Rpl_semi_sync_master_status'");
    return status?.['Value'] === 'ON';
  });
}

async function promote(follower: Side): Promise<void> {
  await follower.query('STOP SLAVE IO_THREAD');
  await waitUntil('the follower has applied everything', CAUGHT_UP_MS, async () => {
    const [status] = await follower.query('SHOW SLAVE STATUS');
    return (
      status?.['Read_Master_Log_Pos'] === status?.['Exec_Master_Log_Pos'] &&
      status?.['Master_Log_File'] === status?.['Relay_Master_Log_File']
    );
  });
  await follower.query('STOP SLAVE');
  await follower.query('RESET SLAVE ALL');
  await follower.query('SET GLOBAL read_only = 0');
}
