import type { Sequelize } from 'sequelize-typescript';
import type { Cache } from '../shared/cache/cache';
import type { Now } from '../shared/database/clock';
import type { Logger } from '../shared/logger';
import type { WorkerLink } from '../shared/messaging/transport';
import type { Tracing } from '../shared/tracing';
import { Actors } from './batch/actors';
import { IdBlocks } from './batch/ids';
import { BatchProcessor } from './batch/process-batch';
import { Stall } from './batch/stall';
import { batchTransactions } from './batch/transaction';
import { Outgoing } from './consumer/outgoing';
import { Pump } from './consumer/pump';
import { dueCommands } from './duties/due-commands';
import { Duties, type Duty } from './duties/duties';
import { housekeeping, type Retention } from './duties/housekeeping';
import { outboxRelay } from './duties/outbox-relay';
import type { LendingRules } from './lending/decided';
import { oldBorrows } from './lending/old-borrows';
import { unusedRows } from './lending/unused-rows';
import { measureLag } from './metrics';
import { workerServices } from './services';
import { startWatchdog } from './watchdog';

/** How often it is looked whether a batch at shutdown is still worth waiting for, milliseconds. */
const STOP_LOOK_MS = 50;

export interface PipelineOptions {
  readonly database: Sequelize;
  readonly now: Now;
  readonly cache: Cache;
  readonly link: WorkerLink;
  readonly logger: Logger;
  readonly tracing: Tracing | null;
  /** Name of this worker, unique among those that run. */
  readonly worker: string;
  readonly lendingRules: LendingRules;
  /** Most bytes of a batch's commands, unless one has more. */
  readonly batchBytesMax: number;
  readonly retention: Retention;
  /** What the transport needs done besides. */
  readonly duties?: readonly Duty[];
}

export interface Pipeline {
  readonly pump: Pump;
  /** What one worker does for all, besides its batches. */
  readonly duties: Duties;
  /** Whether commands are carried out. */
  readonly stall: Stall;
  /**
   * Finishes the batch under way. It stops waiting for servers that are away after `graceMs`, and
   * at once when `isHopeless` says that waiting does not help.
   */
  stop(graceMs: number, isHopeless?: () => boolean): Promise<void>;
}

/**
 * Everything that a worker does, from a delivery to its acknowledgement and besides, put together
 * the same way for both transports.
 */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { database, now, cache, link, logger, tracing, worker } = options;
  const transactions = batchTransactions(database, worker);
  const actors = new Actors();
  const services = workerServices({
    lendingRules: options.lendingRules,
    actors,
    lockRows: database.getDialect() !== 'sqlite',
  });
  const outgoing = new Outgoing({ database, link, logger });
  const stall = new Stall();
  const processor = new BatchProcessor({
    begin: transactions.begin,
    services,
    ids: new IdBlocks(database),
    actors,
    link,
    outgoing,
    cache,
    logger,
    tracing,
    stall,
    now,
  });
  const pump = new Pump({
    database,
    processor,
    transactions,
    logger,
    worker,
    batchBytesMax: options.batchBytesMax,
    stall,
  });
  measureLag(() => pump.inHand(), now);
  const common = [
    outboxRelay(database, link, now),
    outgoing.duty,
    dueCommands(Object.values(services), link, now),
    housekeeping(now, options.retention),
    unusedRows(database),
    oldBorrows(database, now, options.retention.historyDays),
  ];
  const duties = new Duties({
    database,
    worker,
    logger,
    duties: [...common, ...(options.duties ?? [])],
  });
  const watchdog = startWatchdog();
  return {
    pump,
    duties,
    stall,
    async stop(graceMs, isHopeless = () => false) {
      const until = performance.now() + graceMs;
      const timer = setInterval(() => {
        if (performance.now() >= until || isHopeless()) processor.stop();
      }, STOP_LOOK_MS);
      await pump.stop();
      clearInterval(timer);
      await outgoing.stop();
      await transactions.close();
      await watchdog.stop();
    },
  };
}
