import { setTimeout as pause } from 'node:timers/promises';
import { onCleanUp } from '../support/run/cleanup';
import { held } from '../support/run/held';
import { recordUntil, type Batch } from '../support/check/histories/batch';
import { checkHistories } from '../support/check/histories/check';
import { LongestPause } from '../support/check/longest-pause';
import { callManagement } from '../support/servers/management';
import { LONG, Outage, OUTAGE_TEST_MS } from '../support/faults/outage';
import { startRabbitmqCluster, type PrivateRabbitmq } from '../support/servers/private/rabbitmq';
import { newSecret, startServers, type System } from '../support/service/processes';
import { exportedSecret, targetAt, type Target } from '../support/service/target';
import { waitUntil } from '../support/wait';

const NODES = 3;
/** Few, for each is three processes on this machine. */
const PARTITIONS = 4;
/** Histories that are recorded at once, each of one title. */
const HISTORIES = 2;
/** How long no queue has a leader, milliseconds. */
const LEADERLESS_MS = 30_000;
/** At least so long no client is answered meanwhile, seconds. */
const LEADERLESS_PAUSE_S = 20;
/** How long the alarm rings once everybody knows of it, milliseconds. */
const ALARM_MS = 5000;
/** How long the cluster and the programs may take to notice a change, milliseconds. */
const NOTICED_MS = 120_000;
/** More than any disk has. */
const TOO_MUCH = '1000000GB';
const ENOUGH = '200MB';

/** Minutes for one test file: in the long form alone. */
const describeLong = LONG ? describe : describe.skip;

describeLong('three nodes of RabbitMQ under load', () => {
  let nodes: PrivateRabbitmq[];
  let system: System;
  let target: Target;
  let outage: Outage;
  let pauses: LongestPause;
  let recording: Promise<Batch[]>;
  let over = false;
  const tried = new Map<number, readonly [tried: string, what: string]>();

  beforeAll(async () => {
    nodes = await startRabbitmqCluster(NODES);
    system = await startServers({
      apis: 2,
      workers: 2,
      env: {
        COMMAND_PARTITIONS: String(PARTITIONS),
        RABBITMQ_URL: nodes.map(({ url }) => url).join(),
        RABBITMQ_MANAGEMENT_URL: nodes[0]?.managementUrl ?? '',
        JWT_SECRET: exportedSecret(newSecret),
      },
    });
    target = targetAt(
      'servers',
      system.apis.map(({ url }) => url),
    );
    outage = await Outage.begin(system);
    pauses = new LongestPause(() => outage.answered);
    onCleanUp(() => {
      over = true;
      pauses.stop();
      return Promise.resolve();
    });
    recording = recordUntil('broker-nodes', HISTORIES, target, () => over);
  }, 300_000);

  /** Every queue has all its members, so that it can do without one of them. */
  const complete = ({ managementUrl }: PrivateRabbitmq) =>
    waitUntil('every queue has all its members', NOTICED_MS, async () => {
      const queues = (await callManagement(managementUrl, 'GET', '/api/queues')) as {
        type: string;
        online?: readonly string[];
      }[];
      return queues
        .filter(({ type }) => type === 'quorum')
        .every(({ online = [] }) => online.length === NODES);
    });

  const readiness = () =>
    Promise.all(target.urls.map(async (url) => (await fetch(`${url}/readyz`)).status));

  it(
    'are restarted one after the other',
    async () => {
      const seen: string[] = [];
      for (const node of nodes) {
        await complete(node);
        pauses.take();
        await node.child().stop();
        await outage.moreCalls(`without node ${node.name}`);
        await node.start();
        await outage.moreCalls(`with node ${node.name} again`);
        seen.push(pauses.take());
      }
      tried.set(35, [
        `once each: ${seen.join(' s, ')} s`,
        'calls went on without each node; the times are the longest in which no client was answered',
      ]);
    },
    OUTAGE_TEST_MS,
  );

  it(
    'lose two nodes for half a minute, so that no queue has a leader',
    async () => {
      const [left, ...lost] = nodes as [PrivateRabbitmq, ...PrivateRabbitmq[]];
      await complete(left);
      pauses.take();
      await Promise.all(lost.map((node) => node.kill()));
      await pause(LEADERLESS_MS);
      await Promise.all(lost.map((node) => node.start()));
      await complete(left);
      await outage.moreCalls('with all nodes again');
      const longest = pauses.take();
      expect(Number(longest)).toBeGreaterThan(LEADERLESS_PAUSE_S);
      tried.set(36, [
        `once for ${LEADERLESS_MS / 1000} s, by kill -9 of two of three nodes`,
        `writes were refused meanwhile, and went on by themselves; no client was answered for at most ${longest} s`,
      ]);
    },
    OUTAGE_TEST_MS,
  );

  it(
    'raise an alarm, because the disk of one is full',
    async () => {
      const [, full] = nodes as [PrivateRabbitmq, PrivateRabbitmq];
      await complete(full);
      pauses.take();
      await full.control('set_disk_free_limit', TOO_MUCH);
      await waitUntil('every API knows of the alarm', NOTICED_MS, async () =>
        (await readiness()).every((status) => status === 503),
      );
      const [read, write] = await Promise.all([
        fetch(`${target.url}/api/book-infos?page=1&size=1`),
        fetch(`${target.url}/api/book-infos`, {
          method: 'POST',
          headers: { authorization: `Bearer ${target.admin}`, 'content-type': 'application/json' },
          body: JSON.stringify({ title: 'Refused', author: 'Fitzroy' }),
        }),
      ]);
      expect([read.status, write.status]).toEqual([200, 503]);
      await pause(ALARM_MS);
      await full.control('set_disk_free_limit', ENOUGH);
      await waitUntil('every API knows of its end', NOTICED_MS, async () =>
        (await readiness()).every((status) => status === 200),
      );
      await outage.moreCalls('after the alarm');
      tried.set(37, [
        'the alarm of one of three nodes, once',
        `writes were refused at once and reads served; no client was answered for at most ${pauses.take()} s`,
      ]);
    },
    OUTAGE_TEST_MS,
  );

  it(
    'no promised command was lost, doubled or overtaken',
    async () => {
      over = true;
      const batches = await recording;
      await outage.expectNoHarm();
      const { file, wrong, unknown } = await checkHistories('broker-nodes', batches);
      expect({ file, wrong }).toEqual({ file, wrong: [] });
      expect([...tried.keys()]).toEqual([35, 36, 37]);
      const histories = batches.length * HISTORIES;
      for (const [fault, [how, what]] of tried)
        await held(
          fault,
          system.env,
          how,
          `${what}; nothing promised lost, doubled or overtaken; a legal order of ${histories} histories through faults 35 to 37, ${unknown} operations without an answer`,
        );
    },
    OUTAGE_TEST_MS,
  );
});
