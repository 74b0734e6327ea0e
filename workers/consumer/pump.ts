import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Sequelize } from 'sequelize-typescript';
import type { Logger } from '../../shared/logger';
import type { InHand } from '../../shared/database/tables';
import type { Delivery, PartitionHold } from '../../shared/messaging/transport';
import { areHeldCommands, commandIdsOf, type CommandDelivery } from '../batch/deliveries';
import { takeOver } from '../batch/fence';
import type { BatchProcessor } from '../batch/process-batch';
import { reasonOf, retryPauseMs } from '../batch/retry';
import type { Stall } from '../batch/stall';
import { areSuspect } from '../batch/suspects';
import type { BatchTransactions } from '../batch/transaction';
import { servePartitions } from '../metrics';
import { Arrivals } from './arrivals';

/**
 * The worker's one lane: what arrives from all its partitions while a batch is being committed
 * forms the next batch. There is no timer: alone, a command is a batch of one and waits for nobody;
 * under load, batches grow by themselves. One lane for all partitions makes batches larger when
 * clients are few, and keeps every partition in order. When enough has arrived by the time a batch
 * is committed, the next one is formed then, so that its reads travel with that commit.
 *
 * States: idle (nothing arrived, no transaction is open), running (a batch is under way, and the
 * next one may have been begun), stopped (nothing is taken any more). An offer starts an idle pump;
 * `stop` lets what was begun end and never begins more.
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
  readonly transactions: Pick<BatchTransactions, 'dropAhead'>;
  readonly logger: Logger;
  /** Name of this worker, written into the rows of the partitions that it takes over. */
  readonly worker: string;
  /** Most bytes of a batch's commands, unless one has more. */
  readonly batchBytesMax: number;
  readonly stall: Stall;
}

export class Pump {
  private readonly arrived = new Arrivals();
  private running: Promise<void> | null = null;
  private batch: Promise<void> = Promise.resolve();
  private carrying: readonly Delivery[] = [];
  /** The batch that was formed to be carried out after that. */
  private next: readonly Delivery[] = [];
  private stopped = false;
  /** Holds that are being given up: of them nothing is begun any more. */
  private readonly leaving = new WeakSet<PartitionHold>();

  constructor(private readonly deps: PumpDependencies) {}

  offer(delivery: Delivery): void {
    if (this.stopped) return;
    this.arrived.add(delivery);
    this.running ??= this.run();
  }

  /** What has arrived and is not carried out, for whoever looks on. */
  inHand(): InHand {
    const found: Record<string, [commands: number, oldestAt: number | null]> = {};
    for (const delivery of [...this.carrying, ...this.next, ...this.arrived.all()]) {
      const { name } = delivery.hold;
      // The first is the oldest; the others are not read for this.
      const [commands, oldestAt] = found[name] ?? [0, createdAtOf(delivery)];
      found[name] = [commands + 1, oldestAt];
    }
    return found;
  }

  /** Forgets what waits of a hold and resolves when no batch that was begun has any of it. */
  async settled(hold: PartitionHold): Promise<void> {
    this.leaving.add(hold);
    this.arrived.forget(hold);
    await this.batch;
    while ([...this.carrying, ...this.next].some((delivery) => delivery.hold === hold))
      await this.batch;
  }

  /** Takes no more deliveries and resolves when what was begun is finished. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.arrived.clear();
    await this.running;
  }

  private async run(): Promise<void> {
    // One turn of the event loop, so that what is arriving in the same moment joins the batch.
    await nextTurn();
    while (this.next.length + this.arrived.length > 0) {
      this.carrying = this.next.length > 0 ? this.next : this.take();
      this.next = [];
      this.batch = this.carryOut(this.carrying);
      await this.batch;
      this.carrying = [];
      // The batch that was begun ahead may have lost all its partitions. Nothing that comes while
      // it is rolled back is passed over.
      if (this.next.length + this.arrived.length === 0) await this.deps.transactions.dropAhead();
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
      // Without an epoch only when it was stopped meanwhile.
      const again = await this.deps.processor.process(
        batch.filter(({ hold }) => hold.epoch !== null),
        () => this.upNext(),
      );
      if (again.length > 0) this.putBack(again);
    } catch (error) {
      // A fault of our own: the partitions are given up, so that their deliveries come again, here
      // or elsewhere.
      this.deps.logger.error({ err: error, commandIds: commandIdsOf(batch) }, 'batch gave up');
      for (const { hold } of batch) if (!hold.lost) hold.release();
    }
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
    this.arrived.putBack([...again.filter(({ hold }) => !this.leaving.has(hold)), ...this.next]);
    this.next = [];
  }

  /**
   * The first delivery of a hold makes this worker the owner: nothing is paid for partitions that
   * stand still.
   */
  private async takeOverNew(batch: readonly Delivery[]): Promise<void> {
    const fresh = new Map(
      batch.filter(({ hold }) => hold.epoch === null).map(({ hold }) => [hold.name, hold]),
    );
    servePartitions(fresh.keys());
    for (let tries = 0; !this.stopped; tries += 1) {
      // One that was lost meanwhile belongs to somebody else, who must not be shut out.
      const names = [...fresh].filter(([, hold]) => !hold.lost).map(([name]) => name);
      if (names.length === 0) return;
      try {
        for (const { name, epoch } of await takeOver(this.deps.database, this.deps.worker, names)) {
          const hold = fresh.get(name);
          if (hold) hold.epoch = epoch;
        }
        return;
      } catch (error) {
        this.deps.logger.warn({ err: error, partitions: names }, 'partitions not taken over yet');
        this.deps.stall.failed(reasonOf(error));
        await pause(retryPauseMs(tries));
      }
    }
  }
}

const createdAtOf = ({ message }: Delivery): number | null =>
  'envelope' in message ? message.envelope.createdAt : null;

/** How many of the commands that have arrived go into the next batch. */
function lengthOfBatch(arrived: number): number {
  return Math.min(BATCH_LENGTH_MAX, Math.max(BATCH_LENGTH_WHOLE, Math.ceil(arrived / 2)));
}
