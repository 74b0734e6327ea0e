import { Counter, Gauge, Histogram } from 'prom-client';

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

export const partitionLag = new Gauge({
  name: 'lendline_partition_lag_seconds',
  help: 'Age of the oldest command of the last batch of a partition when it was committed; nothing comes from partitions that stand still',
  labelNames: ['partition'] as const,
});

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
