import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { Outcomes } from '../../../../api/commands/outcomes';
import { CacheUnavailable, LINK_LEASE_MS, type Cache } from '../../../../shared/cache/cache';
import { createMemoryCache } from '../../../../shared/cache/memory';
import { openRedisCache } from '../../../../shared/cache/redis';
import type { Outcome } from '../../../../shared/command';
import { onCleanUp } from '../../../support/run/cleanup';
import { freshRedisDatabase } from '../../../support/servers/fresh';
import { startProxy } from '../../../support/faults/proxy';
import { withRedis } from '../../../support/servers/redis';
import { waitUntil } from '../../../support/wait';

const silent = pino({ level: 'silent' });
const WAIT_MS = 15_000;
const KEPT_MS = 60_000;
const changed: Outcome = {
  ...{
    commandId: 'changed',
    type: 'lending.borrow-book',
    ownerId: 1,
    requestId: 'request',
    createdAt: 1,
    completedAt: 2,
  },
  ending: { status: 'succeeded', created: true, result: '{}' },
};

/** A cache that can be reached. */
async function connectedCache(url: string): Promise<Cache> {
  const cache = await openRedisCache(url, silent);
  onCleanUp(() => cache.close());
  await reachable(cache);
  return cache;
}

const reachable = (cache: Cache) =>
  waitUntil('the cache is reachable', WAIT_MS, () => cache.get('probe', 'probe'));

/** A cache that does not answer in time is asked again. */
const found = (cache: Cache, view: string, subject: string) =>
  waitUntil('the cache answers', WAIT_MS, () => cache.get(view, subject));
const valueOf = async (cache: Cache, view: string, subject: string) =>
  (await found(cache, view, subject)).value;

async function store(cache: Cache, view: string, subject: string, value: string): Promise<string> {
  const { version } = await found(cache, view, subject);
  await cache.put(view, version, value, KEPT_MS);
  return version;
}

/** Stores a view until it is found: a cache that is late takes none. */
const keep = (cache: Cache, view: string, subject: string, value: string) =>
  waitUntil('the view is found', WAIT_MS, async () => {
    await store(cache, view, subject, value);
    return (await valueOf(cache, view, subject)) === value;
  });

interface Kind {
  open(): Promise<Cache>;
  /** Makes the cache forget the versions of what was not asked for lately. */
  forget(cache: Cache): Promise<unknown>;
}

/** More subjects than the cache in memory keeps. */
const SUBJECTS = 100_001;
let redisUrl = '';

const kinds: Record<string, Kind> = {
  memory: {
    open: () => Promise.resolve(createMemoryCache()),
    forget: async (cache) => {
      for (let subject = 0; subject < SUBJECTS; subject += 1)
        await cache.get('any', `subject ${subject}`);
    },
  },
  redis: {
    open: async () => {
      redisUrl = await freshRedisDatabase();
      return connectedCache(redisUrl);
    },
    forget: () =>
      withRedis(redisUrl, async (client) => client.del(await client.keys('lendline:version:*'))),
  },
};

describe.each(Object.keys(kinds))('the %s cache', (kind) => {
  let cache: Cache;
  beforeAll(async () => {
    cache = await (kinds[kind] as Kind).open();
  });

  it('gives back what was stored, whatever characters it holds', async () => {
    const text = '"1.2-3"\n{"title":"데미안 — naïve \\n 📚"}';
    await keep(cache, 'kept', 'kept', text);
  });

  it('keeps the version while nothing changes', async () => {
    const first = await found(cache, 'steady', 'steady');
    expect(first.value).toBeNull();
    expect(await cache.get('steady', 'steady')).toEqual(first);
  });

  it('does not find a view after its subject has changed', async () => {
    await store(cache, 'changed', 'subject', 'old');
    await store(cache, 'other', 'other subject', 'stays');
    await cache.bump(['subject']);
    expect(await valueOf(cache, 'changed', 'subject')).toBeNull();
    expect(await valueOf(cache, 'other', 'other subject')).toBe('stays');
  });

  it('does not find a view that was loaded before a change and stored after it', async () => {
    const before = await found(cache, 'late', 'late');
    await cache.bump(['late']);
    await cache.put('late', before.version, 'old', KEPT_MS);
    expect(await valueOf(cache, 'late', 'late')).toBeNull();
  });

  it('does not find a view that was stored under a version from before several changes', async () => {
    const versions = new Set<string>();
    for (let change = 0; change < 20; change += 1) {
      const { value, version } = await found(cache, 'often', 'often');
      expect(value).toBeNull();
      versions.add(version);
      await cache.bump(['often']);
      for (const former of versions) await cache.put('often', former, 'old', KEPT_MS);
    }
    expect(await valueOf(cache, 'often', 'often')).toBeNull();
    expect(versions.size).toBe(20);
  });

  it('gives simultaneous readers one version', async () => {
    const all = await Promise.all([1, 2, 3].map(() => cache.get('together', 'together')));
    expect(new Set(all.map((each) => each?.version)).size).toBe(1);
  });

  it('shows nothing under a version that it has forgotten, nor what a late reader stores under it', async () => {
    const version = await store(cache, 'forgotten', 'forgotten', 'old');
    await kinds[kind]?.forget(cache);
    expect(await valueOf(cache, 'forgotten', 'forgotten')).toBeNull();
    await cache.put('forgotten', version, 'old', KEPT_MS);
    expect(await valueOf(cache, 'forgotten', 'forgotten')).toBeNull();
    // Nor does a change that found no version to renew bring it back.
    await cache.bump(['forgotten']);
    expect(await valueOf(cache, 'forgotten', 'forgotten')).toBeNull();
    await keep(cache, 'forgotten', 'forgotten', 'new');
  });

  it('accepts a change of a subject that nobody has read', async () => {
    await cache.bump(['never read', 'never read either']);
    await cache.bump([]);
    await keep(cache, 'never read', 'never read', 'new');
  });

  it('forgets a view when its time is over', async () => {
    const { version } = await found(cache, 'short', 'short');
    await cache.put('short', version, 'text', 30.5);
    await waitUntil(
      'the view is gone',
      WAIT_MS,
      async () => (await valueOf(cache, 'short', 'short')) === null,
    );
  });
});

describe('the redis cache', () => {
  it('shows the changes of one process to another', async () => {
    const url = await freshRedisDatabase();
    const [api, worker] = [await connectedCache(url), await connectedCache(url)];
    await store(api, 'view', 'subject', 'old');
    expect(await valueOf(worker, 'view', 'subject')).toBe('old');
    await worker.bump(['subject']);
    expect(await valueOf(api, 'view', 'subject')).toBeNull();
  });

  it('answers null, takes nothing and refuses changes while Redis is unavailable', async () => {
    const proxy = await startProxy(await freshRedisDatabase(), 6379);
    const cache = await connectedCache(proxy.url);
    const version = await store(cache, 'view', 'subject', 'old');
    proxy.cut();
    expect(await cache.get('view', 'subject')).toBeNull();
    await cache.put('view', version, 'old', KEPT_MS);
    await expect(cache.bump(['subject'])).rejects.toThrow();
  });

  it('finds nothing from before an outage, in any process', async () => {
    const url = await freshRedisDatabase();
    const proxy = await startProxy(url, 6379);
    const [worker, api] = [await connectedCache(proxy.url), await connectedCache(url)];
    const version = await store(api, 'view', 'subject', 'old');
    proxy.cut();
    await expect(worker.bump(['subject'])).rejects.toThrow();
    proxy.open();
    await reachable(worker);
    expect(await valueOf(api, 'view', 'subject')).toBeNull();
    await api.put('view', version, 'old', KEPT_MS);
    expect(await valueOf(api, 'view', 'subject')).toBeNull();
  });

  it('finds nothing in a Redis that came back with the data of the past', async () => {
    const url = await freshRedisDatabase();
    const proxy = await startProxy(url, 6379);
    const cache = await connectedCache(proxy.url);
    await store(cache, 'view', 'subject', 'old');
    const keys = ['lendline:generation', 'lendline:version:subject'];
    const past = await withRedis(url, (client) => client.mGet(keys));
    await cache.bump(['subject']);
    proxy.cut();
    await withRedis(url, (client) =>
      client.mSet(Object.fromEntries(keys.map((key, index) => [key, past[index] as string]))),
    );
    proxy.open();
    await reachable(cache);
    expect(await valueOf(cache, 'view', 'subject')).toBeNull();
  });

  it('goes on after Redis was emptied, and never meets an old version again', async () => {
    const url = await freshRedisDatabase();
    const cache = await connectedCache(url);
    const version = await store(cache, 'view', 'subject', 'old');
    await withRedis(url, (client) =>
      client.del(['lendline:generation', 'lendline:version:subject', 'lendline:view:2:view']),
    );
    const both = await Promise.all([cache.get('view', 'subject'), cache.get('view', 'subject')]);
    expect(both[0]).toEqual(both[1]);
    expect(both[0]?.version).not.toBe(version);
    await cache.put('view', version, 'old', KEPT_MS);
    expect(await valueOf(cache, 'view', 'subject')).toBeNull();
    await keep(cache, 'view', 'subject', 'new');
  });

  it('does not wait for a Redis that hangs, and is told of the outage once', async () => {
    const proxy = await startProxy(await freshRedisDatabase(), 6379);
    const warned: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => warned.push(line) });
    const cache = await openRedisCache(proxy.url, logger);
    onCleanUp(() => cache.close());
    await reachable(cache);
    await store(cache, 'view', 'subject', 'old');
    proxy.stall();
    const begun = Date.now();
    for (let turn = 0; turn < 20; turn += 1) expect(await cache.get('view', 'subject')).toBeNull();
    expect(Date.now() - begun).toBeLessThan(2000);
    await expect(cache.bump(['subject'])).rejects.toThrow();
    expect(warned).toHaveLength(1);
    proxy.open();
    await reachable(cache);
    expect(await valueOf(cache, 'view', 'subject')).toBeNull();
  });

  it('keeps what is cached when Redis is late for a moment, and answers null meanwhile but to who is patient', async () => {
    const url = await freshRedisDatabase();
    const proxy = await startProxy(url, 6379);
    const [delayed, other] = [await connectedCache(proxy.url), await connectedCache(url)];
    await keep(other, 'view', 'subject', 'kept');
    proxy.stall();
    expect(await delayed.get('view', 'subject')).toBeNull();
    const patient = delayed.get('view', 'subject', 'patient');
    proxy.open();
    expect((await patient)?.value).toBe('kept');
    expect(await valueOf(delayed, 'view', 'subject')).toBe('kept');
    expect(await valueOf(other, 'view', 'subject')).toBe('kept');
  });

  it('keeps the link of a process that asks for nothing', async () => {
    const cache = await connectedCache(await freshRedisDatabase());
    await store(cache, 'view', 'subject', 'kept');
    await pause(LINK_LEASE_MS + 1000);
    expect(await valueOf(cache, 'view', 'subject')).toBe('kept');
  });

  it('shows nothing from before an outage to a process that asked for nothing in it, once the outcome of a command was told', async () => {
    const url = await freshRedisDatabase();
    const [mine, theirs] = [await startProxy(url, 6379), await startProxy(url, 6379)];
    const [idle, writer] = [await connectedCache(mine.url), await connectedCache(theirs.url)];
    await store(idle, 'view', 'subject', 'old');
    for (const proxy of [mine, theirs]) proxy.stall();
    // It is told after a change of which nobody could tell the cache.
    await new Outcomes(writer).show([{ ...changed, stale: ['subject'] }]);
    mine.open();
    for (let turn = 0; turn < 50; turn += 1) {
      expect((await idle.get('view', 'subject'))?.value ?? null).toBeNull();
      await pause(10);
    }
  });

  it('does not use its link after this process has stood still for as long as an outage may go unnoticed', async () => {
    const cache = await connectedCache(await freshRedisDatabase());
    await store(cache, 'view', 'subject', 'old');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LINK_LEASE_MS + 100);
    expect(await cache.get('view', 'subject')).toBeNull();
  });

  it('can say that Redis refuses connections, so that nobody waits for it, and not that it says nothing', async () => {
    const proxy = await startProxy(await freshRedisDatabase(), 6379);
    const cache = await connectedCache(proxy.url);
    const refusedAt = async (): Promise<number> => {
      const error: unknown = await cache.bump(['subject']).catch((reason: unknown) => reason);
      return error instanceof CacheUnavailable ? error.refusedAt : -Infinity;
    };
    proxy.stall();
    expect(await refusedAt()).toBe(-Infinity);
    const begun = performance.now();
    await proxy.close();
    await waitUntil('connections are refused', WAIT_MS, async () => (await refusedAt()) > begun);
  });
});
