import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Sequelize } from 'sequelize-typescript';
import { partitionsInForce } from '../../shared/database/layouts';
import type { Logger } from '../../shared/logger';
import type { InHand } from '../../shared/database/worker-tables';
import type { Delivery, PartitionOwnership } from '../../shared/messaging/transport';
import {
  areHeldCommands,
  commandIdsOf,
  isHeld,
  type CommandDelivery,
} from '../batch/ownership/deliveries';
import { takeOver } from '../batch/ownership/fence';
import type { BatchProcessor } from '../batch/process-batch';
import { reasonOf, retryPauseMs } from '../batch/failures/retry';
import type { Stall } from '../batch/failures/stall';
import { areSuspect } from '../batch/failures/suspects';
import type { BatchTransactions } from '../batch/sql/transaction';
import { servePartitions } from '../metrics';
import { Arrivals } from './arrivals';
import { Ownerless } from './ownerless';

/**
 * The worker's one lane: whatever arrives during a commit is the next batch. There is no timer. A
 * lone command is a batch of one, and under load batches grow by themselves. When enough has
 * arrived, the reads of the next batch are pipelined behind the commit.
 *
 * States: idle (nothing arrived, no transaction is open), running (a batch is under way, and the
 * next may have begun), stopped. An offer starts an idle pump; `stop` lets what was begun end.
 */

/**
 * Most commands in one batch: bounds the transaction, and what is done again when it fails. Its
 * bytes are bounded by a setting.
 */
const BATCH_LENGTH_MAX = 500;
/**
 * When more than this have arrived, a batch takes only half of them. Clients that were answered
 * together come back together: were all of them in one batch, API, worker and database would take
 * turns, and each would stand still while another works. Two batches of fewer would cost more than
 * that gives.
 */
const BATCH_LENGTH_WHOLE = 128;
/**
 * The next batch is formed before the one before it has ended when so many commands have arrived;
 * fewer wait for those that still come.
 */
const AHEAD_MIN = 64;

export interface PumpDependencies {
  readonly database: Sequelize;
  readonly processor: BatchProcessor;
  readonly transactions: Pick<BatchTransactions, 'dropPipelined'>;
  readonly logger: Logger;
  /** Name of this worker, written into the rows of the partitions that it takes over. */
  readonly worker: string;
  /** Most bytes of a batch's commands, unless one has more. */
  readonly batchBytesMax: number;
  readonly stall: Stall;
}

export class Pump {
  private readonly arrived = new Arrivals();
  private readonly ownerless = new Ownerless(() => {
    this.running ??= this.run();
  });
  private running: Promise<void> | null = null;
  private batch: Promise<void> = Promise.resolve();
  private carrying: readonly Delivery[] = [];
  /** The batch that was formed to be carried out after that. */
  private next: readonly Delivery[] = [];
  private stopped = false;
  /** Holds that are being given up: of them nothing is begun any more. */
  private readonly leaving = new WeakSet<PartitionOwnership>();

  constructor(private readonly deps: PumpDependencies) {}

  offer(delivery: Delivery): void {
    if (this.stopped || !isHeld(delivery)) return;
    this.arrived.add(delivery);
    this.running ??= this.run();
  }

  /** What has arrived and is not carried out, for whoever looks on. */
  inHand(): InHand {
    const found: Record<string, [commands: number, oldestAt: number | null]> = {};
    for (const delivery of [
      ...this.carrying,
      ...this.next,
      ...this.ownerless.all,
      ...this.arrived.all(),
    ]) {
      const { name } = delivery.ownership;
      // The first is the oldest; the others are not read for this.
      const [commands, oldestAt] = found[name] ?? [0, createdAtOf(delivery)];
      found[name] = [commands + 1, oldestAt];
    }
    return found;
  }

  /** Forgets what waits of an ownership and resolves when no batch that was begun has any of it. */
  async settled(ownership: PartitionOwnership): Promise<void> {
    this.leaving.add(ownership);
    this.arrived.forget(ownership);
    this.ownerless.forget(ownership);
    await this.batch;
    while ([...this.carrying, ...this.next].some((delivery) => delivery.ownership === ownership))
      await this.batch;
  }

  /** Takes no more deliveries and resolves when what was begun is finished. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.arrived.clear();
    this.ownerless.clear();
    await this.running;
  }

  private async run(): Promise<void> {
    // One turn of the event loop, so that what is arriving in the same moment joins the batch.
    await nextTurn();
    this.takeDue();
    while (this.next.length + this.arrived.length > 0) {
      this.carrying = this.next.length > 0 ? this.next : this.take();
      this.next = [];
      this.batch = this.carryOut(this.carrying);
      await this.batch;
      this.carrying = [];
      this.takeDue();
      // The batch that was begun ahead may have lost all its partitions. Nothing that comes while
      // it is rolled back is passed over.
      if (this.next.length + this.arrived.length === 0)
        await this.deps.transactions.dropPipelined();
    }
    this.running = null;
  }

  /**
   * The next batch, which is formed when what has arrived is enough for one; empty as long as it is
   * not, and when anything about it needs care.
   */
  private upNext(): readonly CommandDelivery[] {
    if (this.next.length === 0 && this.arrived.length >= AHEAD_MIN) this.next = this.take();
    return areHeldCommands(this.next) && !areSuspect(this.next) ? this.next : [];
  }

  private async carryOut(batch: readonly Delivery[]): Promise<void> {
    try {
      await this.takeOverNew(batch);
      this.setAside(batch.filter(({ ownership }) => ownership.epoch === null));
      const again = await this.deps.processor.process(
        batch.filter(({ ownership }) => ownership.epoch !== null),
        () => this.upNext(),
      );
      if (again.length > 0) this.putBack(again);
    } catch (error) {
      // A fault of our own: the partitions are given up, so that their deliveries come again, here
      // or elsewhere.
      this.deps.logger.error({ err: error, commandIds: commandIdsOf(batch) }, 'batch gave up');
      for (const { ownership } of batch) if (!ownership.lost) ownership.release();
    }
  }

  /** What could not be taken over; when it was stopped or given up, it is somebody else's. */
  private setAside(deliveries: readonly Delivery[]): void {
    if (this.stopped) return;
    this.ownerless.add(
      deliveries.filter(({ ownership }) => !ownership.lost && !this.leaving.has(ownership)),
    );
  }

  /** Between two batches, so that nothing of its partitions is under way. */
  private takeDue(): void {
    const due = this.ownerless.takeDue();
    if (due.length > 0) this.putBack(due);
  }

  private take(): Delivery[] {
    return this.arrived.take({
      commands: lengthOfBatch(this.arrived.length),
      bytes: this.deps.batchBytesMax,
    });
  }

  /** In front of everything that has not begun. */
  private putBack(again: readonly Delivery[]): void {
    if (this.stopped) return;
    this.arrived.putBack([
      ...again.filter(({ ownership }) => !this.leaving.has(ownership)),
      ...this.next,
    ]);
    this.next = [];
  }

  /**
   * The first delivery of an ownership makes this worker the owner: nothing is paid for partitions
   * that stand still.
   */
  private async takeOverNew(batch: readonly Delivery[]): Promise<void> {
    const fresh = new Map(
      batch
        .filter(({ ownership }) => ownership.epoch === null && !this.ownerless.has(ownership))
        .map(({ ownership }) => [ownership.name, ownership]),
    );
    servePartitions(fresh.keys());
    for (let tries = 0; !this.stopped; tries += 1) {
      // One that was lost meanwhile belongs to somebody else, who must not be shut out.
      const names = [...fresh].filter(([, ownership]) => !ownership.lost).map(([name]) => name);
      if (names.length === 0) return;
      try {
        for (const { name, epoch } of await takeOver(this.deps.database, this.deps.worker, names)) {
          const ownership = fresh.get(name);
          if (ownership) ownership.epoch = epoch;
        }
        await this.tellOfOwnerless(names.filter((name) => fresh.get(name)?.epoch === null));
        return;
      } catch (error) {
        this.deps.logger.warn({ err: error, partitions: names }, 'partitions not taken over yet');
        this.deps.stall.failed(reasonOf(error));
        await pause(retryPauseMs(tries));
      }
    }
  }

  /** The rows of a layout that is drained are gone, and this worker will soon know. */
  private async tellOfOwnerless(names: readonly string[]): Promise<void> {
    const partitions = names.length === 0 ? [] : await partitionsInForce(names);
    if (partitions.length > 0)
      this.deps.logger.error(
        { partitions },
        'partitions have no row in partition_owner: nobody can carry out their commands',
      );
  }
}

const createdAtOf = ({ message }: Delivery): number | null =>
  'envelope' in message ? message.envelope.createdAt : null;

/** How many of the commands that have arrived go into the next batch. */
function lengthOfBatch(arrived: number): number {
  return Math.min(BATCH_LENGTH_MAX, Math.max(BATCH_LENGTH_WHOLE, Math.ceil(arrived / 2)));
}
