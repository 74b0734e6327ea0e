import type { Sequelize } from 'sequelize-typescript';
import type { Cache } from '../shared/cache/cache';
import type { Now } from '../shared/database/clock';
import { onNewPrimary } from '../shared/database/primary';
import type { Logger } from '../shared/logger';
import type { WorkerLink } from '../shared/messaging/transport';
import type { Tracing } from '../shared/tracing';
import { Actors } from './batch/service/actors';
import type { WorkerServices } from './batch/service/decision';
import { IdBlocks } from './batch/service/ids';
import { BatchProcessor } from './batch/process-batch';
import { Stall } from './batch/failures/stall';
import { batchTransactions } from './batch/sql/dialects';
import { Outgoing } from './consumer/outgoing';
import { Pump } from './consumer/pump';
import { dueCommands } from './jobs/due-commands';
import { LeaderJobs, type LeaderJob } from './jobs/leader-jobs';
import { housekeeping } from './jobs/housekeeping';
import type { Retention } from './jobs/retention';
import { outboxRelay } from './jobs/outbox-relay';
import { measureLag } from './metrics';
import { noticeMail, type MailServer } from './notices/mail';
import type { WebhookParts } from '../shared/webhooks/parts';
import { startWatchdog } from './watchdog';
import { WebhookDeliverer } from './webhooks/deliver';
import { queueDeliveries } from './webhooks/queue';

/** How often a shutdown checks whether its batch is still worth waiting for, milliseconds. */
const STOP_LOOK_MS = 50;

/** What services are made from. */
export interface ServiceParts {
  readonly database: Sequelize;
  readonly now: Now;
  readonly actors: Actors;
  /**
   * Whether several workers may write at once, so that rows shared between partitions must be
   * locked.
   */
  readonly lockRows: boolean;
}

/** Makes the services of one worker. */
export type OpenServices = (parts: ServiceParts) => WorkerServices;

export interface PipelineOptions {
  readonly openServices: OpenServices;
  readonly database: Sequelize;
  readonly now: Now;
  readonly cache: Cache;
  readonly link: WorkerLink;
  readonly logger: Logger;
  readonly tracing: Tracing;
  /** Name of this worker, unique among those that run. */
  readonly worker: string;
  /** Most bytes of a batch's commands. A batch of one command may have more. */
  readonly batchBytesMax: number;
  readonly retention: Retention;
  /** Sends notices by e-mail; null for none. */
  readonly mail: MailServer | null;
  readonly webhooks: WebhookParts;
  /** Additional jobs of the transport. */
  readonly jobs?: readonly LeaderJob[];
}

export interface Pipeline {
  readonly pump: Pump;
  /** The jobs that one worker runs for all. */
  readonly jobs: LeaderJobs;
  /** Whether commands are carried out. */
  readonly stall: Stall;
  /**
   * Finishes the batch under way. It stops waiting for unavailable servers after `graceMs`, and at
   * once when `isHopeless` says that waiting is useless.
   */
  stop(graceMs: number, isHopeless?: () => boolean): Promise<void>;
}

/**
 * Builds everything that a worker does, from a delivery to its acknowledgement, in the same way for
 * both transports.
 */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { database, now, cache, link, logger, tracing, worker } = options;
  const transactions = batchTransactions(database, worker);
  const actors = new Actors();
  // Rows of users that the last primary had not replicated are gone.
  onNewPrimary(database, () => {
    actors.forget();
  });
  const lockRows = database.getDialect() !== 'sqlite';
  const services = options.openServices({ database, now, actors, lockRows });
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
    worker,
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
  const deliverer = new WebhookDeliverer({ ...options.webhooks, database, now, logger });
  const common = [
    outboxRelay(database, link, now, queueDeliveries),
    outgoing.job,
    dueCommands(Object.values(services), link, now),
    housekeeping(now, options.retention),
    deliverer.job,
    ...(options.mail ? [noticeMail({ ...options.mail, database, now, logger })] : []),
  ];
  const ofServices = Object.values(services).flatMap((service) => service.jobs ?? []);
  const jobs = new LeaderJobs({
    database,
    worker,
    logger,
    jobs: [...common, ...ofServices, ...(options.jobs ?? [])],
  });
  const watchdog = startWatchdog();
  return {
    pump,
    jobs,
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
