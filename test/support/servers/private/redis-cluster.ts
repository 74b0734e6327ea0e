import { waitUntil } from '../../wait';
import { withRedis } from '../redis';
import { startRedis } from './redis';
import type { PrivateServer } from './private-server';
import type { WatchedRedis } from './sentinels';

/** How long a node must be silent until the others count it as down, milliseconds. */
const DOWN_MS = 1000;
const JOINED_MS = 60_000;
const OPTIONS = ['--cluster-enabled', 'yes', '--cluster-node-timeout', String(DOWN_MS)];
/** The first and last slot of each primary. The middle one gets the slot of the hash tag. */
const SLOTS = [
  [0, 5460],
  [5461, 10_922],
  [10_923, 16_383],
] as const;
const TAGGED = 1;

const tell = (server: PrivateServer, ...command: (string | number)[]) =>
  withRedis(server.url, (client) => client.sendCommand<string>(command.map(String)));

/** A cluster of three primaries. The one that the service uses has a replica. */
export async function startRedisCluster(): Promise<WatchedRedis> {
  const replica = await startRedis(OPTIONS);
  const primaries = await Promise.all(SLOTS.map(() => startRedis(OPTIONS)));
  for (const [index, slots] of SLOTS.entries())
    await tell(primaries[index]!, 'CLUSTER', 'ADDSLOTSRANGE', ...slots);
  const primary = primaries[TAGGED]!;
  const all = [...primaries, replica];
  for (const [index, server] of all.entries())
    await tell(server, 'CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
  for (const server of all) {
    const { hostname, port } = new URL(server.url);
    await tell(primary, 'CLUSTER', 'MEET', hostname, port);
  }
  const everywhere = (what: string, sign: RegExp, ...command: string[]) =>
    waitUntil(what, JOINED_MS, async () => {
      const answers = await Promise.all(all.map((server) => tell(server, ...command)));
      return answers.every((answer) => sign.test(answer));
    });
  const known = new RegExp(`cluster_state:ok[^]*cluster_known_nodes:${all.length}\\b`);
  await everywhere('the nodes have met', known, 'CLUSTER', 'INFO');
  await tell(replica, 'CLUSTER', 'REPLICATE', await tell(primary, 'CLUSTER', 'MYID'));
  await everywhere('all know the replica', / (myself,)?slave /, 'CLUSTER', 'NODES');
  await waitUntil('the replica follows', JOINED_MS, async () =>
    /^master_link_status:up/m.test(await tell(replica, 'INFO', 'replication')),
  );
  const hosts = primaries.map(({ url }) => new URL(url).host).join();
  return { primary, replica, url: `redis+cluster://${hosts}` };
}
