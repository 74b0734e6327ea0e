import { randomBytes } from 'node:crypto';
import { createConnection } from 'mysql2/promise';
import { waitUntil } from '../../wait';
import { startMysql } from './mysql';
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
const TRIGGERS = '--log-bin-trust-function-creators=1';

export interface Side {
  readonly server: PrivateServer;
  readonly query: (sql: string) => Promise<Record<string, unknown>[]>;
}

export interface Pair {
  readonly sides: readonly [Side, Side];
  /** The URL of both, with a user who may not write to a server that is read-only. */
  readonly url: string;
  /** `follower` begins to follow `primary`. */
  follow(follower: Side, primary: Side): Promise<void>;
  /** Promotes the follower once it has applied everything that it received. */
  promote(follower: Side): Promise<void>;
}

async function startSide(id: number): Promise<Side> {
  const server = await startMysql({
    memory: '128M',
    options: [`--server-id=${id}`, '--log-slave-updates', '--read-only', TRIGGERS, ...SEMI_SYNC],
  });
  return {
    server,
    query: async (sql) => {
      const connection = await createConnection({ uri: server.url, connectTimeout: 5000 });
      const [rows] = await connection.query(sql).finally(() => connection.end());
      return rows as Record<string, unknown>[];
    },
  };
}

/** The first of the sides is the primary. */
export async function startPair(): Promise<Pair> {
  const sides = await Promise.all([startSide(1), startSide(2)]);
  const password = randomBytes(12).toString('hex');
  const [first, second] = sides;
  for (const { query } of sides) await query('RESET MASTER');
  await follow(second, first);
  await first.query('SET GLOBAL read_only = 0');
  for (const sql of [
    'CREATE DATABASE lendline CHARACTER SET utf8mb4',
    `CREATE USER lendline IDENTIFIED BY '${password}'`,
    'GRANT ALL ON lendline.* TO lendline',
  ])
    await first.query(sql);
  const hosts = sides.map(({ server }) => new URL(server.url).host).join();
  return { sides, url: `mysql://lendline:${password}@${hosts}/lendline`, follow, promote };
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
