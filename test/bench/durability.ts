import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';

/** What databases say about the durability that subjects were measured with. */

export async function ofMysql(database: Sequelize): Promise<string> {
  const [row] = await database.query<{ version: string; flush: number; sync: number }>(
    'SELECT VERSION() AS version, @@innodb_flush_log_at_trx_commit AS flush, @@sync_binlog AS sync',
    { type: QueryTypes.SELECT },
  );
  return `MySQL ${row?.version ?? ''}: innodb_flush_log_at_trx_commit=${row?.flush ?? ''}, sync_binlog=${row?.sync ?? ''}; commands persistent in quorum queues, confirmed.`;
}

export async function ofPostgres(database: Sequelize): Promise<string> {
  const [row] = await database.query<{ version: string; fsync: string; commit: string }>(
    `SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync,
       current_setting('synchronous_commit') AS commit`,
    { type: QueryTypes.SELECT },
  );
  return `PostgreSQL ${row?.version ?? ''}: fsync=${row?.fsync ?? ''}, synchronous_commit=${row?.commit ?? ''}.`;
}
