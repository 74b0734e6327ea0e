import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../service/child';
import { temporaryFolder } from '../../run/cleanup';
import { waitUntil } from '../../wait';
import { freePorts } from '../ports';
import { startMysql, type MoreOptions } from './mysql';
import { makeWritable, startSide, TRIGGERS, type Pair, type Side } from './mysql-pair';
import { START_MS } from './private-server';

/** A Galera cluster of three MariaDB nodes; all start read-only. */

const PROVIDER = '/usr/lib/galera/libgalera_smm.so';
const NODES = 3;
/** How long a node may take to apply what it received, milliseconds. */
const CAUGHT_UP_MS = 60_000;

/** A stopped server without tables, as a member of a cluster that has written nothing yet. */
async function seed(): Promise<{ url: string; folder: string }> {
  const folder = await temporaryFolder('galera');
  const server = await startMysql({ folder, memory: '64M' });
  await server.kill();
  await writeFile(
    join(folder, 'data', 'grastate.dat'),
    `# GALERA saved state\nversion: 2.1\nuuid: ${randomUUID()}\nseqno: 0\nsafe_to_bootstrap: 1\n`,
  );
  return { url: server.url, folder };
}

/** Finds out what a killed node has applied. Without that, it would ask for a whole copy. */
async function startPosition(program: string, args: readonly string[]): Promise<string[]> {
  const said = await run(
    {
      name: 'wsrep-recover',
      command: 'sh',
      args: ['-c', '"$@" 2>&1', 'sh', program, ...args, '--wsrep-recover'],
    },
    START_MS,
  );
  const [, position] = /Recovered position: (\S+:\d+)/.exec(said) ?? [];
  return position ? [`--wsrep-start-position=${position}`] : [];
}

/** Returns the options of the nodes, in order. The first one begins the cluster once. */
async function nodeOptions({ username, password }: URL): Promise<MoreOptions[]> {
  const ports = await freePorts(2 * NODES);
  const addresses = ports.slice(0, NODES).map((port) => `127.0.0.1:${port}`);
  return addresses.map((address, index) => {
    const galera = [
      '--wsrep-on=ON',
      `--wsrep-provider=${PROVIDER}`,
      `--wsrep-cluster-address=gcomm://${addresses.join()}`,
      `--wsrep-node-address=${address}`,
      `--wsrep-provider-options=gmcast.listen_addr=tcp://${address};ist.recv_addr=127.0.0.1:${ports[NODES + index]}`,
      // Only to hand over what is missing; no node asks for a whole copy.
      '--wsrep-sst-method=mysqldump',
      `--wsrep-sst-auth=${username}:${password}`,
      '--innodb-autoinc-lock-mode=2',
      '--read-only',
      TRIGGERS,
    ];
    const begins = index === 0 ? ['--wsrep-new-cluster'] : [];
    let isNew = true;
    return async (program, args) => {
      const more = isNew ? begins : await startPosition(program, [...args, ...galera]);
      isNew = false;
      const port = args.find((arg) => arg.startsWith('--port='))?.slice('--port='.length);
      return [...galera, `--wsrep-sst-receive-address=127.0.0.1:${port}`, ...more];
    };
  });
}

async function follow(follower: Side): Promise<void> {
  await follower.query('SET GLOBAL read_only = 1');
}

async function promote(follower: Side): Promise<void> {
  await waitUntil('the node has applied everything', CAUGHT_UP_MS, async () => {
    const [queue] = await follower.query("SHOW STATUS LIKE 'wsrep_local_recv_queue'");
    return queue?.['Value'] === '0';
  });
  await follower.query('SET GLOBAL read_only = 0');
}

/** The first of the sides is the primary; a third node makes the majority. */
export async function startGalera(): Promise<Pair> {
  const copyOf = await seed();
  const nodes: Side[] = [];
  // One after the other, because a node cannot hand over to two.
  for (const options of await nodeOptions(new URL(copyOf.url)))
    nodes.push(await startSide({ copyOf, options }));
  const [first, second] = nodes as [Side, Side];
  return { sides: [first, second], url: await makeWritable(first, nodes), follow, promote };
}
