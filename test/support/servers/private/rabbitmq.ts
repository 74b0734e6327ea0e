import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Child, run } from '../../service/child';
import { temporaryFolder } from '../../run/cleanup';
import { callManagement } from '../management';
import { freePorts, listening } from '../ports';
import { findProgram } from './programs';
import { START_MS, startPrivate, type PrivateServer } from './private-server';

export interface PrivateRabbitmq extends PrivateServer {
  /** Its name in the cluster. */
  readonly name: string;
  readonly managementUrl: string;
  /** Runs `rabbitmqctl` for this node. */
  control(...args: string[]): Promise<void>;
}

/**
 * How long a command of `rabbitmqctl`, which starts an Erlang of its own, may take, milliseconds.
 */
const CONTROL_MS = 60_000;

interface Ports {
  readonly amqp: number;
  readonly management: number;
  readonly distribution: number;
  readonly epmd: number;
}

/**
 * The wrappers that Debian puts on the PATH change to the user `rabbitmq` and drop the environment,
 * so the scripts themselves come first.
 */
const findRabbitmq = (): string | null =>
  findProgram('/usr/lib/rabbitmq/bin/rabbitmq-server', 'rabbitmq-server');

export const rabbitmqInstalled = (): boolean =>
  findRabbitmq() !== null && findProgram('epmd') !== null;

/** `lines`: more of its configuration. */
export async function startRabbitmq(lines: readonly string[] = []): Promise<PrivateRabbitmq> {
  const [node] = await startRabbitmqCluster(1, lines);
  if (!node) throw new Error('no node was started');
  return node;
}

/**
 * Nodes that know each other from the start and share the leaders of their queues among them.
 * Resolves when all have met.
 */
export async function startRabbitmqCluster(
  size: number,
  lines: readonly string[] = [],
): Promise<PrivateRabbitmq[]> {
  const command = findRabbitmq();
  const epmd = findProgram('epmd');
  if (!command || !epmd) throw new Error('rabbitmq-server is not installed');
  const [epmdPort = 0, ...ports] = await freePorts(1 + 3 * size);
  // Erlang would start its port mapper as a daemon that outlives the broker; started here, it is
  // stopped like everything else.
  const mapper = new Child({
    name: 'epmd',
    command: epmd,
    args: ['-port', String(epmdPort), '-address', '127.0.0.1'],
  });
  await mapper.until('listens', START_MS, () => listening(epmdPort));
  const cookie = randomBytes(16).toString('hex');
  const members = Array.from({ length: size }, (_, index): Ports => {
    const [amqp = 0, management = 0, distribution = 0] = ports.slice(3 * index);
    return { amqp, management, distribution, epmd: epmdPort };
  });
  return Promise.all(members.map((own) => startNode(command, own, { members, cookie, lines })));
}

interface Cluster {
  readonly members: readonly Ports[];
  readonly cookie: string;
  /** More configuration of each node. */
  readonly lines: readonly string[];
}

async function startNode(
  command: string,
  ports: Ports,
  cluster: Cluster,
): Promise<PrivateRabbitmq> {
  const folder = await temporaryFolder('rabbitmq');
  await writeConfiguration(folder, ports, cluster);
  const managementUrl = `http://guest:guest@127.0.0.1:${ports.management}`;
  const env = environment(folder, ports);
  const name = nodeName(ports);
  const server = await startPrivate(
    `amqp://guest:guest@127.0.0.1:${ports.amqp}`,
    { name, command, env },
    async () => {
      const nodes = (await callManagement(managementUrl, 'GET', '/api/nodes')) as {
        running: boolean;
      }[];
      return (
        nodes.filter(({ running }) => running).length === cluster.members.length &&
        (await listening(ports.amqp))
      );
    },
  );
  const control = async (...args: string[]) => {
    await run(
      { name: 'rabbitmqctl', command: join(dirname(command), 'rabbitmqctl'), args, env },
      CONTROL_MS,
    );
  };
  return { ...server, name, managementUrl, control };
}

const nodeName = ({ amqp }: Ports): string => `test${amqp}@localhost`;

function clusterLines({ members }: Cluster): string[] {
  if (members.length === 1) return [];
  const names = members.map(
    (ports, index) => `cluster_formation.classic_config.nodes.${index + 1} = ${nodeName(ports)}`,
  );
  return [
    'cluster_formation.peer_discovery_backend = classic_config',
    ...names,
    'queue_leader_locator = balanced',
  ];
}

async function writeConfiguration(folder: string, ports: Ports, cluster: Cluster): Promise<void> {
  await Promise.all(['mnesia', 'log', 'generated'].map((name) => mkdir(join(folder, name))));
  const files: Record<string, string> = {
    'rabbitmq-env.conf': '',
    'advanced.config': '[].\n',
    enabled_plugins: '[rabbitmq_management].\n',
    'rabbitmq.conf': `${[
      `listeners.tcp.1 = 127.0.0.1:${ports.amqp}`,
      'management.tcp.ip = 127.0.0.1',
      `management.tcp.port = ${ports.management}`,
      'disk_free_limit.absolute = 200MB',
      ...clusterLines(cluster),
      ...cluster.lines,
    ].join('\n')}\n`,
  };
  await Promise.all(
    Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)),
  );
  // Erlang refuses a cookie that others may read.
  await writeFile(join(folder, '.erlang.cookie'), cluster.cookie, { mode: 0o400 });
}

/**
 * Every path, port and name of the node, so that nothing is shared with a broker that the machine
 * runs already.
 */
function environment(folder: string, ports: Ports): Record<string, string> {
  const at = (name: string) => join(folder, name);
  const loopbackOnly = '-kernel inet_dist_use_interface {127,0,0,1}';
  return {
    HOME: folder,
    LANG: 'C.UTF-8',
    RABBITMQ_NODENAME: nodeName(ports),
    RABBITMQ_MNESIA_BASE: at('mnesia'),
    RABBITMQ_LOG_BASE: at('log'),
    RABBITMQ_CONFIG_FILE: at('rabbitmq.conf'),
    RABBITMQ_ADVANCED_CONFIG_FILE: at('advanced.config'),
    RABBITMQ_GENERATED_CONFIG_DIR: at('generated'),
    RABBITMQ_CONF_ENV_FILE: at('rabbitmq-env.conf'),
    RABBITMQ_ENABLED_PLUGINS_FILE: at('enabled_plugins'),
    RABBITMQ_PID_FILE: at('pid'),
    RABBITMQ_DIST_PORT: String(ports.distribution),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: loopbackOnly,
    ERL_EPMD_PORT: String(ports.epmd),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    // The start script then becomes the broker instead of keeping a shell in front of it that turns
    // signals into commands.
    RUNNING_UNDER_SYSTEMD: 'true',
  };
}
