import { groupReplication, topologyOf } from '../../../workers/ops/doctor/topology';

it.each([
  [{}, 1, 'ok', /one server/],
  [{}, 2, 'warning', /^asynchronous/],
  [{ Slaves_connected: '1' }, 1, 'warning', /^asynchronous/],
  [
    { rpl_semi_sync_source_enabled: 'ON', Rpl_semi_sync_source_status: 'OFF' },
    2,
    'warning',
    /does not wait/,
  ],
  [
    { Rpl_semi_sync_master_status: 'ON', Rpl_semi_sync_master_clients: '1' },
    2,
    'ok',
    /^semi-synchronous replication to 1/,
  ],
  [{ wsrep_on: 'ON', wsrep_cluster_size: '3' }, 3, 'ok', /^Galera, 3 nodes/],
])('the topology of %j at %i servers', (values, servers, state, found) => {
  const finding = topologyOf(values, servers);
  expect(finding.state).toBe(state);
  expect(finding.found).toMatch(found);
});

it.each([
  [{ group_replication_single_primary_mode: 'OFF' }, 3, 'warning'],
  [{ group_replication_consistency: 'EVENTUAL' }, 3, 'warning'],
  [{ group_replication_consistency: 'BEFORE_ON_PRIMARY_FAILOVER' }, 2, 'warning'],
  [{ group_replication_consistency: 'BEFORE_ON_PRIMARY_FAILOVER' }, 3, 'ok'],
])('a group with %j of which %i of 3 are online', (values, online, state) => {
  expect(groupReplication(values, { members: 3, online }).state).toBe(state);
});
