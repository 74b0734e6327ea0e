import supertest from 'supertest';
import { openLibrary, type Library } from '../../support/clients/books';
import { ConsoleStream } from '../../support/clients/console';
import { expectFaults } from '../../support/clients/problems';
import { waitUntil } from '../../support/wait';

/**
 * GET /api/console/stream: how the service is doing. Other tests run at the same time, so there is
 * more to see than what is done here.
 */

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});

const open = (url = library.target.url) =>
  ConsoleStream.open(url, library.target.token({ isAdmin: true }));

/** Borrows one title again and again until it is told to end. */
function keepBusy(bookInfoId: number): { stop(): Promise<void> } {
  let stopped = false;
  const run = async () => {
    const reader = library.newReader();
    while (!stopped) {
      await library.borrowed(reader, { bookInfoId });
      await library.returned(reader, { bookInfoId });
    }
  };
  const running = run();
  return {
    stop: () => {
      stopped = true;
      return running;
    },
  };
}

it('tells of every partition and of every worker, each second, and whose partitions are whose', async () => {
  await library.registered();
  const stream = await open();
  // While others crowd in, the database may take longer than a sample waits for it.
  const { partitions, workers, at } = await stream.until(
    'a sample with an owner',
    (sample) => !sample.databaseAway && sample.partitions.some(({ owner }) => owner !== null),
    0,
  );
  expect(Math.abs(Date.parse(at) - Date.now())).toBeLessThan(60_000);
  expect(new Set(partitions.map(({ partition }) => partition)).size).toBe(partitions.length);
  expect(new Set(partitions.map(({ partition }) => partition.split('.')[0]))).toEqual(
    new Set(['identity', 'lending', 'posts', 'courses']),
  );
  for (const { partition, owner, epoch } of partitions.filter((one) => one.owner !== null)) {
    expect(epoch).toBeGreaterThan(0);
    expect(workers.find(({ worker }) => worker === owner)?.partitions).toContain(partition);
  }
  expect(
    workers.filter(({ heartbeatAgeMs }) => heartbeatAgeMs < 5000).length,
  ).toBeGreaterThanOrEqual(library.target.name === 'servers' ? 2 : 1);
  await stream.until('the next sample', (sample) => sample.at > at);
  await stream.until('a depth of every partition', (sample) =>
    sample.partitions.every(({ depth }) => depth !== null),
  );
});

it('tells how many commands end in a partition and of a type, and how long they take', async () => {
  const { bookInfoId } = await library.registered({ copies: 1 });
  const stream = await open();
  const busy = keepBusy(bookInfoId);
  try {
    const { types } = await stream.until('borrows', (sample) =>
      sample.types.some(({ type, perSecond }) => type === 'lending.borrow-book' && perSecond > 0),
    );
    for (const { p50Ms, p99Ms } of types) {
      expect(p50Ms).toBeGreaterThanOrEqual(0);
      expect(p99Ms).toBeGreaterThanOrEqual(p50Ms);
    }
    await stream.until('a partition that works', (sample) =>
      sample.partitions.some(
        ({ partition, perSecond }) => partition.startsWith('lending.') && (perSecond ?? 0) > 0,
      ),
    );
  } finally {
    await busy.stop();
  }
});

it('tells all who watch the same process the same samples', async () => {
  const streams = await Promise.all([open(), open()]);
  for (const stream of streams)
    await stream.until('three samples', () => stream.samples().length >= 3, 0);
  const [first, second] = streams.map((stream) =>
    stream.samples().map((sample) => JSON.stringify(sample)),
  );
  const shared = first!.filter((sample) => second!.includes(sample));
  expect(shared.length).toBeGreaterThanOrEqual(2);
});

it('goes on for the others when one leaves, and begins anew for the next when all have left', async () => {
  const [first, second] = await Promise.all([open(), open()]);
  await first.until('a sample', () => true, 0);
  first.close();
  await second.until('a sample after it', () => true);
  second.close();
  const third = await open();
  await third.until('a sample', () => true, 0);
});

it('has a history from before somebody looked: how many commands ended in each second', async () => {
  const began = Date.now();
  await library.registered();
  const items = await waitUntil('a second in which a command ended', 30_000, async () => {
    const { body } = await library.manage('get', '/api/console/history');
    const points = body.items as { at: string; perSecond: number | null }[];
    return points.some(({ at, perSecond }) => Date.parse(at) > began - 1000 && (perSecond ?? 0) > 0)
      ? points
      : null;
  });
  const instants = items.map(({ at }) => Date.parse(at));
  expect(instants).toEqual([...instants].sort((a, b) => a - b));
  expect(began - instants[0]!).toBeGreaterThan(60_000);
});

it('takes no parameters, and answers HEAD with the headers alone', async () => {
  expectFaults(await library.manage('get', '/api/console/stream?every=1'), {
    every: 'UNKNOWN_PARAMETER',
  });
  const { status, headers } = await supertest(library.target.url)
    .head('/api/console/stream')
    .auth(library.target.admin, { type: 'bearer' });
  expect([status, headers['content-type'], headers['cache-control']]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
    'no-store',
  ]);
});
