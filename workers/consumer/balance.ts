import type { Sequelize } from 'sequelize-typescript';
import { WORKER_ALIVE_S } from '../../shared/database/lease';
import {
  WorkerHeartbeat,
  type InHand,
  type WorkerState,
} from '../../shared/database/worker-tables';
import type { Logger } from '../../shared/logger';
import { readPeers, reportDrained, sendHeartbeat, type Peer, type Report } from './heartbeat';
import type { PartitionConsumer } from './partition';
import { partitionsWaiting } from '../metrics';
import { ranking } from './score';

/**
 * Spreads the partitions over the workers that are alive and reach the database, by their heartbeat
 * rows.
 * From RabbitMQ 4.0 on, priorities suffice: each worker consumes every partition with its
 * rendezvous score. Before 4.0 the oldest consumer wins, so only the first two in rank consume a
 * partition. Workers that disagree do no harm, because the fence lets only one commit.
 * States: serving; unavailable (no heartbeat for `LEAVE_AFTER_MS`, so every partition is left to
 * others). Only an own heartbeat ends that, so an outage costs each message one delivery per
 * worker. A draining or drained worker serves nothing either, until a command changes its row.
 */

/** How often a worker sends a heartbeat and reads those of others, milliseconds. */
const BEAT_MS = 1000;
/**
 * How long a worker that does not reach the database keeps its partitions, milliseconds: longer
 * than a restart of the database.
 */
const LEAVE_AFTER_MS = 15_000;
/**
 * Shortest time between two steps back from a partition, milliseconds. The first in rank may be
 * alive and still not get it.
 */
const STEP_BACK_MS = 10_000;
/** Longest fault in a heartbeat row, characters. */
const FAULT_LENGTH_MAX = 1000;
/** The rank of a worker that does not serve a partition. */
const NO_RANK = Infinity;

export interface BalanceOptions {
  readonly database: Sequelize;
  readonly worker: string;
  /** The broker's own version, for instance `3.10.8` or `4.2.1`. */
  readonly brokerVersion: string;
  /** Whether the broker is connected. */
  readonly connected: () => boolean;
  /** The partitions to serve at first. */
  readonly consumers: ReadonlyMap<string, PartitionConsumer>;
  /** The commands that this worker holds, reported to the console with each heartbeat. */
  readonly inHand: () => InHand;
  /** Why this worker cannot carry out commands, reported with each heartbeat; null when it can. */
  readonly fault: () => string | null;
  readonly logger: Logger;
}

export class Balance {
  private readonly brokerChooses: boolean;
  private timer: NodeJS.Timeout | null = null;
  private beating: Promise<void> | null = null;
  private reachedAt = performance.now();
  private unavailable = false;
  /** Why the last heartbeat failed. */
  private failure = '';
  private stopped = false;
  /** As the row had it at the last heartbeat. */
  private state: WorkerState = 'serving';
  private draining: Promise<void> | null = null;
  private consumers: ReadonlyMap<string, PartitionConsumer>;
  /**
   * Partitions for which this worker stands by, with a subscription later than that of the first in
   * rank.
   */
  private readonly behind = new Set<string>();
  private readonly steppedBackAt = new Map<string, number>();
  /**
   * Partitions in which this worker has met a command of a later release. A live worker that has
   * not met one serves them.
   */
  private readonly left = new Set<string>();

  constructor(
    private readonly options: BalanceOptions,
    private readonly beatMs = BEAT_MS,
  ) {
    this.consumers = options.consumers;
    this.brokerChooses = Number(options.brokerVersion.split('.')[0]) >= 4;
  }

  /** Returns why no partition is served, or null. */
  get fault(): string | null {
    if (this.stopped) return 'This worker is stopping.';
    return this.unavailable
      ? `MySQL has taken no heartbeat for ${LEAVE_AFTER_MS / 1000} s: ${this.failure}`
      : null;
  }

  async start(): Promise<void> {
    await this.beat();
    this.timer = setInterval(() => {
      this.tick();
    }, this.beatMs);
  }

  /** Releases every partition in order, and serves these from now on. */
  async serve(consumers: ReadonlyMap<string, PartitionConsumer>): Promise<void> {
    const former = this.consumers;
    this.consumers = consumers;
    this.behind.clear();
    this.steppedBackAt.clear();
    await unsubscribeAll(former);
    await this.beating;
    await this.beat();
  }

  /** Releases every partition in order, so that others may take them at once. */
  async stop(): Promise<void> {
    this.stopped = true;
    if (this.timer) clearInterval(this.timer);
    await unsubscribeAll(this.consumers);
    // An older row counts as gone anyway.
    if (performance.now() - this.reachedAt > WORKER_ALIVE_S * 1000) return;
    await this.beating;
    await WorkerHeartbeat.destroy({ where: { worker: this.options.worker } }).catch(
      () => undefined,
    );
  }

  /** Checks the time by itself, because a heartbeat may wait as long as the database is silent. */
  private tick(): void {
    if (!this.options.connected()) {
      // There is nothing to release or to take: without heartbeats, others no longer rank this
      // worker.
      this.reachedAt = performance.now();
      return;
    }
    if (!this.unavailable && performance.now() - this.reachedAt > LEAVE_AFTER_MS) this.leave();
    this.beating ??= this.beat()
      .catch((error: unknown) => {
        this.failure = (error as Error).message;
        this.options.logger.warn({ err: error }, 'heartbeat failed');
      })
      .finally(() => {
        this.beating = null;
      });
  }

  private leave(): void {
    this.unavailable = true;
    this.behind.clear();
    for (const consumer of this.consumers.values()) consumer.abandon();
    this.options.logger.error(
      { unreachedMs: LEAVE_AFTER_MS },
      'database unavailable: partitions released',
    );
  }

  private async beat(): Promise<void> {
    const { database, worker, logger } = this.options;
    await sendHeartbeat(database, worker, this.state, this.report());
    const peers = await readPeers(database);
    if (this.stopped) return;
    if (this.unavailable) logger.info('database reached again');
    this.reachedAt = performance.now();
    this.unavailable = false;
    this.follow(peers.find((peer) => peer.worker === worker)?.state ?? this.state);
    const serving = peers.filter(({ state }) => state === 'serving');
    for (const [name, consumer] of this.consumers)
      this.place(name, consumer, this.rankOf(name, serving));
  }

  private report(): Report {
    const { inHand, fault } = this.options;
    const waiting = [...this.consumers].filter(([, consumer]) => consumer.waits);
    partitionsWaiting.set(waiting.length);
    for (const [name] of waiting) this.left.add(name);
    return {
      inHand: JSON.stringify(inHand()),
      fault: fault()?.slice(0, FAULT_LENGTH_MAX) ?? null,
      leftToLater: this.left.size > 0 ? JSON.stringify([...this.left]) : null,
    };
  }

  /** Takes over the state that a command wrote. Handing over is repeated until it is reported. */
  private follow(state: WorkerState): void {
    const { database, worker, logger } = this.options;
    if (state !== this.state) logger.info({ state }, 'state of the worker changes');
    this.state = state;
    if (state !== 'draining') return;
    this.draining ??= unsubscribeAll(this.consumers)
      .then(() => reportDrained(database, worker))
      .catch((error: unknown) => {
        logger.warn({ err: error }, 'drained worker not reported');
      })
      .finally(() => {
        this.draining = null;
      });
  }

  /** Returns 0 for the worker that serves the partition, and 1 for the one that stands by. */
  private rankOf(name: string, peers: readonly Peer[]): number {
    if (this.state !== 'serving') return NO_RANK;
    const able = peers.filter(({ left }) => !left.has(name));
    if (able.length > 0 && this.left.has(name)) return NO_RANK;
    if (this.brokerChooses) return 0;
    const rank = ranking(
      (able.length > 0 ? able : peers).map((peer) => peer.worker),
      name,
    ).indexOf(this.options.worker);
    return rank === -1 ? NO_RANK : rank;
  }

  /**
   * Subscribes or unsubscribes as the rank demands. Unfinished steps are repeated with the next
   * heartbeat.
   */
  private place(name: string, consumer: PartitionConsumer, rank: number): void {
    if (rank !== 1) this.behind.delete(name);
    if (rank > 1 || (rank === 1 && this.stepsBack(name, consumer))) void consumer.unsubscribe();
    else consumer.subscribe();
  }

  /**
   * Unsubscribes the second in rank for one heartbeat, so that its subscription comes after that of
   * the first.
   */
  private stepsBack(name: string, consumer: PartitionConsumer): boolean {
    if (this.behind.has(name) && !consumer.active) return false;
    if (consumer.subscribed && !this.mayStepBack(name)) return false;
    this.behind.add(name);
    return true;
  }

  private mayStepBack(name: string): boolean {
    const now = performance.now();
    if (now - (this.steppedBackAt.get(name) ?? -Infinity) < STEP_BACK_MS) return false;
    this.steppedBackAt.set(name, now);
    return true;
  }
}

async function unsubscribeAll(consumers: ReadonlyMap<string, PartitionConsumer>): Promise<void> {
  await Promise.all([...consumers.values()].map((consumer) => consumer.unsubscribe()));
}
