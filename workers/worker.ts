import type { AmqpConnection } from '@golevelup/nestjs-rabbitmq';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { ConfirmChannel } from 'amqplib';
import type { Sequelize } from 'sequelize-typescript';
import type { Cache } from '../shared/cache/cache';
import type { Now } from '../shared/database/clock';
import type { Logger } from '../shared/logger';
import { declareTopology } from '../shared/messaging/declare';
import { partitionNames } from '../shared/messaging/topology';
import { serviceNames } from '../shared/services';
import { batchTransactions } from './batch/transaction';
import { Balance } from './consumer/balance';
import { DeadQueueConsumer } from './consumer/dead-queue';
import { PartitionConsumer } from './consumer/partition';
import { RabbitmqLink } from './consumer/rabbitmq-link';
import { score } from './consumer/score';
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
  readonly worker: string;
  readonly partitions: number;
  readonly lendingRules: LendingRules;
}

/** A worker's life: declare the queues, subscribe to its share of them, and at the end leave them in order. */
export class Worker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private pipeline: Pipeline | null = null;
  private balance: Balance | null = null;
  private deadQueue: DeadQueueConsumer | null = null;

  constructor(private readonly options: WorkerOptions) {}

  /** Whether commands can be taken: the broker and the database are there. */
  get ready(): boolean {
    return this.balance !== null && this.balance.serving && this.options.amqp.connected;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { amqp, database, now, logger, worker, partitions } = this.options;
    amqp.managedConnection.on('disconnect', ({ err }: { err: Error }) => {
      logger.warn({ err }, 'message broker lost');
    });
    amqp.managedConnection.on('connect', () => {
      logger.info('message broker connected');
    });
    await amqp.managedChannel.addSetup((channel: ConfirmChannel) => declareTopology(channel, partitions));
    const link = new RabbitmqLink(amqp, partitions, logger);
    await link.start();
    const pipeline = await createPipeline({ ...this.options, link });
    const consumers = new Map(
      partitionNames(serviceNames, partitions).map((name) => {
        const consumer = new PartitionConsumer({
          name,
          worker,
          connection: amqp.managedConnection,
          priority: score(worker, name),
          offer: (delivery) => {
            pipeline.pump.offer(delivery);
          },
          settled: (hold) => pipeline.pump.settled(hold),
          logger,
        });
        return [name, consumer];
      }),
    );
    const balance = new Balance({ database, worker, brokerVersion: this.brokerVersion(), connected: () => amqp.connected, consumers, logger });
    await balance.start();
    this.deadQueue = new DeadQueueConsumer({ connection: amqp.managedConnection, transactions: batchTransactions(database, `${worker}-dead`), link, worker, now, logger });
    this.deadQueue.start();
    await pipeline.duties.start();
    this.pipeline = pipeline;
    this.balance = balance;
  }

  /** Before the connection closes: the batch under way ends, then the channels close and others go on. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.pipeline?.duties.stop(), this.pipeline?.stop(DRAIN_MS)]);
    await this.deadQueue?.stop();
    await this.balance?.stop();
    this.balance = null;
  }

  private brokerVersion(): string {
    const { serverProperties } = this.options.amqp.connection as unknown as { serverProperties?: { version?: string } };
    return serverProperties?.version ?? '3';
  }
}
