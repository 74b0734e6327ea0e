import type { AmqpConnection } from '@golevelup/nestjs-rabbitmq';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { ConfirmChannel } from 'amqplib';
import type { Sequelize } from 'sequelize-typescript';
import type { Cache } from '../shared/cache/cache';
import type { Now } from '../shared/database/clock';
import { publishedLayout, readLayouts, type KeptLayout } from '../shared/database/layouts';
import type { Logger } from '../shared/logger';
import { declareCurrentTopology } from '../shared/messaging/declare';
import type { Signatures } from '../shared/messaging/signature';
import { partitionNames, type Layout } from '../shared/messaging/topology';
import type { Services } from '../shared/service';
import type { Tracing } from '../shared/tracing';
import type { WebhookParts } from '../shared/webhooks/parts';
import { batchTransactions } from './batch/sql/dialects';
import { Balance } from './consumer/balance';
import { DeadQueueConsumer } from './consumer/dead-queue';
import { HeldBytes } from './consumer/held-bytes';
import { Layouts } from './consumer/layouts';
import { PartitionConsumer } from './consumer/partition';
import { RabbitmqLink } from './consumer/rabbitmq-link';
import { score } from './consumer/score';
import { partitionChange } from './jobs/partition-change-job';
import type { Retention } from './jobs/retention';
import type { MailServer } from './notices/mail';
import { createPipeline, type OpenServices, type Pipeline } from './pipeline';

/** How long a batch under way may take at shutdown, milliseconds. */
const DRAIN_MS = 15_000;

export interface WorkerOptions {
  readonly amqp: AmqpConnection;
  readonly services: Services;
  readonly openServices: OpenServices;
  readonly database: Sequelize;
  readonly now: Now;
  readonly cache: Cache;
  readonly logger: Logger;
  readonly tracing: Tracing;
  readonly worker: string;
  readonly layouts: readonly KeptLayout[];
  readonly signatures: Signatures;
  readonly batchBytesMax: number;
  readonly retention: Retention;
  readonly mail: MailServer | null;
  readonly webhooks: WebhookParts;
  /** Most bytes of commands that the worker holds, over all partitions. */
  readonly heldBytesMax: number;
}

/**
 * Runs a worker: declares the queues, subscribes to its share of them, and leaves them in order at
 * the end.
 */
export class Worker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private pipeline: Pipeline | null = null;
  private balance: Balance | null = null;
  private deadQueue: DeadQueueConsumer | null = null;
  private layouts: Layouts | null = null;

  constructor(private readonly options: WorkerOptions) {}

  /** Returns why commands cannot be carried out, or null. */
  get fault(): string | null {
    if (!this.balance) return 'This worker is starting or stopping.';
    if (!this.options.amqp.connected) return 'RabbitMQ is not connected.';
    return this.balance.fault ?? this.pipeline?.stall.reason ?? null;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { amqp, services, database, now, logger, worker, signatures } = this.options;
    amqp.managedConnection.on('disconnect', ({ err }: { err: Error }) => {
      logger.warn({ err }, 'message broker lost');
    });
    amqp.managedConnection.on('connect', () => {
      logger.info('message broker connected');
    });
    const layouts = new Layouts({
      layouts: this.options.layouts,
      serve: (layout) => balance.serve(this.consumers(layout, pipeline)),
      logger,
    });
    await amqp.managedChannel.addSetup((channel: ConfirmChannel) =>
      declareCurrentTopology(channel, services.names, async () =>
        publishedLayout(await readLayouts()),
      ).catch((error: unknown) => {
        // While the database is unavailable, the queues most likely exist.
        logger.warn({ err: error }, 'queues not declared');
      }),
    );
    const link = new RabbitmqLink(amqp, () => layouts.published, signatures, logger);
    const change = partitionChange({
      database,
      services,
      now,
      openChannel: () => link.openChannel(),
      signatures,
      logger,
    });
    const pipeline = createPipeline({ ...this.options, link, jobs: [change] });
    const consumers = this.consumers(layouts.served, pipeline);
    const balance = new Balance({
      database,
      worker,
      brokerVersion: this.brokerVersion(),
      connected: () => amqp.connected,
      consumers,
      inHand: () => pipeline.pump.inHand(),
      fault: () => pipeline.stall.reason,
      logger,
    });
    await balance.start();
    this.deadQueue = new DeadQueueConsumer({
      connection: amqp.managedConnection,
      services,
      transactions: batchTransactions(database, `${worker}-dead`),
      link,
      worker,
      signatures,
      now,
      logger,
    });
    this.deadQueue.start();
    await pipeline.jobs.start();
    layouts.start();
    this.layouts = layouts;
    this.pipeline = pipeline;
    this.balance = balance;
  }

  /**
   * Runs before the connection closes: the batch under way ends, then the channels close and other
   * workers take over.
   */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([
      this.layouts?.stop(),
      this.pipeline?.jobs.stop(),
      this.pipeline?.stop(DRAIN_MS),
    ]);
    await this.deadQueue?.stop();
    await this.balance?.stop();
    this.balance = null;
  }

  private consumers(layout: Layout, { pump }: Pipeline): ReadonlyMap<string, PartitionConsumer> {
    const { amqp, services, worker, signatures, heldBytesMax, logger } = this.options;
    const heldBytes = new HeldBytes(heldBytesMax);
    const consumerOf = (name: string) =>
      new PartitionConsumer({
        name,
        worker,
        connection: amqp.managedConnection,
        priority: score(worker, name),
        signatures,
        decode: services.decode,
        heldBytes,
        offer: (delivery) => {
          pump.offer(delivery);
        },
        settled: (ownership) => pump.settled(ownership),
        logger,
      });
    const names = partitionNames(services.names, layout);
    return new Map(names.map((name) => [name, consumerOf(name)]));
  }

  private brokerVersion(): string {
    const { serverProperties } = this.options.amqp.connection as unknown as {
      serverProperties?: { version?: string };
    };
    return serverProperties?.version ?? '3';
  }
}
