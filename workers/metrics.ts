import { Counter, Gauge, Histogram } from 'prom-client';
import type { Now } from '../shared/database/clock';
import type { InHand } from '../shared/database/tables';

/**
 * What a worker measures, for Prometheus. Labels have few values, all known beforehand: each makes
 * a time series.
 */

/** Upper bounds in seconds. */
const BUCKETS_S = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export const batchCommands = new Histogram({
  name: 'lendline_batch_commands',
  help: 'Commands in a batch that was committed',
  buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
});

/** `step`: see `batch/times.ts`. */
export const batchSteps = new Histogram({
  name: 'lendline_batch_step_seconds',
  help: 'Time that a step of a batch took',
  labelNames: ['step'] as const,
  buckets: BUCKETS_S,
});

export const batchFailures = new Counter({
  name: 'lendline_batch_failures_total',
  help: 'Batches that failed, by what was done next',
  labelNames: ['next'] as const,
});

/** `ending`: `succeeded`, `refused`, `failed`, or `repeated`, for one that had ended before. */
export const commandsEnded = new Counter({
  name: 'lendline_commands_total',
  help: 'Commands that were carried out, by type and ending',
  labelNames: ['type', 'ending'] as const,
});

/** Partitions of which this process has held commands. */
const served = new Set<string>();
let inHandNow: () => InHand = () => ({});
let clock: Now = () => new Date();

new Gauge({
  name: 'lendline_partition_lag_seconds',
  help: 'Age of the oldest command of a partition that this worker holds; 0 when it holds none',
  labelNames: ['partition'] as const,
  // At each look, so that a partition that has caught up, or stands still, is not late for ever.
  collect() {
    const inHand = inHandNow();
    for (const partition of served) {
      const oldestAt = inHand[partition]?.[1] ?? null;
      const age = oldestAt === null ? 0 : clock().getTime() - oldestAt;
      this.set({ partition }, Math.max(0, age) / 1000);
    }
  },
});

/** Says from now on how late the partitions are, by what this process holds of them. */
export function measureLag(inHand: () => InHand, now: Now): void {
  inHandNow = inHand;
  clock = now;
}

/** Partitions that this process begins to serve: from now on it says how late they are. */
export function servePartitions(partitions: Iterable<string>): void {
  for (const partition of partitions) served.add(partition);
}

export const deadLetters = new Counter({
  name: 'lendline_dead_letters_total',
  help: 'Messages put aside as dead letters',
});

export const commandsStalled = new Gauge({
  name: 'lendline_commands_stalled',
  help: 'Whether a fault of the system has kept this worker from carrying out commands for a second or longer (1) or not (0)',
});

export const eventsRelayed = new Counter({
  name: 'lendline_events_relayed_total',
  help: 'Domain events published from the outbox',
});
