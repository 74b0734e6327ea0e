import { setTimeout as pause } from 'node:timers/promises';
import { addEvents, addEventsWithLock, eventFaults, ownerOf } from '../support/check/event-check';
import { openEventQueue } from '../support/clients/event-queue';
import { startRabbitmq } from '../support/servers/private/rabbitmq';
import { startServers, type System } from '../support/service/processes';
import {
  audit,
  disagreements,
  prepareStorm,
  type PreparedStorm,
} from '../support/check/storm-check';
import { waitUntil } from '../support/wait';

/**
 * Nobody who listens to events may miss one, or see those of one title in another order, whatever
 * is killed meanwhile.
 */

const KILLS = 5;
/** Calls answered between two kills, so that there are always events under way. */
const CALLS_BETWEEN_KILLS = 100;
/** Events that are being published when something is killed. */
const BACKLOG = 4000;
const WAIT_MS = 60_000;
/** Pause between two changes of a title's attributes, milliseconds. */
const RENAME_PAUSE_MS = 50;

const RELAY = 'outbox-relay';

/**
 * A storm of borrows and returns, and somebody who renames the titles all the while, each of which
 * makes a version.
 */
async function startStorm(system: System): Promise<PreparedStorm & { stop(): Promise<void> }> {
  const urls = () => system.apis.map((api) => api.url);
  const prepared = await prepareStorm(urls()[0] ?? '', system.env.JWT_SECRET ?? '', urls);
  const headers = { authorization: `Bearer ${prepared.admin}`, 'content-type': 'application/json' };
  let stopped = false;
  const rename = async () => {
    for (let count = 0; !stopped; count += 1) {
      const path = `/api/book-infos/${prepared.titles[count % prepared.titles.length] ?? 0}`;
      // Whether it was carried out does not matter here.
      await fetch(`${urls()[0] ?? ''}${path}`, {
        method: 'PATCH',
        headers,
        body: JSON.stringify({ title: `Name ${count}` }),
      }).catch(() => undefined);
      await pause(RENAME_PAUSE_MS);
    }
  };
  prepared.storm.start();
  const renaming = rename();
  const stop = async () => {
    stopped = true;
    await Promise.all([renaming, prepared.storm.stop()]);
  };
  return { ...prepared, stop };
}

const calls = ({ storm }: PreparedStorm, what: string) => {
  const until = storm.answered + CALLS_BETWEEN_KILLS;
  return waitUntil(`${CALLS_BETWEEN_KILLS} calls ${what}`, WAIT_MS, () => storm.answered >= until);
};

it('kill -9 of the worker that relays, five times in a row, loses no event and changes no order', async () => {
  const system = await startServers({ apis: 1, workers: 2 });
  const queue = await openEventQueue(system.env.RABBITMQ_URL ?? '');
  const mysqlUrl = system.env.MYSQL_URL ?? '';
  const storm = await startStorm(system);
  for (let kill = 0; kill < KILLS; kill += 1) {
    await calls(storm, `before kill ${kill}`);
    // Whoever relays dies in the worst moment: what it has published is not marked, and what comes
    // after it is not published.
    const { late, letGo } = await addEventsWithLock(mysqlUrl, BACKLOG);
    await waitUntil('it has published', WAIT_MS, () =>
      queue.all.some(({ eventId }) => eventId === late),
    );
    const relaying = await waitUntil('somebody relays', WAIT_MS, async () => {
      const owner = await ownerOf(mysqlUrl, RELAY);
      return owner === ''
        ? undefined
        : system.workers.find(({ child }) => child.running && child.output.includes(owner));
    });
    await relaying.kill();
    await letGo();
    await system.addWorker();
  }
  await storm.stop();
  expect(await eventFaults(mysqlUrl, queue)).toEqual([]);
  expect(await disagreements(storm, system.apis[0]?.url ?? '')).toEqual([]);
  await audit(system.env, storm);
  expect(queue.all.length - queue.firsts().length).toBeGreaterThanOrEqual(KILLS);
}, 300_000);

it('kill -9 of the broker, which is then started again, loses no event and changes no order', async () => {
  const broker = await startRabbitmq();
  const system = await startServers({
    apis: 1,
    workers: 2,
    env: { RABBITMQ_URL: broker.url, RABBITMQ_MANAGEMENT_URL: broker.managementUrl },
  });
  const queue = await openEventQueue(broker.url);
  const mysqlUrl = system.env.MYSQL_URL ?? '';
  const storm = await startStorm(system);
  for (let kill = 0; kill < 2; kill += 1) {
    await calls(storm, `before kill ${kill}`);
    // It dies in the middle of many.
    const before = queue.all.length;
    await addEvents(mysqlUrl, BACKLOG);
    await waitUntil('many are published', WAIT_MS, () => queue.all.length > before + BACKLOG / 10);
    await broker.kill();
    await broker.start();
    await calls(storm, `after kill ${kill}`);
  }
  await storm.stop();
  expect(await eventFaults(mysqlUrl, queue)).toEqual([]);
  await audit(system.env, storm);
}, 300_000);
