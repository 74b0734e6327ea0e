import type { ConsoleSample } from '../../../api/console/sample';
import { Library, succeeded } from '../../support/clients/books';
import { ConsoleStream } from '../../support/clients/console';
import { expectFaults, expectProblem } from '../../support/clients/problems';
import { startService } from '../../support/service/start-service';
import { waitUntil } from '../../support/wait';

/** What administrators do with workers and partitions, on a service of their own. */

/** A change leaves the former queues for 15 s, and the machine may be busy, milliseconds. */
const CHANGED_MS = 240_000;

let library: Library;
let stream: ConsoleStream;
beforeAll(async () => {
  library = new Library((await startService({ workers: 2 })).target);
  stream = await ConsoleStream.open(library.target.url, library.target.admin);
}, 180_000);

const onServers = (): boolean => library.target.name === 'servers';
const resize = (partitions: unknown) =>
  library.manage('post', '/api/console/partitions/resize', { partitions });
const tell = (worker: string, verb: 'drain' | 'resume') =>
  library.manage('post', `/api/console/workers/${worker}/${verb}`);
const until = (what: string, holds: (sample: ConsoleSample) => boolean) =>
  stream.until(what, (sample) => !sample.databaseAway && holds(sample));
const stateOf = ({ workers }: ConsoleSample, name: string) =>
  workers.find(({ worker }) => worker === name)?.state;

/** Some titles, whose commands go to several partitions. */
const writeSome = async () => {
  for (let count = 0; count < 8; count += 1) await library.registered();
};
/**
 * Waits for a sample while commands are written: a worker has the partitions that it has written
 * to, and one that has just come may be too late for the first commands.
 */
const untilWritten = (what: string, holds: (sample: ConsoleSample) => boolean) =>
  waitUntil(what, CHANGED_MS, async () => {
    await writeSome();
    return stream
      .samples()
      .slice(-1)
      .find((sample) => !sample.databaseAway && holds(sample));
  });
const auditOf = async (action: string) =>
  (
    succeeded(await library.manage('get', `/api/audit?action=${action}&size=100`), 200).items as {
      target: string;
      details: Record<string, unknown>;
    }[]
  ).map(({ target, details }) => ({ target, ...details }));

it('a worker is drained, hands its partitions over, and takes work again', async () => {
  const { workers } = await untilWritten('two workers', (sample) =>
    onServers()
      ? sample.workers.every(({ partitions }) => partitions.length > 0) &&
        sample.workers.length === 2
      : sample.workers.length === 1,
  );
  const [{ worker: first }, second] = [workers[0]!, workers[1]];
  expect(workers.map(({ state }) => state)).toEqual(workers.map(() => 'serving'));
  if (!second) {
    expectProblem(await tell(first, 'drain'), 409, 'LAST_SERVING_WORKER');
    return;
  }
  expect(succeeded(await tell(first, 'drain'), 200)).toEqual({ worker: first, state: 'draining' });
  await until('it is drained', (sample) => stateOf(sample, first) === 'drained');
  await writeSome();
  await until(
    'the other has all that is in use',
    ({ partitions, workers: all }) =>
      partitions.every(({ owner, depth }) => depth === 0 && owner !== first) &&
      all.find(({ worker }) => worker === first)?.partitions.length === 0,
  );
  // The same again changes nothing.
  expect(succeeded(await tell(first, 'drain'), 200)).toEqual({ worker: first, state: 'drained' });
  expectProblem(await tell(second.worker, 'drain'), 409, 'LAST_SERVING_WORKER');
  expect(succeeded(await tell(first, 'resume'), 200)).toEqual({ worker: first, state: 'serving' });
  await untilWritten('it has partitions again', ({ partitions }) =>
    partitions.some(({ owner }) => owner === first),
  );
  expect(succeeded(await tell(second.worker, 'drain'), 200)).toMatchObject({ state: 'draining' });
  await until('the other is drained', (sample) => stateOf(sample, second.worker) === 'drained');
  succeeded(await tell(second.worker, 'resume'), 200);
  expect(await auditOf('identity.drain-worker')).toContainEqual({
    target: 'workers',
    status: 'succeeded',
    commandId: expect.any(String) as string,
    payload: { worker: first },
  });
  expect(await auditOf('identity.drain-worker')).toContainEqual(
    expect.objectContaining({ status: 'failed', code: 'LAST_SERVING_WORKER' }),
  );
}, 180_000);

it('a worker that is not there is neither drained nor resumed', async () => {
  for (const verb of ['drain', 'resume'] as const) {
    expectProblem(await tell('nobody', verb), 404, 'WORKER_NOT_FOUND');
    expectProblem(await tell('x'.repeat(100), verb), 404, 'WORKER_NOT_FOUND');
  }
});

it('a number of partitions that cannot be is refused', async () => {
  expectFaults(await resize(0), { partitions: 'OUT_OF_RANGE' });
  expectFaults(await resize(257), { partitions: 'OUT_OF_RANGE' });
  expectFaults(await resize('8'), { partitions: 'INVALID_TYPE' });
});

it(
  'partitions are resized by the workers, once at a time',
  async () => {
    if (!onServers()) {
      expectProblem(await resize(8), 409, 'PARTITIONS_FIXED');
      expect((await until('a sample', () => true)).layout).toBeNull();
      return;
    }
    expect((await until('a sample', () => true)).layout).toEqual({
      partitions: 16,
      changesTo: null,
    });
    expect(succeeded(await resize(16), 200)).toEqual({ from: 16, to: 16 });
    const [one, other] = await Promise.all([resize(3), resize(5)]);
    const [done, refused] = one.status === 200 ? [one, other] : [other, one];
    const to = done.body.to as number;
    expect(succeeded(done, 200)).toEqual({ from: 16, to });
    expectProblem(refused, 409, 'RESIZE_UNDER_WAY');
    await until('it is under way', ({ layout }) => layout?.changesTo === to);
    await writeSome();
    await until('it is changed', ({ layout }) => layout?.partitions === to);
    const { partitions } = await until(
      'the former queues are gone',
      ({ layout }) => layout?.changesTo === null,
    );
    expect(partitions).toHaveLength(4 * to);
    await writeSome();
    expect(await auditOf('identity.resize-partitions')).toContainEqual(
      expect.objectContaining({ status: 'succeeded', payload: { partitions: to } }),
    );
  },
  CHANGED_MS,
);
