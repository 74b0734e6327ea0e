import { join } from 'node:path';
import { Outcomes } from '../../../api/commands/outcomes';
import { CacheUnavailable, LINK_LEASE_MS, type Cache } from '../../../shared/cache/cache';
import { createMemoryCache } from '../../../shared/cache/memory';
import type { Outcome } from '../../../shared/command';
import { connectDatabase } from '../../../shared/database/connect';
import { migrate } from '../../../shared/database/migrate';
import { subjectColumns } from '../../../shared/database/subjects';
import { CommandOutcome } from '../../../shared/database/tables';
import { onCleanUp, temporaryFolder } from '../../support/run/cleanup';

const outcomeOf = (commandId: string): Outcome => ({
  ...{
    commandId,
    type: 'lending.borrow-book',
    ownerId: 1,
    requestId: 'request',
    createdAt: 1000,
    completedAt: 2000,
  },
  ending: { status: 'succeeded', created: true, result: '{}' },
});

async function store(
  { ending, createdAt, completedAt, ...rest }: Outcome,
  subjects: readonly string[] | null,
): Promise<void> {
  const texts = { ending: JSON.stringify(ending), ...subjectColumns(subjects ?? []) };
  await CommandOutcome.create({
    ...rest,
    ...texts,
    createdAt: new Date(createdAt),
    completedAt: new Date(completedAt),
  });
}

/** A cache that is told as `bump` says. */
function toldBy(bump: () => Promise<void>) {
  const told = jest.fn<Promise<void>, Parameters<Cache['bump']>>(bump);
  return { told, outcomes: new Outcomes({ ...createMemoryCache(), bump: told }) };
}

beforeAll(async () => {
  const database = connectDatabase({
    url: join(await temporaryFolder('outcomes'), 'lendline.sqlite'),
    poolMax: 1,
  });
  onCleanUp(() => database.close());
  await migrate(database);
});

describe('a stored outcome', () => {
  it('is found once no view from before it is shown any more', async () => {
    const cache = createMemoryCache();
    const found = await cache.get('view', 'subject');
    await cache.put('view', found?.version ?? '', 'old', 60_000);
    await store(outcomeOf('changes a view'), ['subject']);
    expect(await new Outcomes(cache).find(['changes a view'])).toEqual([
      { ...outcomeOf('changes a view'), stale: ['subject'] },
    ]);
    expect((await cache.get('view', 'subject'))?.value).toBeNull();
  });

  it('is found with all subjects of a command that changed the lists of many', async () => {
    const many = Array.from({ length: 100 }, (_, index) => `courses:user-courses:${index}`);
    await store(outcomeOf('changes many views'), many);
    const [found] = await new Outcomes(createMemoryCache()).find(['changes many views']);
    expect(found?.stale).toEqual(many);
  });

  it('makes each process tell the cache once, and one that changed nothing never does', async () => {
    const { told, outcomes } = toldBy(() => Promise.resolve());
    await store(outcomeOf('asked for often'), ['a', 'b']);
    await store(outcomeOf('without views'), null);
    for (let turn = 0; turn < 3; turn += 1)
      await outcomes.find(['asked for often', 'without views', 'unknown']);
    expect(told.mock.calls).toEqual([[['a', 'b']]]);
  });
});

describe('a cache that cannot be told', () => {
  const stale: Outcome = { ...outcomeOf('stale'), stale: ['subject'] };
  let begun = 0;
  const elapsed = () => performance.now() - begun;

  /** How long it takes until somebody is told, milliseconds; `bump` is what the cache does. */
  async function waited(bump: () => Promise<void>): Promise<number> {
    begun = performance.now();
    await toldBy(bump).outcomes.show([stale]);
    return elapsed();
  }

  it('is outlasted: then everybody has lost it', async () => {
    expect(await waited(() => Promise.reject(new CacheUnavailable('frozen')))).toBeGreaterThan(
      LINK_LEASE_MS,
    );
  });

  it('is outlasted from the moment in which it failed, and not from that in which it was asked', async () => {
    const failsLate = () =>
      new Promise<void>((_resolve, reject) =>
        setTimeout(reject, 1000, new CacheUnavailable('no answer')),
      );
    expect(await waited(failsLate)).toBeGreaterThan(1000 + LINK_LEASE_MS);
  });

  it('is told when it is available again', async () => {
    let told = false;
    await waited(() => {
      told = elapsed() > 500;
      return told ? Promise.resolve() : Promise.reject(new CacheUnavailable('frozen'));
    });
    expect(told).toBe(true);
  });

  it('is waited for only until connections are refused', async () => {
    // One that was refused before says nothing: the cache may have been there in between.
    let tries = 0;
    await waited(() => {
      tries += 1;
      return Promise.reject(
        new CacheUnavailable('gone', tries < 3 ? begun - 1 : performance.now()),
      );
    });
    expect(tries).toBe(3);
  });
});
