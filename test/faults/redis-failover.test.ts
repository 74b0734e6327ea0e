import { setTimeout as pause } from 'node:timers/promises';
import { openLibrary } from '../support/clients/books';
import { held } from '../support/run/held';
import { LongestPause } from '../support/check/longest-pause';
import { Outage, OUTAGE_TEST_MS } from '../support/faults/outage';
import { startRedisCluster } from '../support/servers/private/redis-cluster';
import { startWatchedRedis } from '../support/servers/private/sentinels';
import { newSecret, startServers } from '../support/service/processes';
import { withRedis } from '../support/servers/redis';
import { exportedSecret, targetAt } from '../support/service/target';
import { waitUntil } from '../support/wait';

/** How long the replica receives nothing before the primary is killed, milliseconds. */
const BEHIND_MS = 3000;
const PROMOTED_MS = 60_000;
/** Titles whose newest versions the replica lacks. */
const TITLES = 20;

/** How many bytes of changes a server has sent or received. */
const offsetOf = async (url: string): Promise<number> => {
  const told = await withRedis(url, (client) => client.info('replication'));
  const role = /^role:master/m.test(told) ? 'master' : 'slave';
  return Number(new RegExp(`^${role}_repl_offset:(\\d+)`, 'm').exec(told)?.[1]);
};

describe.each([
  ['three Sentinels', startWatchedRedis],
  ['the other primaries of a cluster', startRedisCluster],
])('Redis fails over to a replica that lacks the newest versions, by %s', (by, start) => {
  it(
    'makes nothing fail, and every API shows every write',
    async () => {
      const redis = await start();
      const system = await startServers({
        apis: 2,
        workers: 2,
        env: { REDIS_URL: redis.url, JWT_SECRET: exportedSecret(newSecret) },
      });
      const library = await openLibrary(
        targetAt(
          'servers',
          system.apis.map(({ url }) => url),
        ),
      );
      const titles: number[] = [];
      for (let title = 0; title < TITLES; title += 1)
        titles.push((await library.registered()).bookInfoId);
      const addCopies = async () => {
        for (const bookInfoId of titles)
          expect(
            (await library.manage('post', `/api/book-infos/${bookInfoId}/books`, { count: 1 }))
              .status,
          ).toBe(201);
      };
      const expectShown = async (totalStock: number) => {
        for (const bookInfoId of titles) {
          const shown = await library.readEverywhere(`/api/book-infos/${bookInfoId}`);
          expect(shown.map(({ body }) => body.totalStock)).toEqual(shown.map(() => totalStock));
        }
      };
      await addCopies();
      // These views and their versions reach the replica, and nothing after them.
      await expectShown(1);
      const outage = await Outage.begin(system);
      const pauses = new LongestPause(() => outage.answered);
      redis.replica.child().freeze();
      // What was sent to a frozen process waits for it in its socket.
      await withRedis(redis.primary.url, (client) =>
        client.sendCommand(['CLIENT', 'KILL', 'TYPE', 'REPLICA']),
      );
      const behind = pause(BEHIND_MS);
      await addCopies();
      await expectShown(2);
      await behind;
      pauses.take();
      const written = await offsetOf(redis.primary.url);
      await redis.primary.kill();
      redis.replica.child().thaw();
      // Sentinels have a server that they promote close its connections.
      const received = await waitUntil('the replica tells its offset', PROMOTED_MS, () =>
        offsetOf(redis.replica.url),
      );
      expect(received).toBeLessThan(written);
      await expectShown(2);
      await waitUntil('the replica is promoted', PROMOTED_MS, async () =>
        /^role:master/m.test(
          await withRedis(redis.replica.url, (client) => client.info('replication')),
        ),
      );
      await waitUntil('programs use it', PROMOTED_MS, async () =>
        withRedis(redis.replica.url, async (client) =>
          /cmdstat_mget:/.test(await client.info('commandstats')),
        ),
      );
      await expectShown(2);
      await outage.moreCalls('after the failover');
      const longest = pauses.take();
      pauses.stop();
      await addCopies();
      await expectShown(3);
      await outage.expectNoHarm();
      await held(
        34,
        { ...system.env, REDIS_URL: redis.replica.url },
        `once under load: a replica that had received nothing for ${BEHIND_MS / 1000} s was promoted by ${by} after kill -9 of the primary`,
        `nothing failed; every API showed every write; no client was answered for at most ${longest} s`,
      );
    },
    OUTAGE_TEST_MS,
  );
});
