import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { openLibrary, type Library } from '../support/clients/books';
import { expectProblem } from '../support/clients/problems';
import { held } from '../support/run/held';
import { AWAY_MS, Outage, OUTAGE_TEST_MS } from '../support/faults/outage';
import { startRedis } from '../support/servers/private/redis';
import { newSecret, startServers } from '../support/service/processes';
import { withRedis } from '../support/servers/redis';
import { exportedSecret, targetAt } from '../support/service/target';

const PASSWORD = 'a good pass phrase';

async function expectRefused(library: Library, token: string): Promise<void> {
  for (const response of await library.readEverywhere('/api/users/me', token))
    expectProblem(response, 401, 'TOKEN_REVOKED');
}

/** A token that every API has taken, and that none takes once its end is answered. */
async function endedToken(library: Library): Promise<string> {
  const body = { username: randomUUID(), password: PASSWORD };
  const { accessToken } = (await library.call('post', '/api/auth/signup', { body })).body;
  const token = String(accessToken);
  for (const { status } of await library.readEverywhere('/api/users/me', token))
    expect(status).toBe(200);
  expect((await library.call('post', '/api/auth/logout', { token })).status).toBe(204);
  await expectRefused(library, token);
  return token;
}

describe('Redis, which hangs under load, continues, and is emptied', () => {
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
      const ended = await endedToken(library);
      await over;
      redis.child().thaw();
      await outage.moreCalls('after it went on');
      await expectFresh(3);
      await withRedis(redis.url, (client) => client.flushAll());
      await outage.moreCalls('after it was emptied');
      await expectFresh(4);
      await outage.expectNoHarm();
      for (const { child } of system.workers) await child.kill();
      await expectRefused(library, ended);
      await held(
        19,
        system.env,
        `hung for ${AWAY_MS / 1000} s under load, then was emptied`,
        'nothing failed; every write was seen at once at every API, the end of a token as well, and that also without a worker',
      );
    },
    OUTAGE_TEST_MS,
  );
});
