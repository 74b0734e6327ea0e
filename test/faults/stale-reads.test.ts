import { setTimeout as pause } from 'node:timers/promises';
import { openLibrary, type Library } from '../support/clients/books';
import { FreshRounds } from '../support/check/fresh-rounds';
import { held } from '../support/run/held';
import { LONG } from '../support/faults/outage';
import { startRedis } from '../support/servers/private/redis';
import {
  newSecret,
  startEmbedded,
  startServers,
  type Environment,
  type System,
} from '../support/service/processes';
import { startProxy, type Proxy } from '../support/faults/proxy';
import { withRedis } from '../support/servers/redis';
import { exportedSecret, targetAt, type Target } from '../support/service/target';
import { waitUntil } from '../support/wait';

/** Rounds of a write and the reads after it, on each way of running. */
const ROUNDS = LONG ? 10_000 : 2000;
/** Rounds before and after each thing that happens to Redis. */
const ROUNDS_BETWEEN = ROUNDS / 10;
const FREEZE_MS = 10_000;
/** How long such rounds may take on a busy machine, milliseconds. */
const ROUNDS_MS = LONG ? 1_800_000 : 600_000;
/** How long a command may wait until the next worker has its partition, milliseconds. */
const NEXT_WORKER_MS = 30_000;
/** A text in what a worker sends to Redis when it tells it of a change. */
const BUMP = 'lendline:version:';

const secret = () => ({ JWT_SECRET: exportedSecret(newSecret) });

async function begun(target: Target): Promise<FreshRounds> {
  const rounds = new FreshRounds(target);
  await rounds.start();
  return rounds;
}

async function expectFresh(rounds: FreshRounds, env: Environment, happened: string): Promise<void> {
  await rounds.stop();
  expect(rounds.wrong).toEqual([]);
  await held(
    22,
    env,
    `${rounds.rounds} rounds of a write and the reads after it, beside ${rounds.refills} others${happened}`,
    'every write was seen at once at every API',
  );
}

describe('reads, while ten readers fill the cache as fast as they can', () => {
  it(
    'show every write at once in the embedded process',
    async () => {
      const { url, dataDir } = await startEmbedded({ env: secret() });
      const rounds = await begun(targetAt('embedded', [url]));
      await rounds.more(ROUNDS, ROUNDS_MS);
      await expectFresh(rounds, { DATA_DIR: dataDir }, '');
    },
    ROUNDS_MS + 60_000,
  );

  it(
    'show every write at once at every API, also while Redis hangs, is emptied, is killed and comes back',
    async () => {
      const redis = await startRedis();
      const system = await startServers({
        apis: 2,
        workers: 2,
        env: { REDIS_URL: redis.url, ...secret() },
      });
      const rounds = await begun(
        targetAt(
          'servers',
          system.apis.map(({ url }) => url),
        ),
      );
      await rounds.more(ROUNDS / 2, ROUNDS_MS);
      redis.child().freeze();
      await pause(FREEZE_MS);
      redis.child().thaw();
      await rounds.more(ROUNDS_BETWEEN, ROUNDS_MS);
      for (let time = 0; time < 5; time += 1) {
        await withRedis(redis.url, (client) => client.flushAll());
        await rounds.more(ROUNDS_BETWEEN / 5, ROUNDS_MS);
      }
      for (let time = 0; time < 2; time += 1) {
        await redis.kill();
        await rounds.more(ROUNDS_BETWEEN / 4, ROUNDS_MS);
        await redis.start();
        await rounds.more(ROUNDS_BETWEEN / 4, ROUNDS_MS);
      }
      // Shorter than it takes until anybody notices, and about as long.
      for (const ms of [100, 300, 1000, 1900, 2100, 3000]) {
        redis.child().freeze();
        await pause(ms);
        redis.child().thaw();
        await rounds.more(ROUNDS_BETWEEN / 6, ROUNDS_MS);
      }
      await rounds.more(Math.max(0, ROUNDS - rounds.rounds), ROUNDS_MS);
      await expectFresh(
        rounds,
        system.env,
        `; meanwhile Redis hung for ${FREEZE_MS / 1000} s and six times for less, was emptied five times, killed and started again twice`,
      );
    },
    2 * ROUNDS_MS,
  );
});

type Rename = (
  prefer: string,
) => Promise<{ readonly status: number; readonly body: { readonly statusUrl?: string } }>;

/**
 * How a client gets to know that its command has succeeded, when no worker tells anybody. `done`
 * resolves when it has committed, and its worker is gone.
 */
const WAYS: Readonly<
  Record<string, (library: Library, rename: Rename, done: Promise<void>) => Promise<void>>
> = {
  asking: (library, rename, done) =>
    promised(rename, done, (statusUrl) => succeeded(library, statusUrl)),
  'asking and waiting': (library, rename, done) =>
    promised(rename, done, (statusUrl) => succeeded(library, `${statusUrl}?wait=5`)),
  'the stream of events': (library, rename, done) =>
    promised(rename, done, async (statusUrl) => {
      expect((await library.manage('get', `${statusUrl}/events`)).text).toContain(
        '"status":"succeeded"',
      );
    }),
  'the same key again': (_library, rename, done) =>
    promised(rename, done, async () => {
      expect((await rename('wait=10')).status).toBe(200);
    }),
  'waiting from the beginning': async (_library, rename, done) => {
    const [{ status }] = await Promise.all([rename('wait=30'), done]);
    expect(status).toBe(200);
  },
};

async function promised(
  rename: Rename,
  done: Promise<void>,
  ask: (statusUrl: string) => Promise<void>,
): Promise<void> {
  const { body } = await rename('respond-async');
  await done;
  await ask(body.statusUrl ?? '');
}

async function succeeded(library: Library, path: string): Promise<void> {
  await waitUntil(
    `${path} has succeeded`,
    60_000,
    async () => (await library.manage('get', path)).body.status === 'succeeded',
  );
}

describe('a worker that stops before it invalidates the cache', () => {
  const opened = async (): Promise<{ system: System; library: Library; proxy: Proxy }> => {
    const system = await startServers({
      apis: 2,
      workers: 0,
      env: { ...secret(), API_WAIT_MS: String(NEXT_WORKER_MS) },
    });
    const proxy = await startProxy(system.env.REDIS_URL ?? '', 6379);
    return {
      system,
      proxy,
      library: await openLibrary(
        targetAt(
          'servers',
          system.apis.map(({ url }) => url),
        ),
      ),
    };
  };
  const titles = async (library: Library, bookInfoId: number) =>
    (await library.readEverywhere(`/api/book-infos/${bookInfoId}`)).map(
      ({ body }) => body.title as string,
    );

  it('because it is killed: whoever learns of the command, in whatever way, sees its effect', async () => {
    const { system, library, proxy } = await opened();
    let before: number | null = null;
    for (const [name, way] of Object.entries(WAYS)) {
      // Gets the command of the worker that was killed. When it has done one behind it, and
      // stopped, it has told the cache of both.
      const other = await system.addWorker();
      if (before !== null)
        expect(
          (await library.manage('post', `/api/book-infos/${before}/books`, { count: 1 })).status,
        ).toBe(201);
      const { bookInfoId } = await library.registered();
      await other.stop();
      const worker = await system.addWorker({ REDIS_URL: proxy.url });
      before = bookInfoId;
      await titles(library, bookInfoId);
      const killed = proxy.holdBack(BUMP).then(async () => {
        await worker.kill();
      });
      const rename: Rename = (prefer) =>
        library.manage(
          'patch',
          `/api/book-infos/${bookInfoId}`,
          { title: name },
          { 'Idempotency-Key': name, Prefer: prefer },
        );
      await way(library, rename, killed);
      expect(await titles(library, bookInfoId)).toEqual([name, name]);
    }
    await held(
      22,
      system.env,
      `a worker killed between COMMIT and cache, for each of ${Object.keys(WAYS).length} ways to learn of the outcome`,
      'whoever learned of a write saw it',
    );
  }, 300_000);

  it('because it alone is cut off from Redis: a client that waits for the answer sees the effect', async () => {
    const { system, library, proxy } = await opened();
    await system.addWorker({ REDIS_URL: proxy.url });
    const { bookInfoId } = await library.registered();
    const expectFresh = async (title: string) => {
      await titles(library, bookInfoId);
      expect(
        (await library.manage('patch', `/api/book-infos/${bookInfoId}`, { title })).status,
      ).toBe(200);
      expect(await titles(library, bookInfoId)).toEqual([title, title]);
    };
    proxy.cut();
    for (let time = 0; time < 5; time += 1) await expectFresh(`cut off ${time}`);
    proxy.open();
    proxy.stall();
    for (let time = 0; time < 5; time += 1) await expectFresh(`stalled ${time}`);
    await held(
      22,
      system.env,
      'a worker alone cut off from Redis',
      'whoever learned of a write saw it',
    );
  }, 240_000);
});
