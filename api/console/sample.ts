import type { WorkerState } from '../../shared/database/worker-tables';

/** A sample of the console's stream, one a second. */

export interface PartitionSample {
  readonly partition: string;
  /** Commands that wait or are carried out; null while the transport cannot be asked. */
  readonly depth: number | null;
  /**
   * How long the oldest of them has waited, milliseconds. Null when there is none, and while no
   * worker holds the partition.
   */
  readonly oldestAgeMs: number | null;
  /** The worker that holds it; null when no live worker does, or a drained one did last. */
  readonly owner: string | null;
  readonly epoch: number;
  /** Commands that ended in a second; null while the database cannot be asked. */
  readonly perSecond: number | null;
}

export interface WorkerSample {
  readonly worker: string;
  /** Those that it took over last; none when it is drained. */
  readonly partitions: readonly string[];
  /**
   * Since it said last that it lives, milliseconds. One of more than a few seconds is gone, or
   * hangs.
   */
  readonly heartbeatAgeMs: number;
  /** Whether it takes partitions. */
  readonly state: WorkerState;
}

/** The number of partitions of each service. */
export interface LayoutSample {
  /** That in which commands are carried out. */
  readonly partitions: number;
  /** The number that a change under way leads to; null without one. */
  readonly changesTo: number | null;
}

/**
 * A type of command that ended within the last minute. Times are from its reception to its
 * decision.
 */
export interface TypeSample {
  readonly type: string;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Sums over all partitions. Null where nothing is known. */
export interface Totals {
  readonly perSecond: number | null;
  readonly depth: number | null;
  readonly oldestAgeMs: number | null;
}

/** How long commands of the last minute waited for a worker; null when there were none. */
export interface WaitSample {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface ConsoleSample {
  /** RFC 3339, UTC. */
  readonly at: string;
  /** The database did not answer: what comes from it is as it was last. */
  readonly databaseAway: boolean;
  readonly totals: Totals;
  readonly wait: WaitSample | null;
  /** Dead letters that are kept, at most 1,000 of them counted. */
  readonly deadLetters: number;
  readonly partitions: readonly PartitionSample[];
  readonly workers: readonly WorkerSample[];
  /** Null where one process does everything, so that neither it nor workers can be changed. */
  readonly layout: LayoutSample | null;
  readonly types: readonly TypeSample[];
}
