import { openLibrary, type Library } from '../../support/clients/books';
import { startService } from '../../support/service/start-service';
import { freePorts } from '../../support/servers/ports';
import { newSecret, startServers } from '../../support/service/processes';
import { exportedSecret, targetAt } from '../../support/service/target';
import { waitUntil } from '../../support/wait';

/** What the programs measure of one title's life, as Prometheus would read it. */

const WAIT_MS = 20_000;

/**
 * The value of a series, or of the first whose labels hold all these; undefined when there is none.
 */
async function series(
  url: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number | undefined> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const line = text
    .split('\n')
    .find(
      (one) =>
        (one.startsWith(`${name}{`) || one.startsWith(`${name} `)) &&
        Object.entries(labels).every(([label, value]) => one.includes(`${label}="${value}"`)),
    );
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ')));
}

/** One copy for two readers: one borrow succeeds and one is refused. */
async function lendOneCopy(library: Library): Promise<void> {
  const { bookInfoId } = await library.single();
  const [first, second] = [library.newReader(), library.newReader()];
  await library.borrowed(first, { bookInfoId });
  expect((await library.borrow(second, { bookInfoId })).status).toBe(409);
  await library.detail(bookInfoId);
  await library.detail(bookInfoId);
}

async function expectMeasured(api: string, worker: string): Promise<void> {
  const borrow = { type: 'lending.borrow-book' };
  expect(
    await series(api, 'lendline_command_wait_seconds_count', { ...borrow, ended: 'answered' }),
  ).toBe(2);
  expect(await series(api, 'lendline_cache_reads_total', { result: 'hit' })).toBeGreaterThanOrEqual(
    1,
  );
  expect(
    await series(api, 'lendline_cache_reads_total', { result: 'miss' }),
  ).toBeGreaterThanOrEqual(1);
  expect(await series(api, 'lendline_database_breaker_open')).toBe(0);
  expect(
    await series(api, 'http_request_duration_seconds_count', {
      route: '/api/borrows',
      status: '409',
    }),
  ).toBe(1);
  expect(await series(worker, 'lendline_commands_total', { ...borrow, ending: 'succeeded' })).toBe(
    1,
  );
  expect(await series(worker, 'lendline_commands_total', { ...borrow, ending: 'refused' })).toBe(1);
  for (const step of ['read', 'decide', 'commit'])
    expect(
      await series(worker, 'lendline_batch_step_seconds_count', { step }),
    ).toBeGreaterThanOrEqual(3);
  expect(await series(worker, 'lendline_batch_commands_count')).toBeGreaterThanOrEqual(3);
  expect(await series(worker, 'lendline_partition_lag_seconds')).toBeLessThan(10);
  await waitUntil(
    'the events are counted',
    WAIT_MS,
    async () => ((await series(worker, 'lendline_events_relayed_total')) ?? 0) >= 2 || undefined,
  );
  expect(await series(worker, 'process_cpu_seconds_total')).toBeGreaterThan(0);
}

it('are counted by an API and a worker (servers)', async () => {
  const secret = { JWT_SECRET: exportedSecret(newSecret) };
  const [port = 0] = await freePorts(1);
  const { apis } = await startServers({
    apis: 1,
    workers: 1,
    env: { ...secret, WORKER_METRICS_PORT: String(port) },
  });
  const api = apis[0]?.url ?? '';
  await lendOneCopy(await openLibrary(targetAt('servers', [api])));
  await expectMeasured(api, `http://127.0.0.1:${port}`);
  // No other address of this machine serves them.
  await expect(fetch(`http://127.0.0.2:${port}/metrics`)).rejects.toThrow();
  expect(await series(api, 'lendline_publish_confirm_seconds_count')).toBeGreaterThanOrEqual(3);
});

it('are served by a worker where WORKER_METRICS_HOST says so (servers)', async () => {
  const [port = 0] = await freePorts(1);
  await startServers({
    apis: 0,
    workers: 1,
    env: { WORKER_METRICS_HOST: '0.0.0.0', WORKER_METRICS_PORT: String(port) },
  });
  expect(await series(`http://127.0.0.2:${port}`, 'process_cpu_seconds_total')).toBeGreaterThan(0);
});

it('are counted by the one process (embedded)', async () => {
  const { target } = await startService({ on: 'embedded' });
  await lendOneCopy(await openLibrary(target));
  await expectMeasured(target.url, target.url);
});
