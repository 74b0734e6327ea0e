import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { serversOf } from '../../../shared/database/servers';
import { valuesOf, type Shown } from '../../../shared/database/server-state';
import { ok, warning, type Finding } from './finding';

/** How the servers of MySQL replicate, and what that costs: docs/operating/fail-over.md. */

const VARIABLES = `SHOW GLOBAL VARIABLES WHERE Variable_name IN ('group_replication_group_name',
  'group_replication_single_primary_mode', 'group_replication_consistency', 'wsrep_on',
  'rpl_semi_sync_master_enabled', 'rpl_semi_sync_source_enabled')`;
const STATUS = `SHOW GLOBAL STATUS WHERE Variable_name IN ('wsrep_cluster_size', 'Slaves_connected',
  'Rpl_semi_sync_master_status', 'Rpl_semi_sync_source_status',
  'Rpl_semi_sync_master_clients', 'Rpl_semi_sync_source_clients')`;
const MEMBERS = `SELECT COUNT(*) AS members, SUM(MEMBER_STATE = 'ONLINE') AS online
  FROM performance_schema.replication_group_members`;

type Values = Readonly<Record<string, string | undefined>>;
interface Members {
  readonly members: number;
  readonly online: string | number;
}

export async function examineTopology(database: Sequelize, url: string): Promise<Finding> {
  const select = <Row extends object>(sql: string) =>
    database.query<Row>(sql, { type: QueryTypes.SELECT });
  const values = valuesOf([...(await select<Shown>(VARIABLES)), ...(await select<Shown>(STATUS))]);
  if (values['group_replication_group_name'])
    return groupReplication(values, (await select<Members>(MEMBERS))[0]);
  return topologyOf(values, serversOf(url).length);
}

export function groupReplication(values: Values, counted: Members | undefined): Finding {
  const { members = 0, online = 0 } = counted ?? {};
  const found = `group replication, ${online} of ${members} members are online; a commit waits for most of them`;
  if (values['group_replication_single_primary_mode'] === 'OFF')
    return warning('topology', found, 'Set group_replication_single_primary_mode to ON.');
  if (values['group_replication_consistency'] === 'EVENTUAL')
    return warning(
      'topology',
      found,
      'Set group_replication_consistency to BEFORE_ON_PRIMARY_FAILOVER, or a new primary may show old rows.',
    );
  return Number(online) === members && members > 2
    ? ok('topology', found)
    : warning('topology', found, 'Bring three members online, so that one may be lost.');
}

/** @param servers how many the URL names. */
export function topologyOf(values: Values, servers: number): Finding {
  if (values['wsrep_on'] === 'ON')
    return ok(
      'topology',
      `Galera, ${values['wsrep_cluster_size'] ?? '?'} nodes; a commit waits until each has received it`,
    );
  const semi = values['Rpl_semi_sync_source_status'] ?? values['Rpl_semi_sync_master_status'];
  const clients = values['Rpl_semi_sync_source_clients'] ?? values['Rpl_semi_sync_master_clients'];
  if (semi === 'ON')
    return ok(
      'topology',
      `semi-synchronous replication to ${clients ?? '?'}; a commit waits until a replica has received it`,
    );
  const wanted = values['rpl_semi_sync_source_enabled'] ?? values['rpl_semi_sync_master_enabled'];
  if (wanted === 'ON' || servers > 1 || Number(values['Slaves_connected'] ?? 0) > 0)
    return warning(
      'topology',
      wanted === 'ON'
        ? 'semi-synchronous replication, which does not wait for a replica at present'
        : 'asynchronous replication',
      'The newest commits may be gone after a failover: docs/operating/fail-over.md.',
    );
  return ok('topology', 'one server; commands wait while it is unavailable');
}
