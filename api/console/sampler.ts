import { setTimeout as pause } from 'node:timers/promises';
import type { Sequelize } from 'sequelize-typescript';
import type { Now } from '../../shared/database/clock';
import { WORKER_ALIVE_S } from '../../shared/database/lease';
import { EMBEDDED_WORKER } from '../../shared/database/worker-tables';
import type { Logger } from '../../shared/logger';
import type { CommandSender } from '../../shared/messaging/transport';
import type { Services } from '../../shared/service';
import { serviceOf } from '../../shared/messaging/topology';
import { Depths } from './depths';
import { History, type ConsolePoint } from './history';
import { Latencies } from './latencies';
import { readConsole, type Ended, type Heartbeat, type Owner, type Readings } from './readings';
import { totalsOf } from './totals';
import type { ConsoleSample, PartitionSample, WaitSample, WorkerSample } from './sample';

/**
 * Looks once a second how the service is doing, for all consoles that watch this process, and only
 * while one does.
 *
 * States: idle (nobody watches), sampling. The first who watches starts it, and it stops by itself
 * when the last one has left. A database that does not answer in time is not asked again before it
 * has answered or failed; meanwhile everybody is told, and shown what was last known.
 */

const SAMPLE_MS = 1000;
/** How long the database may take, milliseconds; then it counts as unavailable. */
const READ_MS = 1000;
/**
 * Commands are counted when they were taken this long ago, milliseconds, for a batch that is not
 * committed shows nothing.
 */
const LAG_MS = 1000;
/** A worker that has not said for so long that it lives holds nothing any more, milliseconds. */
const ALIVE_MS = WORKER_ALIVE_S * 1000;
/** Stands for the commands of every type. */
const ALL = 'all';

export interface SamplerOptions {
  readonly services: Pick<Services, 'names'>;
  readonly database: Sequelize;
  readonly sender: Pick<CommandSender, 'waiting' | 'partitionFor'>;
  readonly now: Now;
  readonly logger: Logger;
}

export class Sampler {
  private readonly watchers = new Set<(json: string) => void>();
  private readonly depths: Depths;
  private latencies = new Latencies();
  /** How long commands of all types waited for a worker. */
  private waits = new Latencies();
  private readonly history: History;
  private running: Promise<void> | null = null;
  private reading: Promise<Readings> | null = null;
  private last: ConsoleSample | null = null;
  /** Up to when commands were counted, milliseconds since 1970. */
  private countedTo = 0;

  constructor(private readonly options: SamplerOptions) {
    this.depths = new Depths(options.sender);
    this.history = new History(options.database, options.now);
  }

  /** Sends every sample as JSON. Call the returned function to stop. */
  watch(take: (json: string) => void): () => void {
    this.watchers.add(take);
    this.running ??= this.run().catch((error: unknown) => {
      this.running = null;
      this.options.logger.error({ err: error }, 'the console gets no more samples');
    });
    return () => {
      this.watchers.delete(take);
    };
  }

  /** Returns the last minutes, the earliest first. */
  points(): Promise<readonly ConsolePoint[]> {
    return this.history.read();
  }

  private async run(): Promise<void> {
    this.latencies = new Latencies();
    this.waits = new Latencies();
    this.countedTo = this.options.now().getTime() - LAG_MS - SAMPLE_MS;
    while (this.watchers.size > 0) {
      const began = performance.now();
      this.last = await this.sample();
      this.history.add(this.last);
      const json = JSON.stringify(this.last);
      for (const take of this.watchers) take(json);
      await pause(Math.max(0, SAMPLE_MS - (performance.now() - began)), undefined, { ref: false });
    }
    this.running = null;
  }

  private async sample(): Promise<ConsoleSample> {
    const { database, now, logger } = this.options;
    const at = now().getTime();
    this.reading ??= readConsole(database, this.countedTo, at - LAG_MS);
    const readings = await Promise.race([this.reading, pause(READ_MS, null, { ref: false })]).catch(
      (error: unknown) => {
        this.reading = null;
        logger.debug({ err: error }, 'the console could not read the database');
        return null;
      },
    );
    if (!readings) return this.withoutDatabase(at);
    this.reading = null;
    const seconds = Math.max(readings.to - this.countedTo, 1) / 1000;
    this.countedTo = readings.to;
    return this.from(readings, at, seconds);
  }

  private async withoutDatabase(at: number): Promise<ConsoleSample> {
    const { partitions = [], workers = [], types = [], layout = null } = this.last ?? {};
    const deadLetters = this.last?.deadLetters ?? 0;
    await this.depths.look(
      partitions.map(({ partition }) => partition),
      new Set(),
    );
    const seen = partitions.map((one) => ({
      ...one,
      depth: this.depths.of(one.partition)?.commands ?? null,
      oldestAgeMs: null,
      perSecond: null,
    }));
    return {
      ...{ at: new Date(at).toISOString(), databaseAway: true, wait: null, deadLetters },
      totals: totalsOf(seen),
      ...{ partitions: seen, workers, types, layout },
    };
  }

  private async from(
    { owners, heartbeats, ended, deadLetters, layout }: Readings,
    at: number,
    seconds: number,
  ): Promise<ConsoleSample> {
    const byPartition = countBy(ended, (one) => this.partitionOf(one));
    for (const { type, decidedMs, takenMs } of ended) {
      if (decidedMs !== null) this.latencies.add(type, decidedMs, at);
      if (takenMs !== null) this.waits.add(ALL, takenMs, at);
    }
    await this.depths.look(
      owners.map(({ partition }) => partition),
      new Set(byPartition.keys()),
    );
    const workers = this.workers(owners, heartbeats, at);
    const holds = ({ heartbeatAgeMs, state }: WorkerSample) =>
      heartbeatAgeMs < ALIVE_MS && state !== 'drained';
    const alive = new Set(workers.filter(holds).map(({ worker }) => worker));
    const beats = new Map(heartbeats.map((beat) => [beat.worker, beat]));
    const partitions = owners.map((owner) => ({
      ...this.queueOf(owner, beats.get(owner.owner), at),
      owner: alive.has(owner.owner) ? owner.owner : null,
      epoch: owner.epoch,
      perSecond: (byPartition.get(owner.partition) ?? 0) / seconds,
    }));
    return {
      at: new Date(at).toISOString(),
      databaseAway: false,
      totals: totalsOf(partitions),
      wait: this.waitAt(at),
      deadLetters,
      partitions,
      workers,
      layout: this.isAlone ? null : layout,
      types: this.latencies.sample(
        at,
        countBy(ended, ({ type }) => type),
        seconds,
      ),
    };
  }

  /** Whether this process does everything, as the embedded default does. */
  private get isAlone(): boolean {
    return this.options.database.getDialect() === 'sqlite';
  }

  private waitAt(at: number): WaitSample | null {
    const [wait] = this.waits.sample(at, new Map(), 1);
    return wait ? { p50Ms: wait.p50Ms, p99Ms: wait.p99Ms } : null;
  }

  /**
   * Returns the depth of a partition: its queue, and what its worker held at the last heartbeat.
   * The worker has the older commands. A frozen worker does not report that they grow older.
   */
  private queueOf(
    { partition }: Owner,
    beat: Heartbeat | undefined,
    at: number,
  ): Pick<PartitionSample, 'partition' | 'depth' | 'oldestAgeMs'> {
    const queue = this.depths.of(partition);
    const [inHand, oldestInHand] = beat?.inHand[partition] ?? [0, null];
    const asOf = beat && at - beat.beatAt < ALIVE_MS ? beat.beatAt : at;
    const ages = [
      queue?.oldestAt && at - queue.oldestAt,
      oldestInHand && asOf - oldestInHand,
    ].filter((age) => typeof age === 'number');
    return {
      partition,
      depth: queue && queue.commands + inHand,
      oldestAgeMs: ages.length > 0 ? Math.max(0, ...ages) : null,
    };
  }

  private workers(
    owners: readonly Owner[],
    heartbeats: readonly Heartbeat[],
    at: number,
  ): WorkerSample[] {
    const embedded = { worker: EMBEDDED_WORKER, beatAt: at, state: 'serving' } as const;
    const all = this.isAlone ? [embedded] : heartbeats;
    return all.map(({ worker, beatAt, state }) => ({
      worker,
      partitions: owners
        .filter(({ owner }) => owner === worker && state !== 'drained')
        .map(({ partition }) => partition),
      heartbeatAgeMs: Math.max(0, at - beatAt),
      state,
    }));
  }

  /**
   * Returns the partition of a command. Null for an unknown command, or one from before keys were
   * kept.
   */
  private partitionOf({ type, key }: Ended): string | null {
    return key !== null && this.options.services.names.includes(serviceOf(type))
      ? this.options.sender.partitionFor({ type, key })
      : null;
  }
}

function countBy<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string | null,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) {
    const name = nameOf(item);
    if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}
