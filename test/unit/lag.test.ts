import { register } from 'prom-client';
import type { InHand } from '../../shared/database/worker-tables';
import { measureLag, servePartitions } from '../../workers/metrics';

/** How late partitions are, as Prometheus reads it. */

const NOW = Date.parse('2026-03-01T12:00:00Z');

async function lags(inHand: InHand): Promise<Record<string, number>> {
  measureLag(
    () => inHand,
    () => new Date(NOW),
  );
  const { values } = await register.getSingleMetric('lendline_partition_lag_seconds')!.get();
  return Object.fromEntries(values.map(({ labels, value }) => [labels['partition'], value]));
}

it('tells the age of the oldest command that is held of a partition', async () => {
  servePartitions(['lending.commands.07', 'posts.commands.01']);
  expect(await lags({ 'lending.commands.07': [900, NOW - 4500] })).toEqual({
    'lending.commands.07': 4.5,
    'posts.commands.01': 0,
  });
});

it('no longer calls a partition late whose commands have ended', async () => {
  servePartitions(['lending.commands.07']);
  await lags({ 'lending.commands.07': [900, NOW - 4500] });
  expect(await lags({})).toMatchObject({ 'lending.commands.07': 0 });
});
