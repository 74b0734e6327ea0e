import { Counter, Gauge, Histogram } from 'prom-client';
import type { Now } from '../shared/database/clock';
import type { InHand } from '../shared/database/worker-tables';

/**
 * The metrics of a worker, for Prometheus. Labels have few values, all known beforehand, because
 * each makes a time series.
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

/**
 * `ending`: `succeeded`, `refused`, `failed`, or `repeated` for a command that had ended before.
 */
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
  // Computed at each scrape, so that an idle partition does not stay late for ever.
  collect() {
    const inHand = inHandNow();
    for (const partition of served) {
      const oldestAt = inHand[partition]?.[1] ?? null;
      const age = oldestAt === null ? 0 : clock().getTime() - oldestAt;
      this.set({ partition }, Math.max(0, age) / 1000);
    }
  },
});

/** Reports how late the partitions are, from the commands that this process holds. */
export function measureLag(inHand: () => InHand, now: Now): void {
  inHandNow = inHand;
  clock = now;
}

/** Begins to report how late these partitions are. */
export function servePartitions(partitions: Iterable<string>): void {
  for (const partition of partitions) served.add(partition);
}

export const partitionsWithoutOwner = new Gauge({
  name: 'lendline_partitions_without_owner',
  help: 'Partitions of which this worker holds commands that nobody can carry out, for they have no row in partition_owner',
});

export const partitionsWaiting = new Gauge({
  name: 'lendline_partitions_waiting',
  help: 'Partitions that this worker holds and leaves alone, because they have a command of a later release',
});

export const deadLetters = new Counter({
  name: 'lendline_dead_letters_total',
  help: 'Messages that became dead letters',
});

export const commandsStalled = new Gauge({
  name: 'lendline_commands_stalled',
  help: 'Whether a fault of the system has kept this worker from carrying out commands for a second or longer (1) or not (0)',
});

export const eventsRelayed = new Counter({
  name: 'lendline_events_relayed_total',
  help: 'Domain events published from the outbox',
});

/** `ending`: `sent`, or `refused` for an abandoned e-mail. */
export const mailsSent = new Counter({
  name: 'lendline_notice_mails_total',
  help: 'Notices sent by e-mail, by ending',
  labelNames: ['ending'] as const,
});

/** `ending`: `delivered` or `failed`. A failed delivery is tried again. */
export const deliveriesTried = new Counter({
  name: 'lendline_webhook_deliveries_total',
  help: 'Attempts to deliver an event to a webhook, by ending',
  labelNames: ['ending'] as const,
});

/** How long a count of the backlog is reported, milliseconds. Then another worker counts it. */
const BACKLOG_KEPT_MS = 30_000;
let backlog = { deliveries: 0, at: -Infinity };

new Gauge({
  name: 'lendline_webhook_backlog',
  help: 'Events that wait to be delivered to a webhook; 0 at workers that do not deliver',
  collect() {
    const isOld = performance.now() - backlog.at > BACKLOG_KEPT_MS;
    this.set(isOld ? 0 : backlog.deliveries);
  },
});

/** Reports how many deliveries wait. */
export function tellBacklog(deliveries: number): void {
  backlog = { deliveries, at: performance.now() };
}
