import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { askMysql } from '../support/servers/ask-mysql';
import { recordUntil, type Batch } from '../support/check/histories/batch';
import { checkHistories } from '../support/check/histories/check';
import { LongestPause } from '../support/check/longest-pause';
import { drawnSplits, type Hosts, type Plan } from '../support/faults/drawn-splits';
import { makeNetwork, type Network } from '../support/faults/network';
import { LONG, Outage, OUTAGE_TEST_MS } from '../support/faults/outage';
import { onCleanUp } from '../support/run/cleanup';
import { held } from '../support/run/held';
import { startMysql } from '../support/servers/private/mysql';
import { startRabbitmqCluster } from '../support/servers/private/rabbitmq';
import { startRedis } from '../support/servers/private/redis';
import { ROOT } from '../support/service/child';
import { newSecret, startServers, type System } from '../support/service/processes';
import { exportedSecret, targetAt, type Target } from '../support/service/target';
import { waitUntil } from '../support/wait';

const APIS = ['api-1', 'api-2'];
const WORKERS = ['worker-1', 'worker-2'];
const BROKERS = ['broker-1', 'broker-2', 'broker-3'];
const HOSTS: Hosts = {
  programs: [...APIS, ...WORKERS],
  servers: [...BROKERS, 'mysql', 'redis'],
  brokers: BROKERS,
};
/** In the long form, the longest outlast every lease and heartbeat, and the broker's own. */
const PLAN: Plan = LONG
  ? { count: 50, hosts: HOSTS, usualS: { min: 1, max: 15 }, longS: { min: 16, max: 25 } }
  : { count: 3, hosts: HOSTS, usualS: { min: 1, max: 5 }, longS: { min: 6, max: 12 } };
/** The same seed draws the same splits. */
const SEED = Number(process.env.FAULTS_SEED ?? randomInt(2 ** 31));
const PARTITIONS = 4;
/** Histories that are recorded at once, each of one title. */
const HISTORIES = 2;
/** How soon everybody must be well again after a split, milliseconds. */
const HEALED_MS = 120_000;
/**
 * Nodes of RabbitMQ that are in the minority wait for the others, and notice after about this long,
 * seconds.
 */
const CLUSTER = ['cluster_partition_handling = pause_minority', 'net_ticktime = 8'];

describe(`a network that is split ${PLAN.count} times under load, drawn from seed ${SEED}`, () => {
  let network: Network;
  let system: System;
  let target: Target;
  let recording: Promise<Batch[]>;
  let over = false;

  async function startAll(): Promise<System> {
    const [mysql, redis, nodes] = await Promise.all([
      startMysql({ place: network.host('mysql') }),
      startRedis([], network.host('redis')),
      startRabbitmqCluster(
        BROKERS.length,
        CLUSTER,
        BROKERS.map((name) => network.host(name)),
      ),
    ]);
    await askMysql(mysql.url, 'CREATE DATABASE lendline CHARACTER SET utf8mb4');
    return startServers({
      apis: 0,
      workers: 0,
      env: {
        COMMAND_PARTITIONS: String(PARTITIONS),
        MYSQL_URL: `${mysql.url}lendline`,
        REDIS_URL: redis.url,
        RABBITMQ_URL: nodes.map(({ url }) => url).join(),
        RABBITMQ_MANAGEMENT_URL: nodes[0]?.managementUrl ?? '',
        JWT_SECRET: exportedSecret(newSecret),
      },
    });
  }

  beforeAll(async () => {
    network = await makeNetwork([...HOSTS.programs, ...HOSTS.servers]);
    system = await startAll();
    const env = Object.fromEntries(
      Object.entries(system.env).map(([name, value]) => [name, network.inside(value)]),
    );
    await Promise.all([
      ...WORKERS.map((name) => system.addWorker(env, ROOT, network.host(name))),
      ...APIS.map((name) => system.addApi(env, ROOT, network.host(name))),
    ]);
    target = targetAt(
      'servers',
      system.apis.map(({ url }) => url),
    );
  }, 300_000);

  const everybodyIsWell = () =>
    waitUntil('every API is ready', HEALED_MS, async () => {
      const answers = await Promise.all(target.urls.map((url) => fetch(`${url}/readyz`)));
      return answers.every(({ ok }) => ok);
    });

  it(
    'loses, doubles and overtakes nothing, and every history has a legal order',
    async () => {
      const outage = await Outage.begin(system);
      const pauses = new LongestPause(() => outage.answered);
      onCleanUp(() => {
        over = true;
        pauses.stop();
        return network.split();
      });
      recording = recordUntil('network-splits', HISTORIES, target, () => over);
      const longest: number[] = [];
      let effective = 0;
      for (const [index, { walls, lengthS, named }] of drawnSplits(SEED, PLAN).entries()) {
        process.stderr.write(`Split ${index + 1} of seed ${SEED}: ${named}\n`);
        pauses.take();
        await network.split(...walls);
        await pause(lengthS * 1000);
        const dropped = await network.dropped();
        effective += dropped > 0 ? 1 : 0;
        await network.split();
        const healed = performance.now();
        await outage.moreCalls(`after the split ${named}`);
        await everybodyIsWell();
        const took = ((performance.now() - healed) / 1000).toFixed(1);
        longest.push(Number(pauses.take()));
        process.stderr.write(
          `${dropped} packets dropped; well ${took} s after the split, longest pause ${longest.at(-1)} s\n`,
        );
      }
      over = true;
      const batches = await recording;
      await outage.expectNoHarm();
      const { file, wrong, unknown } = await checkHistories('network-splits', batches);
      expect({ file, wrong }).toEqual({ file, wrong: [] });
      // Two that talk to each other need not be connected: a program uses one node.
      expect(effective).toBeGreaterThan(PLAN.count / 2);
      await held(
        39,
        system.env,
        `${PLAN.count} splits drawn from seed ${SEED}, in network namespaces, ${effective} of which dropped packets, with three nodes of RabbitMQ (pause_minority)`,
        `nothing promised lost, doubled or overtaken, no dead letter, no 5xx but 503; a legal order of ${batches.length * HISTORIES} histories, ${unknown} operations without an answer; no client was answered for at most ${Math.max(...longest)} s`,
      );
    },
    PLAN.count * (OUTAGE_TEST_MS / 8) + OUTAGE_TEST_MS,
  );
});
