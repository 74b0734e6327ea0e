import { readThrough } from '../../../api/reads/read-through';
import { VIEW_LENGTH_MAX, type Cache } from '../../../shared/cache/cache';
import { createMemoryCache } from '../../../shared/cache/memory';

const view = { view: 'book:1', subject: 'book:1', ttlMs: 60_000 };

/** A load that ends when told. */
function heldLoad() {
  const calls: { finish: (text: string) => void; fail: (error: Error) => void }[] = [];
  const load = jest.fn(() => new Promise<string>((finish, fail) => calls.push({ finish, fail })));
  return { calls, load };
}

/** Lets everything that can go on do so. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('readThrough', () => {
  it('loads once and then answers from the cache', async () => {
    const cache = createMemoryCache();
    const load = jest.fn(() => Promise.resolve('text'));
    expect(await readThrough(cache, view, load)).toBe('text');
    expect(await readThrough(cache, view, load)).toBe('text');
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('shares one load among those who ask at the same time', async () => {
    const cache = createMemoryCache();
    const { calls, load } = heldLoad();
    const answers = [1, 2, 3].map(() => readThrough(cache, view, load));
    await settled();
    calls[0]?.finish('text');
    expect(await Promise.all(answers)).toEqual(['text', 'text', 'text']);
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('does not let a reader after a write join a load from before it', async () => {
    const cache = createMemoryCache();
    const { calls, load } = heldLoad();
    const before = readThrough(cache, view, load);
    await settled();
    await cache.bump([view.subject]);
    const after = readThrough(cache, view, load);
    await settled();
    calls[1]?.finish('new');
    expect(await after).toBe('new');
    calls[0]?.finish('old');
    expect(await before).toBe('old');
    await settled();
    expect(await readThrough(cache, view, () => Promise.resolve('loaded again'))).not.toBe('old');
  });

  it('gives the error of a load to all who wait for it and loads anew for the next', async () => {
    const cache = createMemoryCache();
    const { calls, load } = heldLoad();
    const answers = [readThrough(cache, view, load), readThrough(cache, view, load)];
    await settled();
    calls[0]?.fail(new Error('no such book'));
    for (const answer of answers) await expect(answer).rejects.toThrow('no such book');
    expect(await readThrough(cache, view, () => Promise.resolve('text'))).toBe('text');
  });

  it('shares no load that has begun while the cache is unavailable, but the next one', async () => {
    const away: Cache = { ...createMemoryCache(), get: () => Promise.resolve(null) };
    const { calls, load } = heldLoad();
    const first = readThrough(away, view, load);
    await settled();
    const crowd = [1, 2, 3].map(() => readThrough(away, view, load));
    const other = readThrough(away, { ...view, view: 'book:2' }, load);
    await settled();
    expect(load).toHaveBeenCalledTimes(2);
    calls[1]?.finish('of another view');
    expect(await other).toBe('of another view');
    calls[0]?.finish('first');
    expect(await first).toBe('first');
    await settled();
    calls[2]?.finish('next');
    expect(await Promise.all(crowd)).toEqual(['next', 'next', 'next']);
    expect(load).toHaveBeenCalledTimes(3);
  });

  it('begins the next load without a cache also after one that failed', async () => {
    const away: Cache = { ...createMemoryCache(), get: () => Promise.resolve(null) };
    const { calls, load } = heldLoad();
    const first = readThrough(away, view, load);
    await settled();
    const next = readThrough(away, view, load);
    calls[0]?.fail(new Error('no connection'));
    await expect(first).rejects.toThrow('no connection');
    await settled();
    calls[1]?.finish('text');
    expect(await next).toBe('text');
    await settled();
    expect(await readThrough(away, view, () => Promise.resolve('anew'))).toBe('anew');
  });

  it('asks a cache that was late once more when the load fails as well', async () => {
    const found = createMemoryCache();
    await readThrough(found, view, () => Promise.resolve('text'));
    const get = jest.fn(found.get.bind(found)).mockResolvedValueOnce(null);
    const fails = () => Promise.reject(new Error('no database'));
    expect(await readThrough({ ...found, get }, view, fails)).toBe('text');
    get.mockResolvedValue(null);
    await expect(readThrough({ ...found, get }, view, fails)).rejects.toThrow('no database');
  });

  it('does not keep a view that is too large', async () => {
    const cache = createMemoryCache();
    const load = jest.fn(() => Promise.resolve('x'.repeat(VIEW_LENGTH_MAX + 1)));
    await readThrough(cache, view, load);
    await readThrough(cache, view, load);
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('never keeps a view longer than it may be kept', async () => {
    const memory = createMemoryCache();
    const put = jest.fn<Promise<void>, Parameters<Cache['put']>>(() => Promise.resolve());
    for (let turn = 0; turn < 50; turn += 1) {
      await readThrough({ ...memory, put }, { ...view, view: `book:${turn}` }, () =>
        Promise.resolve('text'),
      );
    }
    const kept = put.mock.calls.map(([, , , ttlMs]) => ttlMs);
    expect(Math.max(...kept)).toBeLessThanOrEqual(view.ttlMs);
    expect(Math.min(...kept)).toBeGreaterThanOrEqual(0.8 * view.ttlMs);
    expect(new Set(kept).size).toBeGreaterThan(1);
  });
});
