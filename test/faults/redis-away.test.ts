import { setTimeout as pause } from 'node:timers/promises';
import { openLibrary } from '../support/clients/books';
import { held } from '../support/run/held';
import { AWAY_MS, Outage, OUTAGE_TEST_MS } from '../support/faults/outage';
import { startRedis } from '../support/servers/private/redis';
import { newSecret, startServers } from '../support/service/processes';
import { withRedis } from '../support/servers/redis';
import { exportedSecret, targetAt } from '../support/service/target';

describe('Redis, which hangs under load, goes on, and is emptied', () => {
  it(
    'makes nothing fail and nothing wrong',
    async () => {
      const redis = await startRedis();
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
      const { bookInfoId } = await library.registered();
      /** A write, and every API shows it at once. */
      const expectFresh = async (totalStock: number) => {
        expect(
          (await library.manage('post', `/api/book-infos/${bookInfoId}/books`, { count: 1 }))
            .status,
        ).toBe(201);
        const shown = await library.readEverywhere(`/api/book-infos/${bookInfoId}`);
        expect(shown.map(({ body }) => body.totalStock)).toEqual(shown.map(() => totalStock));
      };
      await expectFresh(1);
      const outage = await Outage.begin(system);
      redis.child().freeze();
      const over = pause(AWAY_MS);
      await outage.moreCalls('while it hung');
      await expectFresh(2);
      await over;
      redis.child().thaw();
      await outage.moreCalls('after it went on');
      await expectFresh(3);
      await withRedis(redis.url, (client) => client.flushAll());
      await outage.moreCalls('after it was emptied');
      await expectFresh(4);
      await outage.expectNoHarm();
      await held(
        19,
        system.env,
        `hung for ${AWAY_MS / 1000} s under load, then was emptied`,
        'nothing failed; every write was seen at once at every API',
      );
    },
    OUTAGE_TEST_MS,
  );
});
