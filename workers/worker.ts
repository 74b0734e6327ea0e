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
import { serviceNames } from '../shared/services';
import type { Tracing } from '../shared/tracing';
import { batchTransactions } from './batch/transaction';
import { Balance } from './consumer/balance';
import { DeadQueueConsumer } from './consumer/dead-queue';
import { HeldBytes } from './consumer/held-bytes';
import { Layouts } from './consumer/layouts';
import { PartitionConsumer } from './consumer/partition';
import { RabbitmqLink } from './consumer/rabbitmq-link';
import { score } from './consumer/score';
import { partitionChange } from './duties/partition-change';
import type { Retention } from './duties/housekeeping';
import type { LendingRules } from './lending/decided';
import { createPipeline, type Pipeline } from './pipeline';

/** How long a batch under way may take at shutdown, milliseconds. */
const DRAIN_MS = 15_000;

export interface WorkerOptions {
  readonly amqp: AmqpConnection;
  readonly database: Sequelize;
  readonly now: Now;
  readonly cache: Cache;
  readonly logger: Logger;
  readonly tracing: Tracing | null;
  readonly worker: string;
  readonly layouts: readonly KeptLayout[];
  readonly signatures: Signatures;
  readonly lendingRules: LendingRules;
  readonly batchBytesMax: number;
  readonly retention: Retention;
  /** Most bytes of commands in hand, over all partitions. */
  readonly heldBytesMax: number;
}

/**
 * A worker's life: declare the queues, subscribe to its share of them, and at the end leave them in
 * order.
 */
export class Worker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private pipeline: Pipeline | null = null;
  private balance: Balance | null = null;
  private deadQueue: DeadQueueConsumer | null = null;
  private layouts: Layouts | null = null;

  constructor(private readonly options: WorkerOptions) {}

  /** Why commands cannot be carried out; null when they can. */
  get fault(): string | null {
    if (!this.balance) return 'This worker is starting or stopping.';
    if (!this.options.amqp.connected) return 'RabbitMQ is not connected.';
    return this.balance.fault ?? this.pipeline?.stall.reason ?? null;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { amqp, database, now, logger, worker, signatures } = this.options;
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
      declareCurrentTopology(channel, async () => publishedLayout(await readLayouts())).catch(
        (error: unknown) => {
          // While the database is away, the queues are most likely there.
          logger.warn({ err: error }, 'queues not declared');
        },
      ),
    );
    const link = new RabbitmqLink(amqp, () => layouts.published, signatures, logger);
    await link.start();
    const change = partitionChange({
      database,
      now,
      openChannel: () => link.openChannel(),
      signatures,
      logger,
    });
    const pipeline = createPipeline({ ...this.options, link, duties: [change] });
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
      transactions: batchTransactions(database, `${worker}-dead`),
      link,
      worker,
      signatures,
      now,
      logger,
    });
    this.deadQueue.start();
    await pipeline.duties.start();
    layouts.start();
    this.layouts = layouts;
    this.pipeline = pipeline;
    this.balance = balance;
  }

  /**
   * Before the connection closes: the batch under way ends, then the channels close and others go
   * on.
   */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([
      this.layouts?.stop(),
      this.pipeline?.duties.stop(),
      this.pipeline?.stop(DRAIN_MS),
    ]);
    await this.deadQueue?.stop();
    await this.balance?.stop();
    this.balance = null;
  }

  private consumers(layout: Layout, { pump }: Pipeline): ReadonlyMap<string, PartitionConsumer> {
    const { amqp, worker, signatures, heldBytesMax, logger } = this.options;
    const heldBytes = new HeldBytes(heldBytesMax);
    const consumerOf = (name: string) =>
      new PartitionConsumer({
        name,
        worker,
        connection: amqp.managedConnection,
        priority: score(worker, name),
        signatures,
        heldBytes,
        offer: (delivery) => {
          pump.offer(delivery);
        },
        settled: (hold) => pump.settled(hold),
        logger,
      });
    return new Map(partitionNames(serviceNames, layout).map((name) => [name, consumerOf(name)]));
  }

  private brokerVersion(): string {
    const { serverProperties } = this.options.amqp.connection as unknown as {
      serverProperties?: { version?: string };
    };
    return serverProperties?.version ?? '3';
  }
}
