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
 * Runs batches one after the other: whatever arrives during a commit is the next batch.
 * There is no timer. A lone command is a batch of one, and under load batches grow by themselves.
 * When enough commands have arrived, the reads of the next batch are pipelined behind the commit.
 * States: idle (nothing arrived, no transaction is open), running (a batch is under way, and the
 * next may have begun), stopped. An offer starts an idle pump. `stop` lets batches that have begun
 * end.
 */

/**
 * Most commands in one batch. It bounds the transaction, and the work that a failure repeats. A
 * setting bounds its bytes.
 */
const BATCH_LENGTH_MAX = 500;
/**
 * When more commands than this have arrived, a batch takes half of them. Clients that are answered
 * together come back together. In one batch, API, worker and database would take turns, and each
 * would idle while another works. Splitting fewer commands would cost more than it gains.
 */
const BATCH_LENGTH_WHOLE = 128;
/**
 * The next batch is formed before the present one ends when this many commands have arrived. Fewer
 * wait for more.
 */
const AHEAD_MIN = 64;

export interface PumpDependencies {
  readonly database: Sequelize;
  readonly processor: BatchProcessor;
  readonly transactions: Pick<BatchTransactions, 'dropPipelined'>;
  readonly logger: Logger;
  /** Name of this worker, written into the rows of the partitions that it takes over. */
  readonly worker: string;
  /** Most bytes of a batch's commands. A batch of one command may have more. */
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
  /** The batch that follows the present one. */
  private next: readonly Delivery[] = [];
  private stopped = false;
  /** Ownerships that are being released. No new batch takes their commands. */
  private readonly leaving = new WeakSet<PartitionOwnership>();

  constructor(private readonly deps: PumpDependencies) {}

  offer(delivery: Delivery): void {
    if (this.stopped || !isHeld(delivery)) return;
    this.arrived.add(delivery);
    this.running ??= this.run();
  }

  /** Returns the commands that have arrived and are not carried out, for the console. */
  inHand(): InHand {
    const found: Record<string, [commands: number, oldestAt: number | null]> = {};
    for (const delivery of [
      ...this.carrying,
      ...this.next,
      ...this.ownerless.all,
      ...this.arrived.all(),
    ]) {
      const { name } = delivery.ownership;
      // The first is the oldest, so the others are not read.
      const [commands, oldestAt] = found[name] ?? [0, createdAtOf(delivery)];
      found[name] = [commands + 1, oldestAt];
    }
    return found;
  }

  /** Forgets the waiting commands of an ownership, and resolves when no batch holds any of them. */
  async settled(ownership: PartitionOwnership): Promise<void> {
    this.leaving.add(ownership);
    this.arrived.forget(ownership);
    this.ownerless.forget(ownership);
    await this.batch;
    while ([...this.carrying, ...this.next].some((delivery) => delivery.ownership === ownership))
      await this.batch;
  }

  /** Takes no more deliveries, and resolves when every batch that has begun is finished. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.arrived.clear();
    this.ownerless.clear();
    await this.running;
  }

  private async run(): Promise<void> {
    // One turn of the event loop, so that deliveries of the same moment join the batch.
    await nextTurn();
    this.takeDue();
    while (this.next.length + this.arrived.length > 0) {
      this.carrying = this.next.length > 0 ? this.next : this.take();
      this.next = [];
      this.batch = this.carryOut(this.carrying);
      await this.batch;
      this.carrying = [];
      this.takeDue();
      // The pipelined batch may have lost all its partitions. New arrivals during its rollback are
      // not skipped.
      if (this.next.length + this.arrived.length === 0)
        await this.deps.transactions.dropPipelined();
    }
    this.running = null;
  }

  /**
   * Forms the next batch when enough has arrived. Empty otherwise, and whenever anything needs
   * care.
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
      // A bug of our own: the partitions are released, so that their deliveries come again, here or
      // at another worker.
      this.deps.logger.error({ err: error, commandIds: commandIdsOf(batch) }, 'batch gave up');
      for (const { ownership } of batch) if (!ownership.lost) ownership.release();
    }
  }

  /**
   * Sets aside deliveries that could not be taken over. After a stop or release, they belong to
   * another worker.
   */
  private setAside(deliveries: readonly Delivery[]): void {
    if (this.stopped) return;
    this.ownerless.add(
      deliveries.filter(({ ownership }) => !ownership.lost && !this.leaving.has(ownership)),
    );
  }

  /** Takes due deliveries between two batches, when nothing of their partitions is under way. */
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

  /** Puts deliveries back, in front of everything that has not begun. */
  private putBack(again: readonly Delivery[]): void {
    if (this.stopped) return;
    this.arrived.putBack([
      ...again.filter(({ ownership }) => !this.leaving.has(ownership)),
      ...this.next,
    ]);
    this.next = [];
  }

  /**
   * Takes over partitions with the first delivery of an ownership. Idle partitions therefore cost
   * nothing.
   */
  private async takeOverNew(batch: readonly Delivery[]): Promise<void> {
    const fresh = new Map(
      batch
        .filter(({ ownership }) => ownership.epoch === null && !this.ownerless.has(ownership))
        .map(({ ownership }) => [ownership.name, ownership]),
    );
    servePartitions(fresh.keys());
    for (let tries = 0; !this.stopped; tries += 1) {
      // An ownership lost meanwhile belongs to another worker, who must not be fenced out.
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

  /**
   * Logs partitions without an owner's row. Rows of a drained layout are gone, and this worker will
   * soon know.
   */
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

/** Returns how many of the arrived commands go into the next batch. */
function lengthOfBatch(arrived: number): number {
  return Math.min(BATCH_LENGTH_MAX, Math.max(BATCH_LENGTH_WHOLE, Math.ceil(arrived / 2)));
}
