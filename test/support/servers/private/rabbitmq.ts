import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import amqp from 'amqplib';
import { Child, run } from '../../service/child';
import { temporaryFolder } from '../../run/cleanup';
import { callManagement } from '../management';
import { freePorts, mapperAnswers } from '../ports';
import { findProgram } from './programs';
import { LOOPBACK, type Place } from './place';
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
const CONNECT_MS = 5000;

interface Member {
  readonly place: Place;
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
 * Resolves when all have met. `places`: where each of them runs.
 */
export async function startRabbitmqCluster(
  size: number,
  lines: readonly string[] = [],
  places: readonly Place[] = [],
): Promise<PrivateRabbitmq[]> {
  const command = findRabbitmq();
  const epmd = findProgram('epmd');
  if (!command || !epmd) throw new Error('rabbitmq-server is not installed');
  const [epmdPort = 0, ...ports] = await freePorts(1 + 3 * size);
  const members = Array.from({ length: size }, (_, index): Member => {
    const [amqp = 0, management = 0, distribution = 0] = ports.slice(3 * index);
    return { place: places[index] ?? LOOPBACK, amqp, management, distribution, epmd: epmdPort };
  });
  await Promise.all(
    [...new Set(members.map(({ place }) => place))].map((place) =>
      startMapper(epmd, epmdPort, place),
    ),
  );
  const cookie = randomBytes(16).toString('hex');
  return Promise.all(members.map((own) => startNode(command, own, { members, cookie, lines })));
}

/**
 * Erlang would start its port mapper as a daemon that outlives the broker; started here, it is
 * stopped like everything else.
 */
async function startMapper(command: string, port: number, place: Place): Promise<void> {
  const mapper = new Child({
    name: 'epmd',
    command,
    args: ['-port', String(port), '-address', place.address],
    through: place.through,
  });
  const reached = await place.reach(port);
  await mapper.until('answers', START_MS, () => mapperAnswers(reached));
}

interface Cluster {
  readonly members: readonly Member[];
  readonly cookie: string;
  /** More configuration of each node. */
  readonly lines: readonly string[];
}

async function startNode(command: string, own: Member, cluster: Cluster): Promise<PrivateRabbitmq> {
  const folder = await temporaryFolder('rabbitmq');
  await writeConfiguration(folder, own, cluster);
  const { place } = own;
  const managementUrl = `http://guest:guest@${await place.reach(own.management)}`;
  const url = `amqp://guest:guest@${await place.reach(own.amqp)}`;
  const env = environment(folder, own);
  const name = nodeName(own);
  const server = await startPrivate(
    url,
    { name, command, env, through: place.through },
    async () => {
      const nodes = (await callManagement(managementUrl, 'GET', '/api/nodes')) as {
        running: boolean;
      }[];
      if (nodes.filter(({ running }) => running).length < cluster.members.length) return false;
      await (await amqp.connect(url, { timeout: CONNECT_MS })).close();
      return true;
    },
  );
  const control = async (...args: string[]) => {
    const program = join(dirname(command), 'rabbitmqctl');
    await run(
      { name: 'rabbitmqctl', command: program, args, env, through: place.through },
      CONTROL_MS,
    );
  };
  return { ...server, name, managementUrl, control };
}

const hostOf = ({ place }: Member): string => (place === LOOPBACK ? 'localhost' : place.address);

const nodeName = (own: Member): string => `test${own.amqp}@${hostOf(own)}`;

function clusterLines({ members }: Cluster): string[] {
  if (members.length === 1) return [];
  const names = members.map(
    (own, index) => `cluster_formation.classic_config.nodes.${index + 1} = ${nodeName(own)}`,
  );
  return [
    'cluster_formation.peer_discovery_backend = classic_config',
    ...names,
    'queue_leader_locator = balanced',
  ];
}

async function writeConfiguration(folder: string, own: Member, cluster: Cluster): Promise<void> {
  await Promise.all(['mnesia', 'log', 'generated'].map((name) => mkdir(join(folder, name))));
  const files: Record<string, string> = {
    'rabbitmq-env.conf': '',
    'advanced.config': '[].\n',
    enabled_plugins: '[rabbitmq_management].\n',
    'rabbitmq.conf': `${[
      `listeners.tcp.1 = ${own.place.address}:${own.amqp}`,
      `management.tcp.ip = ${own.place.address}`,
      `management.tcp.port = ${own.management}`,
      // Guests come from other hosts as well.
      ...(own.place === LOOPBACK ? [] : ['loopback_users = none']),
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
function environment(folder: string, own: Member): Record<string, string> {
  const at = (name: string) => join(folder, name);
  const { address } = own.place;
  const addressOnly = `-kernel inet_dist_use_interface {${address.replaceAll('.', ',')}}`;
  return {
    HOME: folder,
    LANG: 'C.UTF-8',
    RABBITMQ_NODENAME: nodeName(own),
    // A name with an address in it is a long one.
    ...(own.place !== LOOPBACK && { RABBITMQ_USE_LONGNAME: 'true' }),
    RABBITMQ_MNESIA_BASE: at('mnesia'),
    RABBITMQ_LOG_BASE: at('log'),
    RABBITMQ_CONFIG_FILE: at('rabbitmq.conf'),
    RABBITMQ_ADVANCED_CONFIG_FILE: at('advanced.config'),
    RABBITMQ_GENERATED_CONFIG_DIR: at('generated'),
    RABBITMQ_CONF_ENV_FILE: at('rabbitmq-env.conf'),
    RABBITMQ_ENABLED_PLUGINS_FILE: at('enabled_plugins'),
    RABBITMQ_PID_FILE: at('pid'),
    RABBITMQ_DIST_PORT: String(own.distribution),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: addressOnly,
    ERL_EPMD_PORT: String(own.epmd),
    ERL_EPMD_ADDRESS: address,
    // The start script then becomes the broker instead of keeping a shell in front of it that turns
    // signals into commands.
    RUNNING_UNDER_SYSTEMD: 'true',
  };
}
