import { setTimeout as pause } from 'node:timers/promises';
import { openLibrary, type Library } from '../support/clients/books';
import { held } from '../support/run/held';
import { AWAY_MS, LONG, Outage, OUTAGE_TEST_MS } from '../support/faults/outage';
import { startMysql } from '../support/servers/private/mysql';
import { startRedis } from '../support/servers/private/redis';
import type { PrivateServer } from '../support/servers/private/private-server';
import { expectProblem } from '../support/clients/problems';
import { newSecret, startServers, type System } from '../support/service/processes';
import { Recovery } from '../support/check/recovery';
import { exportedSecret, targetAt } from '../support/service/target';
import { waitUntil } from '../support/wait';

/**
 * How soon it must be noticed that MySQL is unavailable, and how soon what was queued must be done
 * when it is back, on the busiest of machines, milliseconds.
 */
const NOTICED_MS = 30_000;
const DRAINED_MS = 120_000;
/**
 * Reads while MySQL is unavailable, one after the other: with each of them waiting for a connection
 * in vain, they would take longer than REFUSED_MS.
 */
const REFUSED = 100;
const REFUSED_MS = 60_000;
/** Writes that are queued meanwhile. */
const QUEUED = 200;
/** How long Redis pauses, milliseconds: longer than reads wait for it. */
const REDIS_PAUSE_MS = 400;
/** Smallest part of its throughput that the service must reach within 30 seconds. */
const RECOVERED_MIN = 0.9;

const seconds = (ms: number) => (ms / 1000).toFixed(1);

const faults: Record<
  string,
  { begin(mysql: PrivateServer): unknown; end(mysql: PrivateServer): unknown }
> = {
  'is down': { begin: (mysql) => mysql.kill(), end: (mysql) => mysql.start() },
  hangs: {
    begin: (mysql) => {
      mysql.child().freeze();
    },
    end: (mysql) => {
      mysql.child().thaw();
    },
  },
};

describe.each(Object.entries(faults))('while MySQL %s under load', (name, fault) => {
  let mysql: PrivateServer;
  let redis: PrivateServer;
  let system: System;
  let library: Library;

  beforeAll(async () => {
    [mysql, redis] = await Promise.all([startMysql(), startRedis()]);
    const MYSQL_URL = Object.assign(new URL(mysql.url), { pathname: '/lendline' }).href;
    system = await startServers({
      apis: 2,
      workers: 2,
      env: { MYSQL_URL, REDIS_URL: redis.url, JWT_SECRET: exportedSecret(newSecret) },
    });
    library = await openLibrary(
      targetAt(
        'servers',
        system.apis.map(({ url }) => url),
      ),
    );
  }, 180_000);

  const addCopy = (bookInfoId: number) =>
    library.manage(
      'post',
      `/api/book-infos/${bookInfoId}/books`,
      { count: 1 },
      { Prefer: 'respond-async' },
    );

  /**
   * An API that has never met an account cannot know whether its tokens have ended, and refuses
   * them while MySQL is unavailable.
   */
  async function expectKnownEverywhere(): Promise<void> {
    for (const { status } of await library.readEverywhere(
      '/api/borrow-histories?size=1',
      library.target.admin,
    ))
      expect(status).toBe(200);
  }

  async function expectCached(bookInfoId: number): Promise<void> {
    for (const { status } of await library.readEverywhere(`/api/book-infos/${bookInfoId}`))
      expect(status).toBe(200);
  }

  /** Neither server answers reads in time for a moment, and what is cached is there afterwards. */
  async function expectCachedThroughPause(bookInfoId: number): Promise<void> {
    redis.child().freeze();
    const answered = expectCached(bookInfoId);
    await pause(REDIS_PAUSE_MS);
    redis.child().thaw();
    await answered;
  }

  async function expectServedWithoutIt(cachedId: number, queuedId: number): Promise<void> {
    await expectCached(cachedId);
    await expectCachedThroughPause(cachedId);
    for (let queued = 0; queued < QUEUED; queued += 1)
      expect((await addCopy(queuedId)).status).toBe(202);
    for (const { url } of system.apis) {
      const api = await openLibrary(targetAt('servers', [url]));
      await waitUntil(
        'the outage is noticed',
        NOTICED_MS,
        async () =>
          (await api.call('get', '/readyz')).status === 503 &&
          (await api.manage('get', '/api/borrow-histories')).status === 503,
      );
    }
    const begun = Date.now();
    for (let refused = 0; refused < REFUSED; refused += 1) {
      const response = await library.manage('get', '/api/borrow-histories');
      expectProblem(response, 503, 'UNAVAILABLE');
      expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    }
    expect(Date.now() - begun).toBeLessThan(REFUSED_MS);
    await expectCached(cachedId);
  }

  it(
    'cached reads and writes that do not need it continue, the others are refused at once, and all promises are kept afterwards',
    async () => {
      const [cached, queued] = [await library.registered(), await library.registered()];
      await library.readEverywhere(`/api/book-infos/${cached.bookInfoId}`);
      await expectKnownEverywhere();
      const outage = await Outage.begin(system);
      const bystander = LONG
        ? await Outage.begin(await startServers({ apis: 2, workers: 2 }))
        : null;
      const recovery = bystander && (await Recovery.begin(outage, bystander));
      await fault.begin(mysql);
      const over = pause(AWAY_MS);
      await expectServedWithoutIt(cached.bookInfoId, queued.bookInfoId);
      await over;
      await fault.end(mysql);
      const back = Date.now();
      const done = waitUntil(
        'what was promised is done',
        DRAINED_MS,
        async () =>
          (await library.detail(queued.bookInfoId)).totalStock === QUEUED && Date.now() - back,
      );
      const [best, doneMs] = await Promise.all([
        recovery?.best(),
        done,
        outage.moreCalls('after it was back'),
      ]);
      if (recovery) expect(best).toBeGreaterThanOrEqual(RECOVERED_MIN);
      await bystander?.expectNoHarm();
      await outage.expectNoHarm();
      await held(
        12,
        system.env,
        `${name} for ${AWAY_MS / 1000} s under load`,
        `cached reads served, also while Redis paused for ${REDIS_PAUSE_MS / 1000} s, the rest refused at once, ${QUEUED} of ${QUEUED} queued writes done ${seconds(doneMs)} s after its return, no dead letter${best === undefined ? '' : `, ${Math.round(100 * best)} % of the throughput within 30 s`}`,
      );
    },
    OUTAGE_TEST_MS,
  );
});
